"""Run a program of a release on the emulated device."""

from __future__ import annotations

import time
from collections.abc import Sequence

from buildtool.core.elf_machine import EM_AARCH64, ET_DYN, ET_EXEC, elf_header
from buildtool.core.process import foreground
from buildtool.core.value import Value
from buildtool.deploy.emulated.device import DeviceError, EmulatedDevice, environment
from buildtool.release.assemble import RUN_SCRIPT
from buildtool.release.slices import Release


class RunResult(Value):
    """How a program ended: its exit status (128+n for signal n) and wall time in seconds."""

    target: str
    release: str
    soc: str
    arch: str
    command: tuple[str, ...]
    status: int
    seconds: float

    def as_json(self) -> dict[str, object]:
        return {**self._asdict(), "seconds": round(self.seconds, 3)}


def run(
    device: EmulatedDevice,
    release: Release,
    arch: str,
    command: Sequence[str],
    *,
    stdout: int | None = None,
) -> RunResult:
    """Run `command`, a program of the tree and its arguments.

    An empty command is the only program of the tree.  `stdout` is a descriptor that takes the
    place of the program's standard output.  Raises `DeviceError` when there is no such program.
    """
    program, *arguments = command or [only_program(release)]
    check_program(release, program)
    started = time.monotonic()
    status = foreground(
        ["/bin/sh", release.directory / RUN_SCRIPT, program, *arguments],
        env=environment(device, arch),
        cwd=release.directory,
        stdout=stdout,
    )
    return RunResult(
        target=release.target,
        release=release.id,
        soc=device.soc.name,
        arch=arch,
        command=(program, *arguments),
        status=status,
        seconds=time.monotonic() - started,
    )


def check_program(release: Release, program: str) -> None:
    """Raises `DeviceError` unless `program` is an ARM64 program of the release."""
    path = release.directory / program
    if not path.is_file():
        import difflib  # noqa: PLC0415 - only for the error

        programs = _programs(release)
        close = difflib.get_close_matches(program, programs, n=1, cutoff=0.4)
        raise DeviceError(
            f"there is no program {program!r} in the target {release.target!r}",
            why=f"it ships {', '.join(programs) or 'no program in bin/'}",
            remedy=f"Did you mean {close[0]!r}?"
            if close
            else "Name one of these; install() rules decide what is shipped.",
        )
    header = elf_header(path)
    if header is None:
        raise DeviceError(
            f"{program!r} is not an ARM64 program",
            why=f"{path} is not an ELF file",
            remedy="The emulated device runs ELF programs; run a script through its interpreter.",
        )
    kind, machine = header
    if machine != EM_AARCH64 or kind not in (ET_EXEC, ET_DYN):
        raise DeviceError(
            f"{program!r} is not an ARM64 program",
            why=f"ELF machine {machine}, type {kind}",
            remedy="It was built for another machine; build it with the target's profile.",
        )


def only_program(release: Release) -> str:
    """The program of a tree that has just one; raises `DeviceError` for none or several."""
    programs = _programs(release)
    if len(programs) == 1:
        return programs[0]
    raise DeviceError(
        "no program was named",
        why=f"the target {release.target!r} ships {', '.join(programs) or 'none in bin/'}",
        remedy=f"Name one: buildtool run sim -- {programs[0] if programs else 'bin/PROGRAM'}",
    )


def _programs(release: Release) -> list[str]:
    return sorted(f"bin/{file.name}" for file in release.directory.glob("bin/*") if file.is_file())
