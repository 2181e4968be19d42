"""CMake from its PyPI package: the binary inside, not the slow script around it."""

from __future__ import annotations

from pathlib import Path

from buildtool.core.files import value_digest
from buildtool.core.value import Value
from buildtool.project.model import Tool
from buildtool.sdk.ninja import find_ninja
from buildtool.sdk.program import find_packaged_tool
from buildtool.sdk.tool_search import NO_REQUIREMENT, FoundTool, require_usable

OLDEST = (3, 22)
"""What this project's CMake modules ask for."""


class CMake(Value):
    """A CMake with the Ninja that it drives: the programs, CMake's version, a digest of both."""

    program: Path
    ninja: Path
    version: str
    identity: str


def find_cmake(
    requirement: Tool = NO_REQUIREMENT, ninja_requirement: Tool = NO_REQUIREMENT
) -> CMake:
    """The CMake and the Ninja that builds are driven with.

    Raises `ToolMissingError`, and `ToolUnfitError` when one cannot be used.
    """
    cmake = require_usable("the CMake", find_cmake_program(requirement))
    ninja = require_usable("the Ninja", find_ninja(ninja_requirement))
    both = value_digest([cmake.identity, ninja.identity])
    return CMake(cmake.where, ninja.where, cmake.version, both)


def find_cmake_program(requirement: Tool = NO_REQUIREMENT) -> FoundTool:
    """The CMake itself; found and raises as `find_packaged_tool` says.

    Its identity leaves out its modules, which are those of its version.
    """
    pattern = r"^cmake version (\d[\w.-]{0,40})"
    return find_packaged_tool("CMake", "cmake", requirement, pattern=pattern, oldest=OLDEST)
