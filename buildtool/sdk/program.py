"""Programs: their versions, whether they run on this machine, and those in Python packages.

What programs print about themselves is cached.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from buildtool.core.cache import cache_dir
from buildtool.core.elf.file import elf_header
from buildtool.core.files import digest_of, is_settled, read_regular, stamp_of, write_if_changed
from buildtool.core.value import Value
from buildtool.project.model import Tool
from buildtool.sdk.tool_search import (
    FoundTool,
    Problem,
    programs_on_path,
    satisfies,
    search,
    tool_identity,
    version_numbers,
)

if TYPE_CHECKING:
    from buildtool.core.processes.process import Completed

TIMEOUT = 10.0  # seconds; printing a version takes milliseconds
MAX_LINES = 200
RUN_IT_YOURSELF = "Run it to see what it is, or name another with 'path' in buildtool.toml."
BINFMT = Path("/proc/sys/fs/binfmt_misc")
_ELF_MACHINES = {62: "x86_64", 183: "aarch64"}  # e_machine → as platform.machine() says it


def probe_version(program: Path, *question: str, pattern: str) -> tuple[str, tuple[Problem, ...]]:
    """The version that `program` prints for the arguments `question`: the first group of `pattern`.

    If the program fails or prints something else, the version is "" and there is a problem.
    """
    from buildtool.core.processes.process import ToolError, capture  # noqa: PLC0415

    lines: list[str] = []

    def listen(line: str) -> None:
        lines.append(line)
        if len(lines) > MAX_LINES:
            raise ToolError(f"{program.name} prints more than {MAX_LINES} lines")

    command: list[str | Path] = [program, *question]

    def run() -> Completed:
        environment = {**os.environ, "LC_ALL": "C"}
        return capture(command, env=environment, timeout=TIMEOUT, on_line=listen)

    try:
        # A script may start another program, so only the answers of ELF files are kept.
        done = cached_probe(command, {}, run) if _is_elf(program) else run()
    except ToolError as error:
        return "", (
            Problem(f"cannot get its version: {error.message}", error.remedy or RUN_IT_YOURSELF),
        )
    answer = re.search(pattern, done.output, re.MULTILINE)
    if answer:
        return answer[1], ()
    shown = done.output.partition("\n")[0][:80] or "nothing"
    return "", (Problem(f"it does not print its version, but: {shown}", RUN_IT_YOURSELF),)


def probed_tool(tool: str, program: Path, *question: str, pattern: str) -> FoundTool | None:
    """The `tool` that is `program`, with its version as `probe_version` finds it; None if there is
    no such file."""
    if not program.is_file():
        return None
    version, problems = probe_version(program, *question, pattern=pattern)
    return FoundTool(
        where=program,
        version=version or "unknown",
        identity=tool_identity(tool, version, {tool: program}),
        problems=problems,
    )


class PackagedProgram(Value):
    """A program in a Python package of the same name, and the version of both."""

    program: Path
    version: str


def packaged_program(package: str) -> PackagedProgram | None:
    """The program `package` in the Python package of that name, if it is installed."""
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
    """Find the program `package`: `path` in [tool.`package`], else in the Python package.

    PATH is searched only if the Python package is missing or does not satisfy the requirement,
    because programs on PATH differ from machine to machine.

    `pattern` finds the version in the output of --version; `why` says what versions before
    `oldest` lack.  Raises `ToolMissingError`, `ToolUnfitError`.
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
        default_paths=default_paths,
        probe=probe,
        install_remedy=_install(package, oldest),
        version_remedy=f"Put that version on PATH, or set 'path' in [tool.{package}] of"
        " buildtool.toml; or change 'version' there.",
    )


def _install(package: str, oldest: tuple[int, ...]) -> str:
    """The remedy that installs or upgrades the Python package."""
    version = ".".join(map(str, oldest))
    return f"Install it beside buildtool: python -m pip install '{package}>={version}'"


