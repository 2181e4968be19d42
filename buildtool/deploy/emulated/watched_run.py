"""What a run on the emulated device asks of its DSP process: strict memory, a debugger, reports."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from buildtool.core.errors import UsageError
from buildtool.core.value import Value

STRICT = ("back", "front")
"""Whether memory ends or begins at an unmapped page; the values of `--strict`."""


class WatchedRun(Value):
    """The file in which the DSP's processes report crashes, the path of the socket at which one
    waits for a debugger, "" for none, and the variables that say so to the device's libcdsprpc."""

    crashes: Path
    socket: str
    variables: Mapping[str, str]


@contextlib.contextmanager
def watched_run(strict: str, *, debug: bool) -> Iterator[WatchedRun]:
    """Prepare a run, whose files are removed at its end; raises `UsageError`."""
    if strict and strict not in STRICT:
        raise UsageError(
            f"--strict={strict} is unknown",
            why="--strict detects reading and writing past the end of memory, --strict=front before"
            " its start",
            remedy="Use --strict or --strict=front.",
        )
    # The path of a socket has at most 107 bytes, so it is not below the project.
    with tempfile.TemporaryDirectory(prefix="buildtool-") as folder:
        crashes = Path(folder, "crashes")
        crashes.touch(mode=0o600)
        socket = f"{folder}/dsp" if debug else ""
        variables = {
            "BUILDTOOL_SIM_CRASHES": str(crashes),
            "BUILDTOOL_SIM_STRICT": strict,
            "BUILDTOOL_SIM_DEBUG": socket,
        }
        yield WatchedRun(crashes, socket, {key: text for key, text in variables.items() if text})


def how_to_attach(socket: str) -> str:
    """What the user enters to attach a debugger to the DSP process."""
    return (
        "the DSP process will wait for a debugger at its start, and stops again when it has loaded"
        " a skel\n"
        f"  lldb with Hexagon support:  process connect unix-connect://{socket}\n"
        f"  gdb with Hexagon support:   target remote {socket}\n"
        "  debug information:          .buildtool/debug/TARGET/dsp/ARCH/SKEL.debug, at the address"
        " that the DSP logs"
    )
