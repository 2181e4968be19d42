"""Repeats recorded calls with a release on a device, and records them there."""

from __future__ import annotations

import contextlib
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from buildtool.core.errors import BuildtoolError
from buildtool.core.events import Note
from buildtool.core.trees import make_directory
from buildtool.core.value import Value
from buildtool.deploy.ready import CallRecording, DeviceChoice, Ready, read_facts_of
from buildtool.device.arm64_code import replaying_program
from buildtool.device.sharing import DeviceLock
from buildtool.project.model import Project
from buildtool.release.slices import LIBRARIES
from buildtool.run.attended import ProgramRun, run_attended
from buildtool.run.dsp_calls import counted_release
from buildtool.run.program import NO_VARIABLES, RunRequest
from buildtool.run.recorded.recording import Recording
from buildtool.run.recorded.reference import GGML, GGML_LIBRARY, check_shipped, ggml_reference
from buildtool.run.run import Streams

NO_LIMIT = 1 << 40
REPLAY_PROGRAM, REPLAYED = "bin/replay-calls", "share/recorded-calls"
"""The paths in the release of what repeats recorded calls, and of the recording."""
REFERENCE = "BUILDTOOL_DSP_REFERENCE"
"""The variable with the name of the library in place of the DSP (reference_calls.h)."""


class ReplayFailedError(BuildtoolError):
    """Recorded calls could not be repeated."""

    code = "replay-failed"


class Repeat(Value):
    """How calls are repeated: `chained` if later ones get what earlier ones made in memory that
    both sides see; `timeout` in seconds, 0 for none.  The DSP answers, or the library `reference`
    of the release (reference_calls.h), or with `GGML` the CPU backend of the project.
    """

    choice: DeviceChoice
    chained: bool = False
    timeout: float = 0
    reference: str = ""


@contextlib.contextmanager
def repeated(
    project: Project, ready: Ready, recorded: Recording, repeat: Repeat, lock: DeviceLock
) -> Iterator[Recording]:
    """For the block, the recording of the calls of `recorded`, repeated with the release of `ready`
    beside it on the device.  Raises `ReplayFailedError`, `RunTimeoutError`, `DeviceError` and the
    errors of running zig."""
    device, release, listener = ready.site.device, ready.release, ready.site.listener
    if not recorded.asked:
        raise ReplayFailedError(
            f"{recorded.path} has no calls to repeat",
            why=f"{recorded.left_out} were left out" if recorded.left_out else "it ends before any",
            remedy="Record again: buildtool run DEVICE --record-calls FILE",
        )
    if recorded.cut:
        listener(Note(f"{recorded.path} ends in the middle of what was recorded"))
    platform = project.targets[release.target].platform
    added: dict[str, bytes | Path] = {
        REPLAY_PROGRAM: replaying_program(platform),
        REPLAYED: recorded.path.absolute(),
    }
    library = repeat.reference
    if library == GGML:
        library = GGML_LIBRARY
        added[f"{LIBRARIES}/{library}"] = ggml_reference(project, release)
    elif library:
        check_shipped(release, library)
    folder = project.state / "recordings"
    make_directory(folder)
    with contextlib.ExitStack() as stack:
        file = Path(stack.enter_context(tempfile.TemporaryDirectory(dir=folder))) / "again.calls"
        extended = stack.enter_context(
            counted_release(
                *(release, platform, read_facts_of(device), project.state),
                option="",
                added=added,
            )
        )
        beside = Ready(project, device, extended, listener, force=repeat.choice.force)
        beside.go_beside("counted")
        request = RunRequest(
            command=(REPLAY_PROGRAM, REPLAYED, *(("--chained",) if repeat.chained else ())),
            env={REFERENCE: library} if library else NO_VARIABLES,
            timeout=repeat.timeout,
            input=False,
            dsp_may_crash=True,
            record=CallRecording(file, limit=NO_LIMIT),
        )
        streams = Streams(stdout=sys.stderr.fileno())
        run = ProgramRun(project, beside, request, listener, repeat.choice, lock, streams)
        result = run_attended(run)
        again = Recording(file) if file.is_file() else None
        if again is None or result.status:
            done = f"{len(again.asked) if again else 0} of {len(recorded.asked)} calls"
            why = f"replay-calls ended with {result.status} after {done}"
            if again is None or not again.asked:
                raise ReplayFailedError(
                    f"the calls of {recorded.path} could not be repeated on {device.name}",
                    why=f"{why}{f': {result.dsp_crash}' if result.dsp_crash else ''}",
                    remedy="See what it has printed above.",
                )
            listener(Note(why))
        yield again
