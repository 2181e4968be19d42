"""Options for profiles; prints profiles, and writes their files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from buildtool.cli.options import DEVICE
from buildtool.cli.parameters import Option, OptionGroup
from buildtool.core.errors import UsageError
from buildtool.core.events import Listener, Note

if TYPE_CHECKING:
    from collections.abc import Iterator

    from buildtool.cli.table import Table
    from buildtool.project.model import Project
    from buildtool.run.method_counts import MethodCounts
    from buildtool.run.on_device import RunResult
    from buildtool.run.profile.profile import FunctionProfile, Profile

ROWS = 20
"""Functions in the table."""
COLUMNS, NAME, LEAST = 80, 22, 16
"""Characters: of the table, of the name of a function there, of that of a line at least."""


class ProfileOptions(OptionGroup):
    """The options of `run` for profiles."""

    profile: Annotated[
        bool,
        Option(
            "--profile",
            "Show which functions are executed: of skels on sim, of the program elsewhere.",
            heading=DEVICE,
        ),
    ] = False
    profile_dir: Annotated[
        Path | None,
        Option(
            "--profile-dir",
            "Write its files into DIR; implies --profile; default: .buildtool/profile.",
            "DIR",
            heading=DEVICE,
        ),
    ] = None
    annotate: Annotated[
        str,
        Option(
            "--annotate",
            "Show lines and packets of a function of a skel; implies --profile.",
            "FUNCTION",
            heading=DEVICE,
        ),
    ] = ""

    def wanted(self) -> bool:
        """Whether one of them is given; raises `UsageError` for a directory that cannot be one."""
        folder = self.profile_dir
        if folder and folder.exists() and not folder.is_dir():
            raise UsageError(
                f"--profile-dir {folder}: it is not a directory",
                remedy="Name a directory, which is created if it does not exist.",
            )
        return self.profile or folder is not None or bool(self.annotate)


def show_profile(
    project: Project, result: RunResult, options: ProfileOptions, listener: Listener
) -> RunResult:
    """Print the profile of a run, if there is one, and write its files; returns the result with
    their paths."""
    profile = result.profile
    if profile is None:
        return result
    from buildtool.cli.show import place
    from buildtool.diagnose.method_names import SkelMethods
    from buildtool.run.method_counts import with_names
    from buildtool.run.profile.files import write_files

    folder = options.profile_dir or project.state / "profile"
    title = f"{result.command[0]} on {place(result.device, result.soc, result.arch)}"
    files = write_files(folder, title, profile)
    methods = with_names(SkelMethods(project), result.methods)
    listener(Note("\n".join(_lines(profile, methods))))
    if options.annotate and profile.tool:
        listener(Note("--annotate shows functions of skels, which sim profiles"))
    elif options.annotate:
        from buildtool.run.profile.files import annotate

        listener(Note(f"\n{annotate(profile, options.annotate, project.root)}\n"))
    listener(Note(f"kept in {folder}: {', '.join(file.name for file in files)}"))
    return result._replace(profile=profile._replace(files=tuple(map(str, files))))


def _lines(profile: Profile, methods: tuple[MethodCounts, ...]) -> Iterator[str]:
    from buildtool.cli.table import Table

    yield _functions(profile).text()
    if len(profile.functions) > ROWS:
        yield f"{len(profile.functions) - ROWS} more functions are in the files"
    if methods:
        rows = [_method_row(method) for method in methods if method.skel]
        heading = ("method", "calls", "packets", "instructions", "hvx", "waiting")
        yield f"\n{Table(heading, rows, right=frozenset(range(1, len(heading)))).text()}"
    yield f"\nself, total: shares of {profile.measure}"
    if profile.tool:
        return
    yield "a sample is at the start of the block of code that would be executed next"
    if profile.uncounted:
        yield f"packets of functions are not counted: {profile.uncounted}"
    else:
        yield "packets: exactly how many a function itself has executed; i/p: instructions in each"
    if profile.unsampled_threads:
        yield f"{profile.unsampled_threads} threads were not sampled: QEMU has 32 timers"
    if profile.is_cut:
        yield "the recording is too large: its end is left out"


def _functions(profile: Profile) -> Table:
    """The functions with most samples, in 80 columns if their numbers leave room for it."""
    from buildtool.cli.table import Table

    functions = profile.functions[:ROWS]
    if profile.tool:
        heading = ["function", "self", "total", "file"]
        last = [function.module for function in functions]
    else:
        heading = ["function", "self", "total", "packets", "i/p", "most at"]
        last = [function.hot.short for function in functions]
    rows = [_row(function, profile.samples)[: len(heading) - 1] for function in functions]
    widths = [max(map(len, column)) for column in zip(heading[:-1], *rows, strict=True)]
    room = COLUMNS - 2 * len(widths) - sum(widths)
    return Table(
        heading,
        [(*row, _short(text, max(room, LEAST))) for row, text in zip(rows, last, strict=True)],
        right=frozenset(range(1, len(heading) - 1)),
    )


def _row(function: FunctionProfile, samples: int) -> tuple[str, ...]:
    packets, instructions = function.packets, function.instructions
    return (
        _short(function.name, NAME),
        _share(function.self_samples, samples),
        _share(function.total_samples, samples),
        "" if packets is None else f"{packets:,}",
        f"{instructions / packets:.1f}" if packets and instructions else "",
    )


def _method_row(method: MethodCounts) -> tuple[str, ...]:
    name = method.name or f"{method.skel} {method.method}"
    counts = (method.calls, method.packets, method.instructions, method.hvx, method.waiting)
    return (_short(name, NAME + 4), *(f"{count:,}" for count in counts))


def _share(samples: int, total: int) -> str:
    return f"{100 * samples / total:.1f}%" if total and samples else ""


def _short(text: str, room: int) -> str:
    return text if len(text) <= room else f"{text[: room // 2]}…{text[1 - room + room // 2 :]}"
