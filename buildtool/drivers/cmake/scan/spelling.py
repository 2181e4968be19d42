"""Spellings of a path: `a/./b`, `a//b` and, unless `c` is a link, `a/c/../b` are all `a/b`."""

from __future__ import annotations

import os

from buildtool.core.value import Value


class Place(Value):
    """Where a path leads: `path` has no `.`, no empty parts, and `..` only after a link, since the
    link decides where that is.  `obstacle` is the directory before a `..` that is missing, so that
    the path leads nowhere as long as it is; else "".
    """

    path: str
    obstacle: str = ""


class Spellings:
    """Resolves absolute paths as the system does, each directory once."""

    def __init__(self) -> None:
        self._known: dict[str, Place] = {}

    def place(self, path: str) -> Place:
        """Where `path` leads."""
        directory, _, name = path.rpartition("/")
        if name in ("", ".", ".."):
            directory, name = path, ""
        known = self._known.get(directory)
        if known is None:
            known = self._known[directory] = _resolved(directory)
        path = f"{known.path}/{name}" if name else known.path or "/"
        return Place(path, known.obstacle)

    def tidy(self, path: str) -> str:
        """The `Place.path` of `path`."""
        return self.place(path).path


def _resolved(directory: str) -> Place:
    """The place of a directory; its path is "" for the root."""
    if "/.." not in directory:
        path = os.path.normpath(directory).strip("/")
        return Place(f"/{path}" if path not in ("", ".") else "")
    path = obstacle = ""
    for part in directory.split("/"):
        if part in ("", "."):
            continue
        if part != "..":
            path += f"/{part}"
        elif path.endswith("/..") or os.path.islink(path):  # noqa: PTH114
            path += "/.."
        else:
            if path and not obstacle and not os.path.isdir(path):  # noqa: PTH112
                obstacle = path
            path = path.rpartition("/")[0]
    return Place(path, obstacle)
