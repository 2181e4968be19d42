"""Print for people: no name in the text can drive their terminal."""

from __future__ import annotations

import contextlib
import json
import os
import sys
from pathlib import Path
from typing import Any, TextIO

from buildtool.core.escape import escape
from buildtool.core.files import with_path_in_errors


def show(text: object = "", *, end: str = "\n", file: TextIO | None = None) -> None:
    """Print `text` with control characters written out; see `core.escape`."""
    write(escape(str(text)) + end, file)


def write(text: str, file: TextIO | None = None) -> None:
    """Print `text` exactly as it is: for programs, or with colours of our own.

    Raises `OSError` that names the stream.
    """
    stream = sys.stdout if file is None else file
    with with_path_in_errors("standard error" if stream is sys.stderr else "standard output"):
        stream.write(text)


def show_json(value: Any) -> None:
    """Print the one JSON document of a verb."""
    write(json.dumps(value, indent=2) + "\n")


def flush() -> None:
    """Print what is still kept back; raises as `write`."""
    with with_path_in_errors("standard output"):
        sys.stdout.flush()


def give_up() -> None:
    """Take what is still to be printed as printed: Python would complain once more at exit."""
    with Path(os.devnull).open("wb") as nowhere, contextlib.suppress(OSError):
        os.dup2(nowhere.fileno(), sys.stdout.fileno())
