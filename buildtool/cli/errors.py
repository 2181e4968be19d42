"""Errors as text: what happened, why, and what to do next."""

from __future__ import annotations

import contextlib
import sys
from typing import TYPE_CHECKING, Any

from buildtool.cli.show import print_json, show, shows_colours, write
from buildtool.core.errors import BuildtoolError, UsageError

if TYPE_CHECKING:
    from buildtool.documents.builds import ErrorDocument


def show_error(error: BuildtoolError, *, as_json: bool) -> None:
    """Print `error` on standard error; with `as_json` also as the JSON document on stdout."""
    if as_json:
        _print_json(error)
    _print(error_text(error))


def as_error(error: BuildtoolError | OSError) -> BuildtoolError:
    """The error that is shown to users for `error`."""
    if isinstance(error, BuildtoolError):
        return error
    from buildtool.core.unwritable import as_unwritable_error

    # Where an error names two files, as for a copy, the second is the one that is written.
    where = [name for name in (error.filename2, error.filename) if name is not None]
    return as_unwritable_error(error) or BuildtoolError(
        ": ".join([*map(str, where[:1]), error.strerror or str(error)]),
        remedy="Check the path, its permissions, and the free space on the disk.",
    )


def error_text(error: BuildtoolError, *, remedy: bool = True) -> str:
    """`error` as lines for people, with its remedy or without."""
    lines = ["error: " + error.message]
    if error.why:
        import textwrap

        lines.append(textwrap.indent(error.why, "  "))
    if error.remedy and remedy:
        lines.append("  → " + error.remedy.replace("\n", "\n    "))
    return "\n".join(lines)


def show_usage_error(error: Any, *, as_json: bool) -> None:
    """Print a mistake in the command line, with the usage of the command if it is known."""
    message = error.format_message()
    if as_json:
        _print_json(UsageError(message))
    _print(f"error: {message}")
    if getattr(error, "ctx", None):
        _print("  " + error.ctx.get_usage())
        _print(f"  → {error.ctx.command_path} --help")


def show_internal_error(error: Exception, *, as_json: bool) -> None:
    """Print a bug of buildtool, without a traceback."""
    if as_json:
        problem = BuildtoolError(f"{type(error).__name__}: {error}")
        problem.code = "internal"
        _print_json(problem)
    _print(f"internal error: {type(error).__name__}: {error}")
    _print("  This is a bug in buildtool, not in your project.")
    _print("  → Please report it with the traceback that BUILDTOOL_DEBUG=1 prints.")


def _print_json(error: BuildtoolError) -> None:
    with contextlib.suppress(OSError):  # the error may be a full disk
        document: ErrorDocument = {"error": error.as_json()}
        print_json({**error.document, **document})


def _print(text: str) -> None:
    head, colon, rest = text.partition(":")
    with contextlib.suppress(OSError):
        if head in ("error", "internal error") and shows_colours(sys.stderr):
            write(f"\x1b[1;31m{head}{colon}\x1b[0m", sys.stderr)
            text = rest
        show(text, file=sys.stderr)
