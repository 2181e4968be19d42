"""Which program of a release runs, and how."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from buildtool.core.elf.file import EM_AARCH64, ET_DYN, ET_EXEC, elf_header
from buildtool.core.value import Value
from buildtool.device.errors import DeviceError
from buildtool.project.components import RUNNER
from buildtool.project.keys import Define
from buildtool.project.runs import Forward
from buildtool.release.slices import Release

if TYPE_CHECKING:
    from buildtool.deploy.ready import CallRecording
    from buildtool.run.session import WaitingSession

NO_VARIABLES: Mapping[str, str] = {}
DSP, RUNNER_PATH = "dsp/", f"bin/{RUNNER}"
FARF_LEVELS = "0x1f001f"
"""All levels of messages in the DSP's library and in skels; see log_config.c of libcdsprpc."""


class ProgramError(DeviceError):
    """The release does not have the program, or it is for another machine."""

    code = "program"


class Stop(Protocol):
    """Decides while a program runs whether it has to end."""

    def fileno(self) -> int:
        """A descriptor; when it can be read, `wanted` is called."""

    def wanted(self) -> str:
        """The signal by which the program has to end now, such as INT for Ctrl-C; "" for none."""


class RunRequest(Value):
    """The program to run, and how to run it.

    `command` is a program of the release and its arguments; `cwd` its working directory there, ""
    for the top of the release.  `timeout` is in seconds, 0 for none.  With `terminal` the program
    gets a terminal, with `farf` the DSP logs messages of the levels that this number stands for.
    Without `input` it reads /dev/null instead of the standard input.  `pull` are files that are
    fetched after it has ended: path on the device → path here.  `stop` can end the program; it then
    reads /dev/null, and has no terminal.  `forward` are ports of the device that are reachable here
    while it runs.  `session` is one on the device that it can take.  With `dsp_may_crash` a crash
    of the DSP process is no failure.  With `count_calls` the release has a library that counts the
    calls of the DSP; with `trace` it records when they were, with `record` what they contain.
    `prefix` are the words of a command that starts the program, such as a profiler.
    """

    command: tuple[str, ...] = ()
    env: Mapping[str, str] = NO_VARIABLES
    cwd: str = ""
    timeout: float = 0
    terminal: bool = False
    input: bool = True
    farf: str = ""
    pull: Mapping[str, str] = NO_VARIABLES
    stop: Stop | None = None
    forward: tuple[Forward, ...] = ()
    session: WaitingSession | None = None
    dsp_may_crash: bool = False
    count_calls: bool = False
    trace: bool = False
    record: CallRecording | None = None
    prefix: tuple[str, ...] = ()


def variables(env: Mapping[str, Define]) -> dict[str, str]:
    """The variables of an `env` of the project file as a program gets them."""
    return {
        name: str(value).lower() if isinstance(value, bool) else str(value)
        for name, value in env.items()
    }


def farf_levels(wanted: bool) -> str:
    """The value of `RunRequest.farf` that logs everything, or nothing."""
    return FARF_LEVELS if wanted else ""


def find_command(release: Release, command: Sequence[str], *, emulated: bool) -> tuple[str, ...]:
    """`command` if its program can run, by default the only program of the release.

    `dsp/NAME` is a program for the DSP; the command is then that of the program that lets the DSP
    run it.  A program with an absolute path is one of the device's own.  An emulated device has
    none, and runs no scripts.  Raises `ProgramError` when there is no such program in the release,
    and when it is for another machine.
    """
    program, *arguments = command or [_only_program(release)]
    if program.startswith(DSP):
        return (RUNNER_PATH, _dsp_program(release, program), *arguments)
    if emulated or not program.startswith("/"):
        _check_program(release, program, scripts=not emulated)
    return (program, *arguments)


def _dsp_program(release: Release, program: str) -> str:
    """The file name of the program `dsp/NAME`, which the DSP searches; raises `ProgramError`."""
    name = f"{program.removeprefix(DSP).removesuffix('.so')}.so"
    if "/" not in name and (release.directory / RUNNER_PATH).is_file():
        for arch in release.archs:
            if (release.directory / DSP / arch / name).is_file():
                return name
    raise _no_program(release, program)


def _no_program(release: Release, program: str) -> ProgramError:
    import difflib  # noqa: PLC0415 - only for the error

    programs = _programs(release)
    close = difflib.get_close_matches(program, programs, n=1, cutoff=0.4)
    return ProgramError(
        f"there is no program {program!r} in the target {release.target!r}",
        why=f"it ships {', '.join(programs) or 'no program in bin/'}",
        remedy=f"Did you mean {close[0]!r}?"
        if close
        else "Name one of these; install() rules decide what is shipped.",
    )


def _check_program(release: Release, program: str, *, scripts: bool) -> None:
    """Raises `ProgramError` unless `program` is an ARM64 program of the release, or one of its
    `scripts`."""
    path = release.directory / program
    if not path.is_file():
        raise _no_program(release, program)
    header = elf_header(path)
    if header is None:
        with path.open("rb") as stream:
            if scripts and stream.read(2) == b"#!":
                return
        raise ProgramError(
            f"{program!r} is not an ARM64 program",
            why=f"{path} is not an ELF file",
            remedy="Name a program; install() rules decide what is shipped."
            if scripts
            else "The emulated device runs ELF programs; run a script through its interpreter.",
        )
    kind, machine = header
    if machine != EM_AARCH64 or kind not in (ET_EXEC, ET_DYN):
        raise ProgramError(
            f"{program!r} is not an ARM64 program",
            why=f"ELF machine {machine}, type {kind}",
            remedy="It was built for another machine; build it with the target's profile.",
        )


def _only_program(release: Release) -> str:
    """The program of a release that has just one; raises `ProgramError` for none or several."""
    programs = _programs(release)
    if len(programs) == 1:
        return programs[0]
    raise ProgramError(
        "no program was named",
        why=f"the target {release.target!r} ships {', '.join(programs) or 'none in bin/'}",
        remedy=f"Name one: buildtool run DEVICE -- {programs[0] if programs else 'bin/PROGRAM'}",
    )


def _programs(release: Release) -> list[str]:
    """The programs, those for the DSP as `dsp/NAME`."""
    files = (file for file in release.directory.glob("bin/*") if file.is_file())
    names = {f"bin/{file.name}" for file in files}
    if RUNNER_PATH in names:
        from buildtool.contract.subject import is_program  # noqa: PLC0415 - seldom
        from buildtool.core.elf.read import read_elf  # noqa: PLC0415

        names.remove(RUNNER_PATH)
        libraries = (file for file in release.directory.glob("dsp/*/*.so") if file.is_file())
        names |= {f"{DSP}{file.stem}" for file in libraries if is_program(read_elf(file))}
    return sorted(names)
