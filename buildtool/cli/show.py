"""Printing: for people with control characters written out, for programs exactly as it is."""

from __future__ import annotations

import contextlib
import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TextIO

from buildtool.core.escape import escape
from buildtool.core.files import with_path_in_errors

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
