"""Programs: which version they tell, whether they run here, those that Python packages bring."""

from __future__ import annotations

import os
import re
from pathlib import Path

from buildtool.core.value import Value
from buildtool.project.model import Tool
from buildtool.sdk.python_package import python_package
from buildtool.sdk.tool_search import (
    Found,
    Problem,
    identity,
    numbers,
    programs,
    satisfies,
    search,
)

PATIENCE = 10.0  # seconds; a version is told in some milliseconds
MAX_LINES = 200
BINFMT = Path("/proc/sys/fs/binfmt_misc")
_ELF_MACHINES = {62: "x86_64", 183: "aarch64"}  # e_machine → as platform.machine() says it


def version_of(program: Path, *question: str, pattern: str) -> tuple[str, tuple[Problem, ...]]:
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
        capture([program, *question], env=environment, timeout=PATIENCE, on_line=listen)
    except ToolError as error:
        return "", (Problem(f"it cannot be asked: {error.message}", error.remedy or _by_hand()),)
    said = re.search(pattern, "\n".join(lines), re.MULTILINE)
    if said:
        return said[1], ()
    shown = lines[0][:80] if lines else "nothing"
    return "", (Problem(f"it does not tell its version, but: {shown}", _by_hand()),)


class Packaged(Value):
    """The program that a Python package of the same name brings, and the version of both."""

    program: Path
    version: str


def packaged(package: str) -> Packaged | None:
    """The program `package` of the Python package of that name, if that is installed."""
    found = python_package(package)
    program = found.program(package) if found else None
    return Packaged(program, found.version) if found and program else None


def find_packaged(
    title: str, package: str, wish: Tool, *, pattern: str, oldest: tuple[int, ...], why: str = ""
) -> Found:
    """The program `package` that [tool.`package`] path names, else that of the Python package; one
    on PATH only when there is no such package, or not in the version that the project asks for:
    what is on PATH differs from machine to machine.

    `pattern` finds the version in what it says to --version; `why` tells what ones before `oldest`
    lack.  Raises `ToolMissingError`, and `ToolUnfitError` when the project asks for another one.
    """
    own = packaged(package)

    def look(program: Path) -> Found | None:
        if not program.is_file():
            return None
        problems: tuple[Problem, ...] = ()
        if own and program == own.program:
            version = own.version
        else:
            version, problems = version_of(program, "--version", pattern=pattern)
        if version and numbers(version) < oldest:
            text = f"version {version} is older than {'.'.join(map(str, oldest))}{why}"
            problems += (Problem(text, _install(package, oldest)),)
        return Found(
            where=program,
            version=version or "unknown",
            identity=identity(package, version, {package: program}),
            problems=problems,
        )

    usual = [own.program] if own else []
    if not own or not satisfies(own.version, wish.version):
        usual += programs(package)
    return search(
        title,
        wish=wish,
        variables=(),
        usual=usual,
        look=look,
        install=_install(package, oldest),
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


def _by_hand() -> str:
    return "Run it by hand to see what it is; name another with 'path' in buildtool.toml."
