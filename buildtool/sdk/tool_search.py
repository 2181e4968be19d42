"""What all found tools have in common, and the order in which they are looked for.

A tool is looked for in three places: the environment variables that are customary for it, the
path in the project file, and the places where it usually lies.  The first two decide: what they
name must be there.  Among the usual places the newest version that the project accepts is taken,
one that can be used before one that is broken.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from buildtool.core.digest_cache import cached_digest
from buildtool.core.errors import BuildtoolError
from buildtool.core.files import value_digest
from buildtool.core.safe_path import check_path, misread
from buildtool.core.value import Value
from buildtool.project.model import Tool


class ToolMissingError(BuildtoolError):
    """A tool that is needed is not on this machine."""

    code = "tool-missing"


class NamedToolMissingError(ToolMissingError):
    """A variable or the project file names a tool, and it is not there."""


class ToolUnfitError(BuildtoolError):
    """A tool was found, but it is of the wrong version or lacks a part."""

    code = "tool-unfit"


class Problem(Value):
    """What is wrong with a found tool, and what to do about it."""

    text: str
    remedy: str


class FoundTool(Value, kw_only=True):
    """A found tool: where it is, which version, a digest of what shapes its output, its faults.

    `where` is the program, or the root directory of an SDK.
    """

    where: Path
    version: str
    identity: str
    problems: tuple[Problem, ...] = ()

    @property
    def usable(self) -> bool:
        """Whether it can be used in spite of its problems."""
        return not self.problems


NO_REQUIREMENT = Tool()
"""What a project asks of a tool that it says nothing about."""

AnyTool = TypeVar("AnyTool", bound=FoundTool)


def search(
    what: str,
    *,
    requirement: Tool,
    variables: Sequence[str],
    default_paths: Iterable[Path],
    probe: Callable[[Path], AnyTool | None],
    install_remedy: str,
    other: str = "",
) -> AnyTool:
    """Find the tool called `what` ("the Hexagon SDK") in the order that this module states.

    `probe` returns the tool at a path, or None; `install_remedy` is what to do when there is
    none, `other` when there is one of another version only.  Raises `ToolMissingError` when it is
    nowhere, `NamedToolMissingError` when it is not where a variable or the project file says;
    `ToolUnfitError` when its version is not the one that the project asks for, or cannot be told;
    `UnsafePathError` when another tool would misread the path that is named, or those of all that
    is found.  Nothing is run there.
    """
    places = list(dict.fromkeys(default_paths))
    default_paths = [path for path in places if not misread(path)]
    for source, path in _named_paths(requirement, variables):
        check_path(path, what, f"Let {source} name one without it in its path.")
        found = probe(path)
        if not found:
            raise NamedToolMissingError(
                f"{source} names {path}, and {what} is not there",
                why="what is named is used or refused; nothing else is tried in its place",
                remedy=f"Correct {source}, or take it away to have the usual places looked in.",
            )
        if not satisfies(found.version, requirement.version):
            if _has_no_version(found):
                require_usable(what, found)
            others = [other for other in map(probe, default_paths) if other]
            suitable = _newest(others, requirement)
            raise ToolUnfitError(
                f"{what} {found.version} is not the one that the project asks for:"
                f" {requirement.version!r}",
                why=f"{source} names it: {found.where}",
                remedy=f"{suitable.version} is at {suitable.where}: let {source} name that, or take"
                " it away."
                if suitable
                else f"Let {source} name another, or change 'version' in buildtool.toml.",
            )
        return found
    everything = [found for found in map(probe, default_paths) if found]
    if suitable := _newest(everything, requirement):
        return suitable
    if everything:
        if all(map(_has_no_version, everything)):
            require_usable(what, everything[0])
        raise ToolUnfitError(
            f"the project asks for {what} {requirement.version!r}, which is not here",
            why="found: " + ", ".join(f"{tool.version} in {tool.where}" for tool in everything),
            remedy=other
            or f"Change 'version' in buildtool.toml, or install {what} {requirement.version}.",
        )
    for path in filter(Path.exists, places):
        check_path(path, what)
    where = [f"${variable} (not set)" for variable in variables] + [str(path) for path in places]
    raise ToolMissingError(
        f"{what} was not found",
        why=f"looked for in: {', '.join(where)}" if where else "no place to look in is known",
        remedy=install_remedy,
    )


def require_usable(what: str, tool: AnyTool) -> AnyTool:
    """`tool`, when nothing is wrong with it; raises `ToolUnfitError` with what is."""
    for problem in tool.problems:
        raise ToolUnfitError(
            f"{what} in {tool.where} cannot be used: {problem.text}",
            why="; ".join(other.text for other in tool.problems[1:]),
            remedy=problem.remedy,
        )
    return tool


LAUNCHERS = ("ccache", "distcc", "icecc", "sccache")
"""Programs that play a compiler by links of its name: distributions put these in front of PATH."""


def programs_on_path(*names: str) -> list[Path]:
    """The first program on PATH for each of `names`; those that are not there are left out.

    Compiler launchers are passed over: behind one link a compiler can change unseen.
    """
    found = (_program_on_path(name) for name in names)
    return [path for path in found if path]


def _program_on_path(name: str) -> Path | None:
    import shutil  # noqa: PLC0415 - most tools are Python packages

    for folder in os.environ.get("PATH", os.defpath).split(os.pathsep):
        path = shutil.which(name, path=folder)
        if path and Path(path).resolve().name not in LAUNCHERS:
            return Path(path).absolute()
    return None


def satisfies(version: str, wanted: str) -> bool:
    """Whether `version` is what a project asks for: "6.4" is any 6.4.x, ">=6.4" that or newer."""
    if not wanted:
        return True
    have, ask = version_numbers(version), version_numbers(wanted)
    if wanted.startswith(">="):
        return have >= ask
    return have[: len(ask)] == ask


def version_numbers(version: str) -> tuple[int, ...]:
    """The numbers of a version, for comparison: "19.0.04" → (19, 0, 4)."""
    return tuple(int(number[:9]) for number in re.findall(r"\d+", version))


def tool_identity(tool: str, version: str, files: Mapping[str, Path]) -> str:
    """A digest of a tool: name, version, and the content of the files that shape its output.

    Paths and time stamps do not count, so a tool that is moved or touched stays the same.
    Raises `OSError` when a file cannot be read.
    """
    digests = {name: cached_digest(path) for name, path in files.items()}
    return value_digest({"tool": tool, "version": version, "files": digests})


def _named_paths(requirement: Tool, variables: Sequence[str]) -> Iterable[tuple[str, Path]]:
    """The places that are named, first the one that decides."""
    for variable in variables:
        if value := os.environ.get(variable):
            yield variable, Path(value).absolute()
    if requirement.path:
        yield "'path' in buildtool.toml", Path(requirement.path)


def _has_no_version(tool: FoundTool) -> bool:
    """Whether the tool is so broken that it has no version: its fault is what to speak of."""
    return not version_numbers(tool.version) and not tool.usable


def _newest(tools: Iterable[AnyTool], requirement: Tool) -> AnyTool | None:
    suitable = [tool for tool in tools if satisfies(tool.version, requirement.version)]
    return max(
        suitable, key=lambda tool: (tool.usable, version_numbers(tool.version)), default=None
    )
