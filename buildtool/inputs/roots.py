"""Paths that differ between machines and clones, by name: `{project}/src/a.c`.

What is kept or shared says where a file is without saying where the clone is.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path

from buildtool.core.errors import BuildtoolError

_NAME = r"[a-z][a-z0-9_.-]*"


class RootError(BuildtoolError):
    """A path is given by a root that this build does not have."""

    code = "root"


class Roots:
    """Directories by name, `places`; where one lies in another, the longest wins.

    Names are lower-case words, directories absolute.  Raises `ValueError` for others.
    """

    def __init__(self, places: Mapping[str, Path]) -> None:
        named = {name: os.path.normpath(place) for name, place in places.items()}
        for name, place in named.items():
            if not re.fullmatch(_NAME, name) or not place.startswith("/"):
                raise ValueError(f"no root: {name!r} at {place!r}")
        self.places = places
        # Of two names for one directory the first in the alphabet: the same one on every machine.
        rows = sorted(named.items(), key=lambda row: (-len(row[1]), row[0]))
        self._longest_first = tuple((place, f"{{{name}}}") for name, place in rows)
        self._by_name = {f"{{{name}}}": place for name, place in named.items()}

    def named(self, path: str | Path) -> str:
        """`{root}/rest` of an absolute path; the path itself where it lies below no root.

        Nothing is looked up: `..` and links in `path` are the caller's to resolve.
        """
        text = path if type(path) is str else str(path)
        for place, name in self._longest_first:
            if text.startswith(place) and (len(text) == len(place) or text[len(place)] == "/"):
                return name + text[len(place) :]
        return text

    def at(self, name: str) -> str:
        """The path that `named` gave this name, as text; raises `RootError`."""
        if name.startswith("/"):
            return name
        root, slash, rest = name.partition("/")
        try:
            return self._by_name[root] + slash + rest
        except KeyError:
            raise RootError(
                f"{name!r} is at no place that this build knows",
                why=f"it knows {', '.join(self._by_name)}",
                remedy="Clear the cache that this comes from: buildtool cache clear",
            ) from None

    def placed(self, name: str) -> Path:
        """`at`, as a path."""
        return Path(self.at(name))
