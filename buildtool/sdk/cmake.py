"""CMake from its PyPI package: the binary inside, not the slow script around it."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from buildtool.core.files import value_digest
from buildtool.project.model import Tool
from buildtool.sdk.found import ANY, Found, Problem, identity, numbers, search, sound
from buildtool.sdk.ninja import find_ninja
from buildtool.sdk.program import Packaged, install, packaged, packaged_or_on_path, version_of

OLDEST = (3, 22)
"""What this project's CMake modules ask for."""


class CMakeProgram(Found):
    """A found CMake; `where` is the program.  Its identity leaves out its modules, which are those
    of its version."""

    __slots__ = ()


class CMake(NamedTuple):
    """A CMake with the Ninja that it drives: the programs, CMake's version, a digest of both."""

    program: Path
    ninja: Path
    version: str
    identity: str


def find_cmake(wish: Tool = ANY, ninja_wish: Tool = ANY) -> CMake:
    """The CMake and the Ninja that builds are driven with.

    Raises `ToolMissingError`, and `ToolUnfitError` when one cannot be used.
    """
    cmake = sound("the CMake", find_cmake_program(wish))
    ninja = sound("the Ninja", find_ninja(ninja_wish))
    both = value_digest([cmake.identity, ninja.identity])
    return CMake(cmake.where, ninja.where, cmake.version, both)


def find_cmake_program(wish: Tool = ANY) -> CMakeProgram:
    """The CMake that [tool.cmake] path names, else that of the Python package `cmake`; one on PATH
    only when there is no such package, or not in the version that the project asks for.

    Raises `ToolMissingError`, and `ToolUnfitError` when the project asks for another version.
    """
    own = packaged("cmake")
    return search(
        "CMake",
        wish=wish,
        variables=(),
        usual=packaged_or_on_path("cmake", own, wish),
        look=lambda program: _look(program, own),
        install=install("cmake", wish),
    )


def _look(program: Path, own: Packaged | None) -> CMakeProgram | None:
    if not program.is_file():
        return None
    problems: tuple[Problem, ...] = ()
    if own and program == own.program:
        version = own.version
    else:
        version, problems = version_of(
            program, "--version", pattern=r"^cmake version (\d[\w.-]{0,40})"
        )
    if version and numbers(version) < OLDEST:
        oldest = ".".join(map(str, OLDEST))
        problems += (Problem(f"version {version} is older than {oldest}", install("cmake")),)
    return CMakeProgram(
        where=program,
        version=version or "unknown",
        identity=identity("cmake", version, {"cmake": program}),
        problems=problems,
    )
