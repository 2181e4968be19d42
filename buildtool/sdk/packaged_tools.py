"""Tools that are usually in Python packages beside buildtool: CMake, Ninja and Conan.

The script around the CMake of its package is slow; its binary is used.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

from buildtool.core.files import value_digest
from buildtool.core.value import Value
from buildtool.project.model import Tool
from buildtool.sdk.program import find_packaged_tool, python_package
from buildtool.sdk.tool_search import (
    NO_REQUIREMENT,
    FoundTool,
    Problem,
    require_usable,
    satisfies,
    search,
    tool_identity,
)

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


OLDEST_CONAN = "2.34"
"""The oldest version that is tested; recipes and lockfiles follow its conventions."""
INSTALL_CONAN = f"Install it beside buildtool: python -m pip install 'conan>={OLDEST_CONAN},<3'"


class Conan(FoundTool, kw_only=True):
    """A found Conan; `where` is the directory of the package."""

    @property
    def command(self) -> tuple[str, ...]:
        """The command: Conan is run as a module, because its program may use another Python."""
        return (sys.executable, "-P", "-m", "conans.conan")


def find_conan() -> Conan:
    """Find the Conan that is installed beside buildtool.

    Raises `ToolMissingError` if there is none, `ToolUnfitError` if it is too old.
    """
    spec = importlib.util.find_spec("conan")
    found = search(
        "Conan",
        default_paths=[Path(place) for place in (spec.submodule_search_locations or ())]
        if spec
        else [],
        probe=_probe_conan,
        install_remedy=INSTALL_CONAN,
    )
    return require_usable("Conan", found)


def _probe_conan(package: Path) -> Conan | None:
    installed = python_package("conan")
    if not installed or not (package / "__init__.py").is_file():
        return None
    version = installed.version
    problems: tuple[Problem, ...] = ()
    if not satisfies(version, f">={OLDEST_CONAN}"):
        problems = (Problem(f"version {version} is older than {OLDEST_CONAN}", INSTALL_CONAN),)
    return Conan(
        where=package,
        version=version,
        identity=tool_identity("conan", version, {}),
        problems=problems,
    )