def foreign_machine(head: bytes) -> str:
    """The machine that a program is built for, from its first 20 bytes, if it cannot run here.

    "" for programs for this machine, for those that the kernel runs with a registered emulator
    (binfmt_misc), and for scripts.
    """
    if not head.startswith(b"\x7fELF"):
        return ""
    import platform  # noqa: PLC0415 - rarely needed

    machine = _ELF_MACHINES.get(int.from_bytes(head[18:20], "little"), "another machine")
    if machine == platform.machine():
        return ""
    names = [entry.name.lower().replace("-", "_") for entry in BINFMT.glob("*")]
    return "" if any(machine in name or "rosetta" in name for name in names) else machine


def _is_elf(program: Path) -> bool:
    try:
        return elf_header(program) is not None
    except OSError:
        return False


class PythonPackage(Value):
    """An installed package; `record` lists its files, relative to the directory above it."""

    version: str
    record: Path

    def program(self, name: str) -> Path | None:
        """The program `name` among the package's files, with links resolved.

        `cmake` installs a slow Python script and the binary in `data/bin`; this returns the binary.
        """
        try:
            lines = self.record.read_text(encoding="utf-8", errors="replace").splitlines()
        except OSError:  # a package need not list its files
            return None
        # Each line is a path, its digest, its size; a path with a comma in it is quoted.
        names = (line.rsplit(",", 2)[0].strip('"') for line in lines if f"bin/{name}" in line)
        places = (Path(place) for place in names)
        found = [place for place in places if place.parts[-2:] == ("bin", name)]
        found.sort(key=lambda place: "data" not in place.parts)
        root = self.record.parents[1]
        paths = ((root / place).resolve() for place in found)
        return next((path for path in paths if path.is_file()), None)


def python_package(name: str) -> PythonPackage | None:
    """The installed package `name`, in lower case and without `-`; None if it is not installed."""
    for folder in sys.path:
        try:
            entries = os.listdir(folder or ".")  # noqa: PTH208 - names
        except OSError:
            continue
        for entry in entries:
            if entry.startswith(f"{name}-") and entry.endswith(".dist-info"):
                version = entry.removeprefix(f"{name}-").removesuffix(".dist-info")
                return PythonPackage(version, Path(folder, entry, "RECORD").absolute())
    return None


MAX_PATHS = 1000
_PATH = re.compile(r"(?<![\w.])/[^\s:;,'\"()]+")
_NO_FILE = [0, 0, 0, 0]


def cached_probe(
    argv: Sequence[str | Path], env: Mapping[str, str], run: Callable[[], Completed]
) -> Completed:
    """The output of `argv`, an absolute program and its arguments, in the environment `env`.

    On a cache miss `run` starts the program; its errors are passed on.  Only successful runs are
    cached.

    A build with nothing to do must not start a process, but compilers have to be asked where they
    search for their parts.  Their output names these paths, so an entry is valid while the program
    and every path in its output, existing or not, have the same stamp as when the program ran.
    """
    from buildtool.core.processes.process import Completed  # noqa: PLC0415 - slows down starts

    words = tuple(map(str, argv))
    name = digest_of(json.dumps([words, dict(env)], sort_keys=True).encode())
    entry = cache_dir() / "answers" / name[:32]
    output = _cached_output(entry)
    if output is not None:
        return Completed(words, 0, output)
    done = run()
    paths = sorted({words[0], *_PATH.findall(done.output)})
    if done.status == 0 and len(paths) <= MAX_PATHS:
        stamps = {path: _file_stamp(path) for path in paths}
        if is_settled(max(stamp[3] for stamp in stamps.values())):
            entry_data = {"output": done.output, "stamps": stamps}
            # A cache that cannot be written to costs time, nothing else.
            with contextlib.suppress(OSError):
                write_if_changed(entry, json.dumps(entry_data))
    return done


def _cached_output(entry: Path) -> str | None:
    try:
        entry_data: Any = json.loads(read_regular(entry))
        valid = all(_file_stamp(path) == stamp for path, stamp in entry_data["stamps"].items())
        return str(entry_data["output"]) if valid else None
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


def _file_stamp(path: str) -> list[int]:
    """Inode, size, modification time and change time of a file; zeros if there is none."""
    try:
        status = os.stat(path)  # noqa: PTH116 - some hundred of them
    except (OSError, ValueError):
        return _NO_FILE
    return [*stamp_of(status)]
