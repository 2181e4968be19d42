"""Ninja from its PyPI package."""

from __future__ import annotations

from pathlib import Path

from buildtool.project.model import Tool
from buildtool.sdk.found import ANY, Found, Problem, identity, numbers, search
from buildtool.sdk.program import Packaged, install, packaged, packaged_or_on_path, version_of

OLDEST = (1, 13)
"""The first that shares a budget of jobs with others."""


class Ninja(Found):
    """A found Ninja; `where` is the program."""

    __slots__ = ()


def find_ninja(wish: Tool = ANY) -> Ninja:
    """The Ninja that [tool.ninja] path names, else that of the Python package `ninja`; one on PATH
    only when there is no such package, or not in the version that the project asks for.

    Raises `ToolMissingError`, and `ToolUnfitError` when the project asks for another version.
    """
    own = packaged("ninja")
    return search(
        "Ninja",
        wish=wish,
        variables=(),
        usual=packaged_or_on_path("ninja", own, wish),
        look=lambda program: _look(program, own),
        install=install("ninja", wish),
    )


def _look(program: Path, own: Packaged | None) -> Ninja | None:
    if not program.is_file():
        return None
    problems: tuple[Problem, ...] = ()
    if own and program == own.program:
        version = own.version
    else:
        version, problems = version_of(program, "--version", pattern=r"^(\d+\.\d[\w.-]{0,40})")
    if version and numbers(version) < OLDEST:
        oldest = ".".join(map(str, OLDEST))
        text = f"version {version} is older than {oldest}: it does not share jobs with others"
        problems += (Problem(text, install("ninja")),)
    return Ninja(
        where=program,
        version=version or "unknown",
        identity=identity("ninja", version, {"ninja": program}),
        problems=problems,
    )
