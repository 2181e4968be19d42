"""The command line: one file a verb, and the one place where errors are caught."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from buildtool.core.errors import BuildtoolError, UsageError

OWN_FAILURE_OF_RUN = 125  # `run` returns the program's status; this one is never a program's
INTERRUPTED = 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command line and return the exit status; never raises on bad input."""
    from buildtool.cli.errors import show_error, show_internal_error, show_repairs
    from buildtool.cli.show import flush, give_up

    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by the caller
            nowhere = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - to the end
            setattr(sys, name, nowhere)
        # A terminal that lacks a character gets its escape, not an error.
        getattr(sys, name).reconfigure(errors="backslashreplace")
    given = list(sys.argv[1:] if arguments is None else arguments)
    if given[:1] == ["__complete"]:
        from buildtool.cli.complete import complete

        return complete(given[1:])
    directories, argv = _directories(given)
    runs = next((word for word in argv if not word.startswith("-")), "") == "run"
    as_json = "--json" in _own(argv)
    status: int | None
    try:
        for directory in directories:
            _change_to(directory)
        status = _run_verb(argv, as_json=as_json, usage=OWN_FAILURE_OF_RUN if runs else 0)
        flush()
    except BuildtoolError as error:
        show_error(error, as_json=as_json)
        return OWN_FAILURE_OF_RUN if runs else error.exit_status
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        give_up()  # whoever read our output has gone
        return 1
    except OSError as error:
        from buildtool.core.unwritable import as_unwritable_error

        # Of two files, as of a copy, the second is the one that is written.
        where = [name for name in (error.filename2, error.filename) if name is not None]
        problem = as_unwritable_error(error) or BuildtoolError(
            ": ".join([*map(str, where[:1]), error.strerror or str(error)]),
            remedy="Check the path, its permissions, and the space on the disk.",
        )
        show_error(problem, as_json=as_json)
        give_up()
        return OWN_FAILURE_OF_RUN if runs else problem.exit_status
    except MemoryError:
        status = None  # shown below, when the memory that was taken is free again
    except Exception as error:
        if os.environ.get("BUILDTOOL_DEBUG"):
            raise
        show_internal_error(error, as_json=as_json)
        return OWN_FAILURE_OF_RUN if runs else 1
    finally:
        with contextlib.suppress(OSError):
            show_repairs()
    if status is None:
        problem = BuildtoolError(
            "there is not enough memory",
            why="the system, or a limit that is set for this process (ulimit -v), gave no more",
            remedy="End other programs, raise the limit, or let fewer jobs run: --jobs 1.",
        )
        show_error(problem, as_json=as_json)
        return OWN_FAILURE_OF_RUN if runs else problem.exit_status
    return status


def _run_verb(argv: list[str], *, as_json: bool, usage: int) -> int:
    # What is typed most often goes without typer: importing that takes longer than such a build
    # that has nothing to do.
    if argv[:1] == ["build"] and len(argv) <= 2 and not argv[-1].startswith("-"):
        from buildtool.cli.build_target import build_target

        build_target(*argv[1:])
        return 0
    from typer.exceptions import Abort, TyperException

    from buildtool.cli.app import app
    from buildtool.cli.errors import show_usage_error

    try:
        status = app(argv, prog_name="buildtool", standalone_mode=False)
    except TyperException as error:
        show_usage_error(error, as_json=as_json)
        return usage or error.exit_code
    except Abort:
        return INTERRUPTED
    return status if isinstance(status, int) else 0


def _directories(argv: list[str]) -> tuple[list[str], list[str]]:
    """What `-C DIR` before the command names, one after the other, and the rest of `argv`."""
    directories = []
    while argv and argv[0].startswith("-C"):
        taken = 1 if argv[0] != "-C" else 2
        if len(argv) < taken:
            break  # typer says that an argument is missing
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


def _own(argv: list[str]) -> list[str]:
    """The arguments that are this tool's: those before `--`."""
    return argv[: argv.index("--")] if "--" in argv else argv
