"""zig from the PyPI package `ziglang`: clang and LLD for aarch64 Linux and Hexagon."""

from __future__ import annotations

import importlib.metadata
import importlib.util
from dataclasses import dataclass
from pathlib import Path

from buildtool.core.errors import BuildtoolError


class ToolMissingError(BuildtoolError):
    """A tool that the project needs is not on this machine."""

    code = "tool-missing"


@dataclass(frozen=True, slots=True)
class Zig:
    """A found zig: its program, its version, and its library directory (headers, libc sources)."""

    program: Path
    version: str

    @property
    def library(self) -> Path:
        return self.program.parent / "lib"

    @property
    def identity(self) -> str:
        """What of this tool shapes the output: PyPI wheels of one version are immutable."""
        return f"ziglang {self.version}"


def find_zig() -> Zig:
    """The zig of the `ziglang` package beside this one.

    Raises `ToolMissingError` when the package is not installed or lacks its program.
    """
    spec = importlib.util.find_spec("ziglang")
    places = list(spec.submodule_search_locations or ()) if spec else []
    for place in places:
        program = Path(place, "zig")
        if program.is_file():
            return Zig(program, importlib.metadata.version("ziglang"))
    raise ToolMissingError(
        "zig was not found",
        why=f"looked for the Python package 'ziglang' in {', '.join(places) or 'sys.path'}",
        remedy="Install it beside buildtool: python -m pip install 'ziglang==0.17.0'",
    )
