"""The files that this process reads and the directories that it lists."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator

_watching: list[list[str]] = []


def _note(event: str, arguments: tuple[object, ...]) -> None:
    if not _watching or event not in {"open", "os.scandir"}:
        return
    path = arguments[0]
    is_read = event == "os.scandir" or arguments[1] is not None  # None for os.open()
    if is_read and isinstance(path, (str, bytes, os.PathLike)):
        name = os.fsdecode(path)
        if not name.endswith((".py", ".pyc")):  # otherwise Python imports a module
            for opened in _watching:
                opened.append(name)


@contextlib.contextmanager
def opened_files() -> Iterator[list[str]]:
    """Collect the paths that are passed to open() and os.scandir() in a list."""
    opened: list[str] = []
    _watching.append(opened)
    try:
        yield opened
    finally:
        _watching.remove(opened)


sys.addaudithook(_note)  # an audit hook cannot be removed
