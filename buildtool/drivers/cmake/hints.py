"""What to do about errors of compilers, linkers and CMake that are known.

Each rule looks at what a failed tool printed and yields sentences; it yields none when the output
is about something else.
"""

from __future__ import annotations

import contextlib
import difflib
import itertools
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from buildtool.core.value import Value
from buildtool.drivers.cmake.error_excerpt import FailedCommand, failed_commands
from buildtool.toolchains.intrinsics import Intrinsic, read_intrinsics

MOST = 3  # hints that are shown for one failure
NEAR = 0.75  # how alike two names are, 0 to 1, for one to be suggested for the other
MAX_SOURCE_BYTES = 16 << 20

_HEADER = re.compile(
    r"fatal error: (?:'([^'\n]+)' file not found|([^\s:]+): No such file or directory)"
)
_UNDECLARED = re.compile(r"^(.+?:\d+):\d+: error: .*undeclared (?:\w+ )*'(Q6_\w+)'", re.MULTILINE)
_UNSELECTED = re.compile(r"Cannot select: intrinsic %llvm\.hexagon\.([\w.]+)")
_LIBRARY = re.compile(
    r"unable to find (?:dynamic |static )?system library [\"']([^\"']+)[\"']"  # zig
    r"|unable to find library -l(\S+)"  # LLD
    r"|cannot find -l([^\s:]+)"  # GNU ld
)
_PACKAGE = re.compile(
    r"package configuration file provided\s+by \"([^\"]+)\"|Could NOT find (\w+) "
)
_NOT_INSTALLED = re.compile(r"file INSTALL cannot find\s+\"([^\"]+)\"")


class Failure(Value):
    """A tool that failed: what it printed, the commands of Ninja that failed, the DSP arch that was
    built for, or ""."""

    output: str
    commands: Sequence[FailedCommand]
    arch: str


def hints(output: str, arch: str = "") -> str:
    """What to do about a tool's `output`, a line for each thing that is known; or ""."""
    failure = Failure(output, failed_commands(output.splitlines()), arch)
    found = dict.fromkeys(text for rule in RULES for text in rule(failure))
    return "\n".join(list(found)[:MOST])


def _missing_headers(failure: Failure) -> Iterator[str]:
    for command in failure.commands:
        for match in _HEADER.finditer("\n".join(command.output)):
            name = match[1] or match[2]
            near = _nearest_header(name, _include_directories(command.command))
            yield f"{name} is in none of the include directories. " + (
                f"Did you mean {near}?"
                if near
                else "Add its directory with target_include_directories()"
                + (
                    '; headers that only the Hexagon SDK has need dsp-toolchain = "sdk".'
                    if failure.arch
                    else "."
                )
            )


def _nearest_header(name: str, directories: Sequence[Path]) -> str:
    above, _, _ = name.rpartition("/")
    names: dict[str, None] = {}
    for directory in directories:
        with contextlib.suppress(OSError):
            names |= dict.fromkeys(
                f"{above}/{entry.name}" if above else entry.name
                for entry in sorted((directory / above).iterdir())
                if entry.suffix in (".h", ".hpp", ".hh")
            )
    return _nearest(name, names)


def _undeclared_intrinsics(failure: Failure) -> Iterator[str]:
    if not failure.arch:
        return
    for command in failure.commands:
        known: Mapping[str, Intrinsic] | None = None
        for match in _UNDECLARED.finditer("\n".join(command.output)):
            known = _intrinsics(command.command) if known is None else known
            place, name = match[1], match[2]
            if name in known and (lack := known[name].lacks(failure.arch)):
                yield f"{place}: {name} {lack}."
            elif name not in known and (near := _nearest(name, known)):
                yield f"{place}: there is no intrinsic {name}. Did you mean {near}?"


def _unselected_intrinsics(failure: Failure) -> Iterator[str]:
    """The compiler's backend names neither the source line nor the option."""
    for command in failure.commands:
        for match in _UNSELECTED.finditer("\n".join(command.output)):
            builtin = match[1].removesuffix(".128B").replace(".", "_")
            names = [
                n for n, known in _intrinsics(command.command).items() if known.builtin == builtin
            ]
            where = _first_use(command.command, names)
            yield (
                f"{where or ' or '.join(names) or builtin} is an instruction that this compilation"
                " does not enable. Vector floating point needs -mhvx-qfloat or -mhvx-ieee-fp: see"
                " which options of the target switch it off."
            )


def _first_use(command: str, names: Sequence[str]) -> str:
    """`FILE:LINE: NAME` of the first of `names` in the source that `command` compiles."""
    words = _words(command)
    source = Path(words[words.index("-c") + 1]) if "-c" in words[:-1] else None
    used = re.compile(rf"\b({'|'.join(map(re.escape, names))})\b") if names else None
    if source is None or used is None:
        return ""
    with contextlib.suppress(OSError), source.open("rb") as stream:
        text = stream.read(MAX_SOURCE_BYTES).decode(errors="replace")
        for number, line in enumerate(text.splitlines(), 1):
            if match := used.search(line):
                return f"{source}:{number}: {match[1]}"
    return ""


def _missing_libraries(failure: Failure) -> Iterator[str]:
    for match in _LIBRARY.finditer(failure.output):
        name = next(filter(None, match.groups()))
        yield (
            f"lib{name} is not found for this target; libraries of the build machine do not count."
            " If another component makes it, install it there and name that component in"
            " 'needs'." + _from_conan(failure)
        )


def _missing_packages(failure: Failure) -> Iterator[str]:
    for match in _PACKAGE.finditer(failure.output):
        name = match[1] or match[2]
        yield (
            f"The package {name} is not found for this target; packages of the build machine do not"
            f" count. If another component installs {name}Config.cmake, name that component in"
            f" 'needs'." + _from_conan(failure)
        )


def _not_built(failure: Failure) -> Iterator[str]:
    for match in _NOT_INSTALLED.finditer(failure.output):
        yield (
            f"{Path(match[1]).name} is installed and was not built. Add its CMake target to"
            " 'targets', or set install = false and name what ships in 'artifacts'."
        )


def _from_conan(failure: Failure) -> str:
    return "" if failure.arch else " Libraries of others come with Conan: 'conan' of the component."


RULES = (
    _missing_headers,
    _undeclared_intrinsics,
    _unselected_intrinsics,
    _missing_libraries,
    _missing_packages,
    _not_built,
)


def _intrinsics(command: str) -> Mapping[str, Intrinsic]:
    """Those of the compiler that `command` runs: zig's headers lie beside it, clang's above it."""
    words = _words(command)
    compiler = Path(words[0]) if words else Path()
    for directory in (
        compiler.parent / "lib/include",
        *sorted(compiler.parent.parent.glob("lib/clang/*/include")),
    ):
        if found := read_intrinsics(directory):
            return found
    return {}


def _include_directories(command: str) -> list[Path]:
    words = _words(command)
    found = [word[2:] for word in words if word.startswith("-I") and word != "-I"]
    found += [
        place
        for option, place in itertools.pairwise(words)
        if option in ("-I", "-isystem", "-iquote")
    ]
    return [Path(place) for place in dict.fromkeys(found)]


def _nearest(name: str, names: Mapping[str, object]) -> str:
    lower = {each.lower(): each for each in names}
    near = difflib.get_close_matches(name.lower(), lower, 1, NEAR)
    return lower[near[0]] if near else ""


def _words(command: str) -> list[str]:
    try:
        return shlex.split(command.removeprefix(": && "))
    except ValueError:
        return []
