"""Names for paths that differ between machines and clones: `{project}/src/a.c`.

Records and caches contain such names, so that they are valid wherever the clone is.  Files above
the project move with the clone too: `{parent1}` is the directory that the project is in,
`{parent2}` the one above that.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from buildtool.core.errors import BuildtoolError

_NAME = r"[a-z][a-z0-9_.-]*"


class RootError(BuildtoolError):
    """A name starts with a root that this build does not have."""

    code = "root"


class Roots:
    """Directories by name.  A path below several of them is named by the longest one.

    Names are lower-case words, directories absolute; raises `ValueError` for others.  `parents` are
    the directories above the project, the nearest first: they name paths and are not among the
    `directories`, whose paths are replaced in texts, because texts name them for other reasons.
    Hidden files of `home` belong to the user and not to a clone, so they keep their paths.
    """

    def __init__(
        self, directories: Mapping[str, Path], parents: Sequence[str] = (), home: str = ""
    ) -> None:
        paths = {name: os.path.normpath(path) for name, path in directories.items()}
        for name, path in paths.items():
            if not re.fullmatch(_NAME, name) or not path.startswith("/"):
                raise ValueError(f"invalid root {name!r} at {path!r}")
        self.directories = directories
        self.parents = {f"parent{level}": path for level, path in enumerate(parents, 1)}
        self.home = home
        # A directory with several names gets the first one in alphabetical order on every machine,
        # and that of a parent only without any other.
        rows = sorted(paths.items(), key=lambda row: (-len(row[1]), row[0]))
        rows = sorted([*rows, *self.parents.items()], key=lambda row: -len(row[1]))
        self._longest_first = tuple((path, f"{{{name}}}") for name, path in rows)
        self._by_name = {f"{{{name}}}": path for name, path in rows}

    def name_of(self, path: str | Path) -> str:
        """`{root}/rest` for an absolute path; the path itself if it is below no root.

        This only compares text: callers resolve `..` and symlinks.
        """
        text = path if type(path) is str else str(path)
        for root, name in self._longest_first:
            if text.startswith(root) and (len(text) == len(root) or text[len(root)] == "/"):
                if root == self.home and text.startswith("/.", len(root)):
                    return text
                return name + text[len(root) :]
        return text

    def is_parent(self, name: str) -> bool:
        """Whether the name starts with a directory above the project."""
        return name.startswith("{parent") and name.partition("/")[0][1:-1] in self.parents

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


def shown(text: str) -> str:
    """`text` with the names of paths in it as people write them: relative to the project."""
    text = text.replace("{project}/", "")
    return re.sub(r"\{parent(\d{1,3})\}", lambda found: "/".join([".."] * int(found[1])), text)
