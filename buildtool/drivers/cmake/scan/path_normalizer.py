"""Normalize paths without changing which file they name: `a/./b`, `a//b` → `a/b`.

`a/c/../b` becomes `a/b` too, unless `c` is a symlink: then `..` leads to the parent of its target.
"""

from __future__ import annotations

import os

from buildtool.core.value import Value


class NormalizedPath(Value):
    """A path without `.` and empty parts, and with `..` only after a symlink.

    `missing_directory` is a directory before a `..` that does not exist: as long as it is missing,
    the path that was normalized names nothing.  Else "".
    """

    path: str
    missing_directory: str = ""


class PathNormalizer:
    """Normalizes absolute paths; looks at each directory once."""

    def __init__(self) -> None:
        self._directories: dict[str, NormalizedPath] = {}

    def normalize(self, path: str) -> NormalizedPath:
        directory, _, name = path.rpartition("/")
        if name in ("", ".", ".."):
            directory, name = path, ""
        parent = self._directories.get(directory)
        if parent is None:
            parent = self._directories[directory] = _normalize_directory(directory)
        path = f"{parent.path}/{name}" if name else parent.path or "/"
        return NormalizedPath(path, parent.missing_directory)

    def path(self, path: str) -> str:
        """The `NormalizedPath.path` of `path`."""
        return self.normalize(path).path


def _normalize_directory(directory: str) -> NormalizedPath:
    """The normalized path of a directory, "" for the root."""
    if "/.." not in directory:
        path = os.path.normpath(directory).strip("/")
        return NormalizedPath(f"/{path}" if path not in ("", ".") else "")
    path = missing = ""
    for part in directory.split("/"):
        if part in ("", "."):
            continue
        if part != "..":
            path += f"/{part}"
        elif path.endswith("/..") or os.path.islink(path):  # noqa: PTH114
            path += "/.."
        else:
            if path and not missing and not os.path.isdir(path):  # noqa: PTH112
                missing = path
            path = path.rpartition("/")[0]
    return NormalizedPath(path, missing)
