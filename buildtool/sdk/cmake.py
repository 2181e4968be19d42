"""CMake, usually the binary in its PyPI package; the script around it is slow.

Ninja from its PyPI package.
"""

from __future__ import annotations

from pathlib import Path

from buildtool.core.files import value_digest
from buildtool.core.value import Value
from buildtool.project.model import Tool
from buildtool.sdk.program import find_packaged_tool
from buildtool.sdk.tool_search import NO_REQUIREMENT, FoundTool, require_usable

OLDEST_CMAKE = (3, 22)
"""The version that buildtool's CMake modules require."""


class CMake(Value):
    """A CMake and its Ninja: the programs, CMake's version, and a digest of both."""

    program: Path
    ninja: Path
    version: str
    identity: str


def find_cmake(
    requirement: Tool = NO_REQUIREMENT, ninja_requirement: Tool = NO_REQUIREMENT
) -> CMake:
    """Find the CMake and the Ninja for builds.

    Raises `ToolMissingError`, and `ToolUnfitError` when one of them is unusable.
    """
    cmake = require_usable("the CMake", find_cmake_program(requirement))
    ninja = require_usable("the Ninja", find_ninja(ninja_requirement))
    both = value_digest([cmake.identity, ninja.identity])
    return CMake(cmake.where, ninja.where, cmake.version, both)


def find_cmake_program(requirement: Tool = NO_REQUIREMENT) -> FoundTool:
    """Find CMake as `find_packaged_tool` does, with the same errors.

    CMake's modules are not part of its identity: the version determines them.
    """
    pattern = r"^cmake version (\d[\w.-]{0,40})"
    return find_packaged_tool("CMake", "cmake", requirement, pattern=pattern, oldest=OLDEST_CMAKE)


OLDEST_NINJA = (1, 13)
"""The first version that supports the GNU make jobserver, by which steps share job slots."""


def find_ninja(requirement: Tool = NO_REQUIREMENT) -> FoundTool:
    """Find Ninja as `find_packaged_tool` does, with the same errors."""
    pattern, why = r"^(\d+\.\d[\w.-]{0,40})", ", which has no jobserver support"
    return find_packaged_tool(
        "Ninja", "ninja", requirement, pattern=pattern, oldest=OLDEST_NINJA, why=why
    )
