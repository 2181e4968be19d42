"""Programs: which version they tell, whether they run here, those that Python packages bring."""

from __future__ import annotations

import os
import re
from pathlib import Path

from buildtool.core.value import Value
from buildtool.project.model import Tool
from buildtool.sdk.python_package import python_package
from buildtool.sdk.tool_search import (
    FoundTool,
    Problem,
    programs_on_path,
    satisfies,
    search,
    tool_identity,
    version_numbers,
)

TIMEOUT = 10.0  # seconds; a version is told in some milliseconds
MAX_LINES = 200
BINFMT = Path("/proc/sys/fs/binfmt_misc")
_ELF_MACHINES = {62: "x86_64", 183: "aarch64"}  # e_machine → as platform.machine() says it


def probe_version(program: Path, *question: str, pattern: str) -> tuple[str, tuple[Problem, ...]]:
    """What `program` says of its version when asked `question`: the first group of `pattern`.

    When it cannot be asked or says something else, the version is empty and the problem is told.
    """
    from buildtool.core.process import ToolError, capture  # noqa: PLC0415 - most tell by files

    lines: list[str] = []

    def listen(line: str) -> None:
        lines.append(line)
        if len(lines) > MAX_LINES:
            raise ToolError(f"{program.name} does not stop talking")

    environment = {**os.environ, "LC_ALL": "C"}
    try:
        capture([program, *question], env=environment, timeout=TIMEOUT, on_line=listen)
    except ToolError as error:
        return "", (
            Problem(f"it cannot be asked: {error.message}", error.remedy or _run_it_yourself()),
        )
    answer = re.search(pattern, "\n".join(lines), re.MULTILINE)
    if answer:
        return answer[1], ()
    shown = lines[0][:80] if lines else "nothing"
    return "", (Problem(f"it does not tell its version, but: {shown}", _run_it_yourself()),)


class PackagedProgram(Value):
    """The program that a Python package of the same name brings, and the version of both."""

    program: Path
    version: str


def packaged_program(package: str) -> PackagedProgram | None:
    """The program `package` of the Python package of that name, if that is installed."""
    found = python_package(package)
    program = found.program(package) if found else None
    return PackagedProgram(program, found.version) if found and program else None


def find_packaged_tool(
    title: str,
    package: str,
    requirement: Tool,
    *,
    pattern: str,
    oldest: tuple[int, ...],
    why: str = "",
) -> FoundTool:
    """The program `package` that [tool.`package`] path names, else that of the Python package; one
    on PATH only when there is no such package, or not in the version that the project asks for:
    what is on PATH differs from machine to machine.

    `pattern` finds the version in what it says to --version; `why` tells what ones before `oldest`
    lack.  Raises `ToolMissingError`, and `ToolUnfitError` when the project asks for another one.
    """
    own = packaged_program(package)

    def probe(program: Path) -> FoundTool | None:
        if not program.is_file():
            return None
        problems: tuple[Problem, ...] = ()
        if own and program == own.program:
            version = own.version
        else:
            version, problems = probe_version(program, "--version", pattern=pattern)
        if version and version_numbers(version) < oldest:
            text = f"version {version} is older than {'.'.join(map(str, oldest))}{why}"
            problems += (Problem(text, _install(package, oldest)),)
        return FoundTool(
            where=program,
            version=version or "unknown",
            identity=tool_identity(package, version, {package: program}),
            problems=problems,
        )

    default_paths = [own.program] if own else []
    if not own or not satisfies(own.version, requirement.version):
        default_paths += programs_on_path(package)
    return search(
        title,
        requirement=requirement,
        variables=(),
        default_paths=default_paths,
        probe=probe,
        install_remedy=_install(package, oldest),
        other=f"Put one of that version on PATH, or name it with 'path' in [tool.{package}] of"
        " buildtool.toml; or change 'version' there.",
    )


def _install(package: str, oldest: tuple[int, ...]) -> str:
    """How the Python package is installed; an older one that is there is replaced."""
    version = ".".join(map(str, oldest))
    return f"Install it beside buildtool: python -m pip install '{package}>={version}'"


def foreign_machine(head: bytes) -> str:
    """The machine that a program is made for, by its first 20 bytes, when it cannot run here.

    "" for one of this machine, for one that an emulator runs which the kernel knows (binfmt_misc),
    and for scripts.
    """
    if not head.startswith(b"\x7fELF"):
        return ""
    import platform  # noqa: PLC0415 - most have no foreign programs

    machine = _ELF_MACHINES.get(int.from_bytes(head[18:20], "little"), "another machine")
    if machine == platform.machine():
        return ""
    names = [entry.name.lower().replace("-", "_") for entry in BINFMT.glob("*")]
    return "" if any(machine in name or "rosetta" in name for name in names) else machine


def _run_it_yourself() -> str:
    return "Run it by hand to see what it is; name another with 'path' in buildtool.toml."
