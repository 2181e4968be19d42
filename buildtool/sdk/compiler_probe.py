"""Query a gcc or a clang: where its parts are, and which files it consists of.

A program on PATH with a compiler's name is not trusted: it may print anything, or never exit.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from itertools import count
from pathlib import Path

from buildtool.core.processes.process import Completed, ToolError, capture
from buildtool.core.value import Value
from buildtool.sdk.program import cached_probe
from buildtool.sdk.tool_search import Problem, ToolUnfitError

TIMEOUT = 10.0  # seconds; a compiler answers in a few milliseconds
MAX_LINES = 2000
ARM64_MACHINE = "aarch64"
ARM64_LINUX = re.compile(r"aarch64(-\w+)?-linux-gnu")
CRT_FILES = ("crt1.o", "Scrt1.o", "crti.o", "crtn.o")
COMPILER_FILES = ("crtbegin.o", "crtbeginS.o", "crtend.o", "crtendS.o", "libgcc.a", "libgcc_eh.a")
LIBC_FILES = ("libc.so", "libc.so.6", "libc_nonshared.a", "libc.a", "libm.so", "libm.a")
CXX_FILES = ("libstdc++.so", "libstdc++.a", "libgcc_s.so", "libgcc_s.so.1")


class CompilerAnswer(Value):
    """The output of a compiler about itself."""

    text: str  # the whole output
    programs: tuple[Path, ...]  # the directories where it searches for them, in its order
    libraries: tuple[Path, ...]  # likewise

    def match_line(self, pattern: str) -> str:
        """The first group of `pattern` in a line of the output, or ""."""
        match = re.search(pattern, self.text, re.MULTILINE)
        return match[1] if match else ""

    def program(self, name: str) -> Path | None:
        """The program that the compiler starts as `name`."""
        return _first(self.programs, name)

    def library(self, name: str) -> Path | None:
        """The file that the compiler links when it needs `name`."""
        return _first(self.libraries, name)


def this_machine() -> str:
    """The processor of this machine as Linux names it: `x86_64`, `aarch64`."""
    return os.uname().machine


def probe_compiler(driver: Path, *questions: Sequence[str]) -> CompilerAnswer | Problem:
    """Ask the compiler `driver` for its version and its search directories.

    `questions` are the arguments of one call each: gcc does not print both in one call.
    """
    text = ""
    for question in questions:
        try:
            done = _capture([driver, *question], _environment())
        except ToolError as error:
            return Problem(f"it cannot be queried: {error.message}", error.remedy)
        text += done.output + "\n"
        if done.status != 0 or not done.output:
            shown = " / ".join(done.output.splitlines()[:3])[:300] or "nothing"
            return Problem(
                f"its output is not that of a compiler: exit status {done.status}, {shown}",
                f"Run it to see what it prints: {done.command}",
            )
    return parse_answer(text)


def parse_answer(text: str) -> CompilerAnswer:
    """Parse what a compiler prints for `-v -print-search-dirs`."""

    def directories(what: str) -> tuple[Path, ...]:
        match = re.search(rf"^{what}: =(.+)$", text, re.MULTILINE)
        found = match[1].split(":") if match else []
        return tuple(Path(part) for part in found if part.startswith("/"))

    return CompilerAnswer(text, directories("programs"), directories("libraries"))


def loaded_libraries(program: Path, *beginnings: str) -> dict[str, Path]:
    """The shared objects of `program` whose names start with one of `beginnings`.

    Debian's compilers consist mostly of shared objects.  The dynamic loader lists them without
    starting the program, as for `ldd`.  A static program does start, and an assembler then writes
    an a.out; so it runs in a temporary directory.
    """
    environment = {**_environment(), "LD_TRACE_LOADED_OBJECTS": "1"}
    try:
        done = _capture([program], environment)
    except ToolError:
        return {}
    found = re.findall(r"^\s*(\S+) => (/.+) \(0x[0-9a-f]+\)$", done.output, re.MULTILINE)
    return {name: Path(path) for name, path in found if name.startswith(beginnings)}


def linked_files(answer: CompilerAnswer) -> dict[str, Path]:
    """The start files and libraries that the compiler links into programs, those that exist."""
    names = (*CRT_FILES, *COMPILER_FILES, *LIBC_FILES, *CXX_FILES)
    found = {name: answer.library(name) for name in names}
    return {name: path for name, path in found.items() if path}


def library_root(crt: Path) -> Path:
    """The directory with `include` and `lib` of the C library that the start file `crt` is from.

    On Debian `crt` is in `usr/lib/aarch64-linux-gnu` or in `usr/aarch64-linux-gnu/lib`.
    """
    above = crt.resolve().parents
    libraries = (folder for folder in above if folder.name in ("lib", "lib64"))
    return next(libraries, above[0]).parent


def without_aliases(paths: Iterable[Path]) -> list[Path]:
    """`paths` without links to the file of an earlier path."""
    return list({path.resolve(): path for path in reversed(list(paths))}.values())[::-1]


def cxx_driver(driver: Path, c: str, cxx: str) -> Path:
    """The C++ compiler of the C compiler `driver`: beside it, or beside the target of its link.
    If neither exists, the first of these paths."""
    places = [
        place.with_name(place.name.replace(c, cxx))
        for place in (driver, driver.resolve())
        if c in place.name
    ]
    there = [place for place in places if place.is_file()]
    return (there or places or [driver.with_name(cxx)])[0]


def compiler_headers(driver: Path, *arguments: str) -> tuple[Path, ...]:
    """The header directories of the compiler itself: those of its C++ library, then its own.

    Directories of the C library and of the system are left out.  Raises `ToolUnfitError` when
    the compiler lists none.
    """
    question = (*arguments, "-E", "-v", "-x", "c++", "/dev/null")
    done = _capture([driver, *question], _environment())
    listing = re.search(r"^#include <\.\.\.>.*\n((?: .*\n)+)", done.output, re.MULTILINE)
    found = [Path(line.strip()) for line in listing[1].splitlines()] if listing else []
    own = tuple(path.resolve() for path in found if _is_own(path))
    if not own:
        raise ToolUnfitError(
            f"{driver} does not list its header directories",
            why=f"command: {done.command}",
            remedy="Run the command to see what it prints.",
        )
    return own


def _is_own(folder: Path) -> bool:
    """Whether a header directory belongs to the compiler.

    No C library has a stddef.h.  A gcc built from source has its limits.h in `include-fixed`.
    """
    parts = folder.resolve().parts
    return "c++" in parts or parts[-1] == "include-fixed" or (folder / "stddef.h").is_file()


def _first(directories: Sequence[Path], name: str) -> Path | None:
    return next((place for d in directories if (place := d / name).is_file()), None)


def _environment() -> dict[str, str]:
    """The caller's environment without variables that change a compiler's output."""
    kept = {name: os.environ[name] for name in ("HOME", "PATH") if name in os.environ}
    return {**kept, "LC_ALL": "C"}


def _capture(command: Sequence[str | Path], environment: Mapping[str, str]) -> Completed:
    """The output of a compiler, from the cache if possible; raises `ToolError`."""
    lines = count(1)

    def limit(_: str) -> None:
        if next(lines) > MAX_LINES:
            raise ToolError(
                f"{Path(command[0]).name} prints more than {MAX_LINES} lines about itself",
                why=f"it is {command[0]}",
                remedy="Remove it from PATH, or name another compiler.",
            )

    def run() -> Completed:
        with tempfile.TemporaryDirectory() as nowhere:
            return capture(
                command, env=environment, cwd=Path(nowhere), timeout=TIMEOUT, on_line=limit
            )

    return cached_probe(command, environment, run)
