"""The properties of found tools, and the order in which tools are searched for.

The search has three sources: the tool's customary environment variables, the path in the project
file, and default paths.  The first two are binding: a tool that they name must exist.  Among the
default paths the newest version that the project accepts is used; usable tools are preferred to
broken ones.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from buildtool.core.errors import BuildtoolError
from buildtool.core.files import cached_digest, value_digest
from buildtool.core.safe_path import check_path, misread
from buildtool.core.value import Value
from buildtool.project.model import Tool


class ToolMissingError(BuildtoolError):
    """A required tool is not installed on this machine."""

    code = "tool-missing"


class NamedToolMissingError(ToolMissingError):
    """An environment variable or the project file names a tool that does not exist."""


class ToolUnfitError(BuildtoolError):
    """A tool was found, but it has the wrong version or lacks a part."""

    code = "tool-unfit"


class Problem(Value):
    """A defect of a found tool, and what to do about it."""

    text: str
    remedy: str


class FoundTool(Value, kw_only=True):
    """A found tool."""

    where: Path  # the program, or the root directory of an SDK
    version: str
    identity: str  # a digest of everything that affects the tool's output
    problems: tuple[Problem, ...] = ()

    @property
    def usable(self) -> bool:
        """Whether the tool works despite its problems."""
        return not self.problems


NO_REQUIREMENT = Tool()
"""The requirement of a project that does not mention the tool."""

AnyTool = TypeVar("AnyTool", bound=FoundTool)


def search(
    what: str,
    *,
    default_paths: Iterable[Path],
    probe: Callable[[Path], AnyTool | None],
    install_remedy: str,
    requirement: Tool = NO_REQUIREMENT,
    variables: Sequence[str] = (),
    version_remedy: str = "",
) -> AnyTool:
    """Find the tool called `what` ("the Hexagon SDK") in the order described in this module.

    `probe` returns the tool at a path, or None.  `install_remedy` is the remedy when no tool is
    found, `version_remedy` the remedy when only other versions are found.

    Raises `ToolMissingError` when nothing is found, `NamedToolMissingError` when an environment
    variable or the project file names a path without the tool, `ToolUnfitError` when the version
    is unknown or not the required one, and `UnsafePathError` when other tools would misread the
    path.  A tool at an unsafe path is not started.
    """
    places = list(dict.fromkeys(default_paths))
    default_paths = [path for path in places if not misread(path)]
    for source, path in _named_paths(requirement, variables):
        check_path(path, what, f"Set {source} to a path without it.")
        found = probe(path)
        if not found:
            raise NamedToolMissingError(
                f"{source} names {path}, but {what} was not found there",
                why="a named path is binding: the default paths are not searched",
                remedy=f"Correct {source}, or remove it to search the default paths.",
            )
        if not satisfies(found.version, requirement.version):
            if _has_no_version(found):
                require_usable(what, found)
            others = [other for other in map(probe, default_paths) if other]
            suitable = _newest(others, requirement)
            raise ToolUnfitError(
                f"{what} {found.version} does not satisfy the project's requirement"
                f" {requirement.version!r}",
                why=f"{source} names it: {found.where}",
                remedy=f"Version {suitable.version} is in {suitable.where}: set {source} to that"
                " path, or remove it."
                if suitable
                else f"Set {source} to another path, or change 'version' in buildtool.toml.",
            )
        return found
    found_tools = [found for found in map(probe, default_paths) if found]
    if suitable := _newest(found_tools, requirement):
        return suitable
    if found_tools:
        if all(map(_has_no_version, found_tools)):
            require_usable(what, found_tools[0])
        raise ToolUnfitError(
            f"the project requires {what} {requirement.version!r}, which was not found",
            why="found: " + ", ".join(f"{tool.version} in {tool.where}" for tool in found_tools),
            remedy=version_remedy
            or f"Change 'version' in buildtool.toml, or install {what} {requirement.version}.",
        )
    for path in filter(Path.exists, places):
        check_path(path, what)
    where = [f"${variable} (not set)" for variable in variables] + [str(path) for path in places]
    raise ToolMissingError(
        f"{what} was not found",
        why=f"searched: {', '.join(where)}" if where else "there is no default path",
        remedy=install_remedy,
    )


def require_usable(what: str, tool: AnyTool) -> AnyTool:
    """Return `tool` if it has no problems; raises `ToolUnfitError` otherwise."""
    for problem in tool.problems:
        raise ToolUnfitError(
            f"{what} in {tool.where} cannot be used: {problem.text}",
            why="; ".join(other.text for other in tool.problems[1:]),
            remedy=problem.remedy,
        )
    return tool


COMPILER_LAUNCHERS = ("ccache", "distcc", "icecc", "sccache")
"""Programs that act as a compiler through links with its name.  Distributions put a directory of
such links first on PATH."""


def programs_on_path(*names: str) -> list[Path]:
    """The first program on PATH for each of `names`; missing ones are left out.

    Compiler launchers are skipped: the compiler behind such a link can change unnoticed.
    """
    found = (_program_on_path(name) for name in names)
    return [path for path in found if path]


def _program_on_path(name: str) -> Path | None:
    # shutil.which does the same, but importing shutil takes as long as searching ten times.
    for folder in os.environ.get("PATH", os.defpath).split(os.pathsep):
        path = Path(folder, name)
        if not folder or not os.access(path, os.X_OK) or not path.is_file():
            continue
        if path.resolve().name not in COMPILER_LAUNCHERS:
            return path.absolute()
    return None


def satisfies(version: str, wanted: str) -> bool:
    """Whether `version` is as required: "6.4" means any 6.4.x, ">=6.4" that version or newer."""
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
    """A digest of a tool: name, version, and the content of the files that affect its output.

    Paths and timestamps are not included, so a tool that is moved or touched keeps its identity.
    Raises `OSError` when a file cannot be read.
    """
    digests = {name: cached_digest(path) for name, path in files.items()}
    return value_digest({"tool": tool, "version": version, "files": digests})


def _named_paths(requirement: Tool, variables: Sequence[str]) -> Iterable[tuple[str, Path]]:
    """The paths that environment variables and the project file name, with what names them."""
    for variable in variables:
        if value := os.environ.get(variable):
            yield variable, Path(value).absolute()
    if requirement.path:
        yield "'path' in buildtool.toml", Path(requirement.path)


def _has_no_version(tool: FoundTool) -> bool:
    """Whether the tool is so broken that its version is unknown; the error then names the fault."""
    return not version_numbers(tool.version) and not tool.usable


def _newest(tools: Iterable[AnyTool], requirement: Tool) -> AnyTool | None:
    suitable = [tool for tool in tools if satisfies(tool.version, requirement.version)]
    return max(
        suitable, key=lambda tool: (tool.usable, version_numbers(tool.version)), default=None
    )
