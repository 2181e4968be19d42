"""How errors look: what happened, why, and what to do next."""

from __future__ import annotations

import contextlib
import sys
from typing import Any

from buildtool.cli.show import show
from buildtool.core.errors import BuildtoolError, UsageError

SHOWN_REPAIRS = 10


def show_error(error: BuildtoolError, *, as_json: bool) -> None:
    """Print `error` on standard error; with `as_json` also as the one document on stdout."""
    if as_json:
        _print_json(error)
    _print(told(error))


def told(error: BuildtoolError) -> str:
    """The lines that tell of `error`."""
    lines = ["error: " + error.message]
    if error.why:
        import textwrap

        lines.append(textwrap.indent(error.why, "  "))
    if error.remedy:
        lines.append("  → " + error.remedy.replace("\n", "\n    "))
    return "\n".join(lines)


def show_usage_error(error: Any, *, as_json: bool) -> None:
    """Print a mistake in the command line, with the usage of the verb where it is known."""
    message = error.format_message()
    if as_json:
        _print_json(UsageError(message or "no command is named"))
    if not message:
        return  # a command without arguments: its help is on the screen already
    _print(f"error: {message}")
    if getattr(error, "ctx", None):
        _print("  " + error.ctx.get_usage())
        _print(f"  → {error.ctx.command_path} --help")


def show_internal_error(error: Exception, *, as_json: bool) -> None:
    """Print a mistake of this program's own, without a traceback."""
    if as_json:
        problem = BuildtoolError(f"{type(error).__name__}: {error}")
        problem.code = "internal"
        _print_json(problem)
    _print(f"internal error: {type(error).__name__}: {error}")
    _print("  This is a mistake in buildtool, not in your project.")
    _print("  → Please report it, with what BUILDTOOL_DEBUG=1 prints when you run this again.")


def _print_json(error: BuildtoolError) -> None:
    from buildtool.cli.options import print_json  # with typer, which has been loaded for --json

    with contextlib.suppress(OSError):  # the error may be that there is no room for it
        print_json({**error.document, "error": error.as_json()})


def show_repairs() -> None:
    """Tell what this tool has repaired in its own directories."""
    from buildtool.core.own_directory import repairs

    for text in repairs[:SHOWN_REPAIRS]:
        _print(f"repaired: {text}")
    if len(repairs) > SHOWN_REPAIRS:
        _print(f"repaired: … and {len(repairs) - SHOWN_REPAIRS:,} more")
    repairs.clear()


def _print(text: str) -> None:
    with contextlib.suppress(OSError):
        show(text, file=sys.stderr)
