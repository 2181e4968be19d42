"""Prints texts for people, with control characters written out, texts for programs, and errors."""

from __future__ import annotations

import contextlib
import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from buildtool.core.errors import BuildtoolError, UsageError
from buildtool.core.escape import escape
from buildtool.core.files import with_path_in_errors

if TYPE_CHECKING:
    from buildtool.documents.builds import ErrorDocument

SCHEMA = 1
"""The schema number of all documents; it changes when a key is removed or changes its meaning
(docs/json.md)."""


def show(text: object = "", *, end: str = "\n", file: TextIO | None = None) -> None:
    """Print `text` with control characters written out; see `core.escape`."""
    write(escape(str(text)) + end, file)


def write(text: str, file: TextIO | None = None) -> None:
    """Print `text` exactly as it is: for programs, or text with escape sequences for colours.

    Raises `OSError` with the name of the stream.
    """
    stream = sys.stdout if file is None else file
    with with_path_in_errors("standard error" if stream is sys.stderr else "standard output"):
        stream.write(text)


def shows_colours(stream: TextIO) -> bool:
    """Whether `stream` is a terminal on which colours are wanted; see no-color.org."""
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return not plain and stream.isatty()


def place(device: str, soc: str, arch: str) -> str:
    """A device as results name it: `sim SM8750 (v79)`; what is unknown is left out."""
    return " ".join(filter(None, (device, soc, arch and f"({arch})")))


def show_files(directory: Path) -> None:
    """Print the files below `directory` with their sizes, and the links."""
    for path in sorted(directory.rglob("*")):
        name = str(path.relative_to(directory))
        if path.is_symlink():
            show(f"{name} -> {path.readlink()}")
        elif path.is_file():
            show(f"{name:<44} {path.stat().st_size:>12,} B")


def show_json(value: Any) -> None:
    """Print `value` as JSON."""
    write(json.dumps(value, indent=2) + "\n")


def print_json(document: Mapping[str, object]) -> None:
    """Print the JSON document of a command, with the number of its schema."""
    show_json({"schema": SCHEMA, **document})


def flush() -> None:
    """Write out what is still buffered for standard output; raises as `write` does."""
    with with_path_in_errors("standard output"):
        sys.stdout.flush()


def discard_output() -> None:
    """Discard what is still buffered for standard output: Python would fail to write it at exit."""
    with Path(os.devnull).open("wb") as null, contextlib.suppress(OSError):
        os.dup2(null.fileno(), sys.stdout.fileno())


def show_error(error: BuildtoolError, *, as_json: bool) -> None:
    """Print `error` on standard error; with `as_json` also as the JSON document on stdout."""
    if as_json:
        _print_json(error)
    _print(error_text(error))


def as_error(error: BuildtoolError | OSError) -> BuildtoolError:
    """The error that is shown to users for `error`."""
    if isinstance(error, BuildtoolError):
        return error
    from buildtool.core.trees import as_unwritable_error

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
