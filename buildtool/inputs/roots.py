"""Names for paths that differ between machines and clones: `{project}/src/a.c`.

Records and caches contain such names, so that they are valid wherever the clone is.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path

from buildtool.core.errors import BuildtoolError

_NAME = r"[a-z][a-z0-9_.-]*"


class RootError(BuildtoolError):
    """A name starts with a root that this build does not have."""

    code = "root"


class Roots:
    """Directories by name.  A path below several of them is named by the longest one.

    Names are lower-case words, directories absolute; raises `ValueError` for others.
    """

    def __init__(self, directories: Mapping[str, Path]) -> None:
        paths = {name: os.path.normpath(path) for name, path in directories.items()}
        for name, path in paths.items():
            if not re.fullmatch(_NAME, name) or not path.startswith("/"):
                raise ValueError(f"invalid root {name!r} at {path!r}")
        self.directories = directories
        # A directory with several names gets the first one in alphabetical order on every machine.
        rows = sorted(paths.items(), key=lambda row: (-len(row[1]), row[0]))
        self._longest_first = tuple((path, f"{{{name}}}") for name, path in rows)
        self._by_name = {f"{{{name}}}": path for name, path in paths.items()}

    def name_of(self, path: str | Path) -> str:
        """`{root}/rest` for an absolute path; the path itself if it is below no root.

        This only compares text: callers resolve `..` and symlinks.
        """
        text = path if type(path) is str else str(path)
        for root, name in self._longest_first:
            if text.startswith(root) and (len(text) == len(root) or text[len(root)] == "/"):
                return name + text[len(root) :]
        return text

    def path_of(self, name: str) -> str:
        """The path with this name: the inverse of `name_of`.  Raises `RootError`."""
        if name.startswith("/"):
            return name
        root, slash, rest = name.partition("/")
        try:
            return self._by_name[root] + slash + rest
        except KeyError:
            raise RootError(
                f"unknown root in {name!r}",
                why=f"this build has {', '.join(self._by_name)}",
                remedy="Clear the cache that this comes from: buildtool cache clear",
            ) from None
