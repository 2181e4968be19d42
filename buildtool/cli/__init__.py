"""The command line: one file per command, and the one place that catches errors."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from buildtool import VERSION_OPTIONS, __version__
from buildtool.core.errors import BuildtoolError, UsageError

if TYPE_CHECKING:
    from buildtool.cli.commands import CommandEntry
    from buildtool.cli.parameters import CommandLine

INTERRUPTED = 130
USAGE_ERROR = 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command line and return the exit status; never raises on bad input."""
    from buildtool.cli.commands import COMMANDS, UNKNOWN
    from buildtool.cli.show import as_error, discard_output, flush, show_error, show_internal_error

    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by the caller
            null = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - open until exit
            setattr(sys, name, null)
        # A character that the terminal's encoding lacks is escaped instead of an error.
        getattr(sys, name).reconfigure(errors="backslashreplace")
    given = list(sys.argv[1:] if arguments is None else arguments)
    if given[:1] == ["__complete"]:
        from buildtool.cli.completion.completion import complete

        return complete(given[1:])
    directories, argv = _split_directories(given)
    if argv[:1] == ["help"]:
        argv = [*argv[1:], "--help"]
    entry = COMMANDS.get(next((word for word in argv if not word.startswith("-")), ""), UNKNOWN)
    as_json = "--json" in _own_arguments(argv)
    status: int | None
    try:
        for directory in directories:
            _change_to(directory)
        status = _run_command(argv, as_json=as_json, entry=entry)
        flush()
        if status == INTERRUPTED:
            status = _interrupted(entry, as_json=False)
    except BuildtoolError as error:
        show_error(error, as_json=as_json)
        status = entry.misused if isinstance(error, UsageError) else entry.failed
        return status or error.exit_status
    except KeyboardInterrupt:
        return _interrupted(entry, as_json=as_json)
    except BrokenPipeError:  # the reader of our output has exited
        return 1
    except OSError as error:
        problem = as_error(error)
        show_error(problem, as_json=as_json)
        return entry.failed or problem.exit_status
    except MemoryError:
        status = None  # reported below, after the memory is free again
    except Exception as error:
        if os.environ.get("BUILDTOOL_DEBUG"):
            raise
        show_internal_error(error, as_json=as_json)
        return entry.failed or 1
    finally:
        try:
            flush()
        except OSError:  # otherwise Python would try it again at exit, and report that it failed
            discard_output()
    if status is None:
        problem = BuildtoolError(
            "there is not enough memory",
            why="the system, or a limit of this process (ulimit -v), refused an allocation",
            remedy="End other programs, raise the limit, or run fewer jobs at once: --jobs 1.",
        )
        show_error(problem, as_json=as_json)
        return entry.failed or problem.exit_status
    return status


def _interrupted(entry: CommandEntry, *, as_json: bool) -> int:
    """The exit status after Ctrl-C, or after this process has interrupted itself: it says why."""
    from buildtool.cli.show import show_error
    from buildtool.core.processes.interrupts import interruption

    if error := interruption():
        show_error(error, as_json=as_json)
        return entry.failed or error.exit_status
    return INTERRUPTED


def _run_command(argv: list[str], *, as_json: bool, entry: CommandEntry) -> int:
    if argv in VERSION_OPTIONS:
        from buildtool.cli.show import show

        show(f"buildtool {__version__}")
        return 0
    if not argv or argv[-1] in ("-h", "--help"):
        from buildtool.cli.help import help_page
        from buildtool.cli.show import write

        if page := help_page(argv[:-1]):
            write(page)
            return 0 if argv else USAGE_ERROR
    from buildtool.cli.parameters import CommandLine, run_without_typer

    if entry.default and (len(argv) == 1 or argv[1].startswith("-")):
        argv = [argv[0], entry.default, *argv[1:]]
    own = (_own_arguments(argv) if entry.program else argv) or argv
    line = CommandLine(tuple(own), tuple(argv[len(own) + 1 :]))
    status = run_without_typer(line)
    return _run_with_typer(line, as_json=as_json, entry=entry) if status is None else status


def _run_with_typer(line: CommandLine, *, as_json: bool, entry: CommandEntry) -> int:
    from typer.exceptions import Abort, TyperException

    from buildtool.cli.commands import COMMANDS
    from buildtool.cli.show import show_usage_error
    from buildtool.cli.typer_app import typer_app

    names = line.own[:1] if line.own[0] in COMMANDS else COMMANDS
    try:
        status = typer_app(names, line)(line.own, prog_name="buildtool", standalone_mode=False)
    except TyperException as error:
        show_usage_error(error, as_json=as_json)
        return entry.misused or error.exit_code
    except Abort:
        return INTERRUPTED
    return status if isinstance(status, int) else 0


def _split_directories(argv: list[str]) -> tuple[list[str], list[str]]:
    """The DIR of each `-C DIR` before the command, in order, and the rest of `argv`."""
    directories = []
    while argv and argv[0].startswith("-C"):
        taken = 1 if argv[0] != "-C" else 2
        if len(argv) < taken:
            break  # typer reports the missing argument
        directories.append(argv[0][2:] if taken == 1 else argv[1])
        argv = argv[taken:]
    return directories, argv


def _change_to(directory: str) -> None:
    try:
        os.chdir(directory)
    except OSError as error:
        raise UsageError(
            f"-C {directory}: {error.strerror}", remedy="Name a directory: -C DIR"
        ) from error


def _own_arguments(argv: list[str]) -> list[str]:
    """The arguments for buildtool itself: those before `--`."""
    return argv[: argv.index("--")] if "--" in argv else argv
