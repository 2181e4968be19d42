"""zig from the PyPI package `ziglang`: clang and LLD for aarch64 Linux and Hexagon."""

from __future__ import annotations

import importlib.metadata
import importlib.util
from dataclasses import dataclass
from pathlib import Path

from buildtool.project.model import Tool
from buildtool.sdk.found import ANY, Found, identity, search

CLANG_VERSION = "22"  # the clang inside ziglang 0.17; its `zig cc --version` says so


@dataclass(frozen=True, slots=True, kw_only=True)
class Zig(Found):
    """A found zig; `where` is the program.  Its identity leaves out its headers and libc sources,
    which are those of its version."""

    @property
    def library(self) -> Path:
        """The directory of its headers and libc sources."""
        return self.where.parent / "lib"


def find_zig(wish: Tool = ANY) -> Zig:
    """The zig of the `ziglang` package beside this one.

    Raises `ToolMissingError` when the package is not installed or lacks its program,
    `ToolUnfitError` when the project asks for another version.
    """
    spec = importlib.util.find_spec("ziglang")
    places = list(spec.submodule_search_locations or ()) if spec else []
    return search(
        "zig",
        wish=wish,
        variables=(),
        usual=[Path(place, "zig") for place in places],
        look=_look,
        install="Install it beside buildtool: python -m pip install 'ziglang==0.17.0'",
    )


def _look(program: Path) -> Zig | None:
    if not program.is_file():
        return None
    version = importlib.metadata.version("ziglang")
    return Zig(where=program, version=version, identity=identity("zig", version, {"zig": program}))
