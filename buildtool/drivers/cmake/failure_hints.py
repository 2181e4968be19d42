"""Hints for known errors of compilers, linkers and CMake.

Each rule in `RULES` takes the output of a failed tool, and yields a hint for each error that it
knows.
"""

from __future__ import annotations

import contextlib
import difflib
import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from buildtool import _data
from buildtool.core.files import read_regular
from buildtool.core.value import Value
from buildtool.drivers.cmake.error_excerpt import FailedCommand, failed_commands
from buildtool.drivers.cmake.scan.command_files import words_of
from buildtool.toolchains.intrinsics import (
    Intrinsic,
    invalid_instructions,
    no_ieee,
    read_intrinsics,
    shape_of,
)

MAX_HINTS = 3  # for one failure
SIMILARITY = 0.75  # from 0 to 1: of a name that is suggested for a wrong one
MAX_SOURCE_BYTES = 16 << 20
ABSOLUTE = "ABSOLUTE path INSTALL DESTINATION forbidden"
RELATIVE = (
    "Install to a directory relative to the prefix, such as ${CMAKE_INSTALL_LIBDIR}, or set"
    " install = false and name what ships in 'artifacts'."
)
REMOVED_POLICIES = "Compatibility with CMake < 3.5 has been removed"
"""How CMake 4 refuses a cmake_minimum_required() with an older version."""
POLICY_MINIMUM = "CMAKE_POLICY_VERSION_MINIMUM"

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
    r"package configuration file provided\s+by \"([^\"]+)\"|Could NOT find (\w+)[ ,]"
)
_PKG_CONFIG = re.compile(r"The following required packages were not found:\s+((?:- \S+\s+)+)")
_FILES = re.compile(r"Could not find (\w+) using the following (?:names|files): ([^\n]+)")
_NOT_FOUND = re.compile(r"^(\S+)(?: \(ADVANCED\))?\n\s+(?:linked by target|used as)", re.MULTILINE)
"""A variable of find_library() or find_path() in CMake's list of those that are NOTFOUND."""
_WARNING_AS_ERROR = re.compile(r"error: .*\[-Werror[,=](?:-W)?([\w+-]+)")  # clang, GCC
_CONFLICT = re.compile(
    r"error: conflicting types for ['‘](\w+)['’]"
    r"(?:.|\n){1,4000}?^(\S.*\.h:\d+):\d+: note: previous",
    re.MULTILINE,
)
_GENERATED = "by buildtool idl; do not edit"
_LANGUAGES = {".c": "C", ".s": "ASM", ".S": "ASM"}
_NOT_INSTALLED = re.compile(r"file INSTALL cannot find\s+\"([^\"]+)\"")


class ToolFailure(Value):
    """The output of a tool that failed, the failed commands in it, and the DSP arch of the step, or
    ""."""

    output: str
    commands: Sequence[FailedCommand]
    arch: str


def failure_hints(output: str, arch: str = "") -> str:
    """The hints for the `output` of a tool that failed, one per line; "" if there are none."""
    failure = ToolFailure(output, failed_commands(output.splitlines()), arch)
    found = dict.fromkeys(text for rule in RULES for text in rule(failure))
    return "\n".join(list(found)[:MAX_HINTS])


def _missing_headers(failure: ToolFailure) -> Iterator[str]:
    for command in failure.commands:
        for match in _HEADER.finditer("\n".join(command.output)):
            name = match[1] or match[2]
            if not failure.arch and name in _fastrpc_headers():
                yield (
                    f"{name} belongs to FastRPC: call find_package(Buildtool REQUIRED), and"
                    " target_link_libraries(TARGET PRIVATE Buildtool::cdsprpc) for what includes"
                    " it."
                )
                continue
            similar = _similar_header(name, _include_directories(command.command))
            yield f"{name} is in none of the include directories. " + (
                f"Did you mean {similar}?"
                if similar
                else "Add its directory with target_include_directories()"
                + (
                    '; headers of the Hexagon SDK need dsp-toolchain = "sdk".'
                    if failure.arch
                    else "."
                )
            )


def _fastrpc_headers() -> set[str]:
    return {file.name for file in (_data.path("host") / "include").rglob("*.h")}


def _similar_header(name: str, directories: Sequence[Path]) -> str:
    """A header in `directories` with a similar name, below the same parent; "" if there is none."""
    parent, _, _ = name.rpartition("/")
    names: dict[str, None] = {}
    for directory in directories:
        with contextlib.suppress(OSError):
            names |= dict.fromkeys(
                f"{parent}/{entry.name}" if parent else entry.name
                for entry in sorted((directory / parent).iterdir())
                if entry.suffix in (".h", ".hpp", ".hh")
            )
    return _most_similar(name, names)


def _undeclared_intrinsics(failure: ToolFailure) -> Iterator[str]:
    if not failure.arch:
        return
    for command in failure.commands:
        known: Mapping[str, Intrinsic] | None = None
        for match in _UNDECLARED.finditer("\n".join(command.output)):
            known = _intrinsics(command.command) if known is None else known
            location, name = match[1], match[2]
            if name in known and (lack := known[name].lacks(failure.arch)):
                yield f"{location}: {name} {lack}."
            elif name not in known and (similar := _most_similar(name, known)):
                yield f"{location}: there is no intrinsic {name}. Did you mean {similar}?"


def _unselected_intrinsics(failure: ToolFailure) -> Iterator[str]:
    """The error of the compiler's backend names neither the source line nor the missing option."""
    for command in failure.commands:
        for match in _UNSELECTED.finditer("\n".join(command.output)):
            builtin = match[1].removesuffix(".128B").replace(".", "_")
            names = [
                n for n, known in _intrinsics(command.command).items() if known.builtin == builtin
            ]
            where = _first_use(command.command, names)
            yield (
                f"{where or ' or '.join(names) or builtin} is an instruction that this compilation"
                " does not enable. Vector floating point needs -mhvx-qfloat or -mhvx-ieee-fp: check"
                " which options of the target disable it."
            )


def _missing_instructions(failure: ToolFailure) -> Iterator[str]:
    """The assembler tells neither which arch has an instruction nor what to write instead."""
    for command in failure.commands if failure.arch else ():
        known: Mapping[str, Intrinsic] = {}
        for location, text in invalid_instructions("\n".join(command.output)):
            known = known or {each.shape: each for each in _intrinsics(command.command).values()}
            if intrinsic := known.get(shape_of(text.lower())):
                lack = intrinsic.lacks(failure.arch) or no_ieee(text, intrinsic.name, failure.arch)
                yield f"{location}: {text} {lack}."


def _first_use(command: str, names: Sequence[str]) -> str:
    """`FILE:LINE: NAME` of the first use of one of `names` in the source that `command` compiles;
    "" if there is none."""
    words = words_of(command)
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


def _missing_libraries(failure: ToolFailure) -> Iterator[str]:
    for match in _LIBRARY.finditer(failure.output):
        name = next(filter(None, match.groups()))
        yield (
            f"lib{name} is not found for this target; libraries of the build machine do not count."
            " If another component builds it, install it there and name that component in"
            " 'needs'." + _conan_hint(failure)
        )


def _missing_packages(failure: ToolFailure) -> Iterator[str]:
    for match in _PACKAGE.finditer(failure.output):
        name = match[1] or match[2]
        if name == "PkgConfig":
            yield "pkg-config is not installed on this machine: apt-get install pkg-config."
        else:
            yield _missing_package(f"The package {name}", f"{name}Config.cmake", failure)
    for match in _PKG_CONFIG.finditer(failure.output):
        for wanted in re.findall(r"- (\S+)", match[1]):
            name = re.split(r"[<>=]", wanted)[0]
            yield _missing_package(f"The package {wanted} of pkg-config", f"{name}.pc", failure)
    for match in _FILES.finditer(failure.output):
        yield _missing_package(f"{match[1]}, which is one of {match[2]},", "it", failure)


def _unset_variables(failure: ToolFailure) -> Iterator[str]:
    for match in _NOT_FOUND.finditer(failure.output):
        name = match[1]
        if re.search(r"(?i)android|(?<![a-z])log(?![a-z])", name):
            yield (
                f"{name} seems to be a library of Android, which only targets with"
                ' platform = "android" have.'
            )
        else:
            yield _missing_package(f"What {name} should be", "it", failure)


def _missing_package(what: str, file: str, failure: ToolFailure) -> str:
    return (
        f"{what} is not found for this target; what the build machine has does not count. If"
        f" another component installs {file}, name that component in 'needs'."
        + _conan_hint(failure)
    )


def _old_policies(failure: ToolFailure) -> Iterator[str]:
    if REMOVED_POLICIES in failure.output:
        yield (
            "This project asks for policies that CMake has removed. Add to its component:"
            f' defines = {{ {POLICY_MINIMUM} = "3.5" }}'
        )


def _warnings_as_errors(failure: ToolFailure) -> Iterator[str]:
    found: dict[str, dict[str, None]] = {}
    for command in failure.commands:
        words = words_of(command.command)
        source = Path(words[words.index("-c") + 1]) if "-c" in words[:-1] else Path()
        language = _LANGUAGES.get(source.suffix, "CXX")
        for match in _WARNING_AS_ERROR.finditer("\n".join(command.output)):
            found.setdefault(language, {})[f"-Wno-error={match[1]}"] = None
    for language, options in found.items():
        yield (
            "The project makes errors of warnings, which differ between compilers. To keep them"
            " warnings, add to its component:"
            f' defines = {{ CMAKE_{language}_FLAGS = "{" ".join(options)}" }}'
        )


def _not_built(failure: ToolFailure) -> Iterator[str]:
    for match in _NOT_INSTALLED.finditer(failure.output):
        yield (
            f"{Path(match[1]).name} is installed but was not built. Add its CMake target to"
            " 'targets', or set install = false and name what ships in 'artifacts'."
        )


def _other_prototypes(failure: ToolFailure) -> Iterator[str]:
    """The prototypes that generated headers have of functions which are defined otherwise."""
    for name, note in _CONFLICT.findall(failure.output):
        header, _, line = note.rpartition(":")
        with contextlib.suppress(OSError, ValueError):
            text = read_regular(Path(header)).decode(errors="replace")
            rest = "\n".join(text.split("\n")[int(line) - 1 :])
            prototype = re.sub(r"__QAIC_HEADER\((\w+)\)|__QAIC_HEADER_\w+", r"\1", rest)
            if _GENERATED in text and name in (words := " ".join(prototype.split(";")[0].split())):
                yield f"{_place_in_idl(Path(header), name)} declares it. Define it so:\n{words}"


def _place_in_idl(header: Path, function: str) -> str:
    """File and line of the method in the IDL file from which `header` was generated."""
    stem = header.stem
    listed = read_regular(header.with_suffix(".d")).decode(errors="surrogateescape")
    named = re.search(rf"(?:\\ |\S)*{re.escape(stem)}\.idl\b", listed)
    if not named:
        return f"{stem}.idl"
    file = Path(named[0].replace("\\ ", " "))
    text = read_regular(file).decode(errors="replace")
    method = re.search(rf"\b{re.escape(function.removeprefix(f'{stem}_'))}\s*\(", text)
    return f"{file}:{text.count(chr(10), 0, method.start()) + 1}" if method else str(file)


def _conan_hint(failure: ToolFailure) -> str:
    return (
        ""
        if failure.arch
        else " Conan and Debian provide third-party libraries: 'conan' of the component, or a"
        " component with 'debian' that it needs."
    )


def _absolute_destinations(failure: ToolFailure) -> Iterator[str]:
    if ABSOLUTE in failure.output:
        yield RELATIVE


RULES = (
    _missing_headers,
    _undeclared_intrinsics,
    _unselected_intrinsics,
    _missing_instructions,
    _missing_libraries,
    _missing_packages,
    _unset_variables,
    _old_policies,
    _warnings_as_errors,
    _not_built,
    _absolute_destinations,
    _other_prototypes,
)


def _intrinsics(command: str) -> Mapping[str, Intrinsic]:
    """The intrinsics of the compiler that `command` runs, from its headers: those of zig are below
    its directory, those of clang below the parent."""
    words = words_of(command.removeprefix(": && "))
    compiler = Path(words[0]) if words else Path()
    for directory in (
        compiler.parent / "lib/include",
        *sorted(compiler.parent.parent.glob("lib/clang/*/include")),
    ):
        if found := read_intrinsics(directory):
            return found
    return {}


def _include_directories(command: str) -> list[Path]:
    words = words_of(command)
    found = [word[2:] for word in words if word.startswith("-I") and word != "-I"]
    found += [
        path
        for option, path in itertools.pairwise(words)
        if option in ("-I", "-isystem", "-iquote")
    ]
    return [Path(path) for path in dict.fromkeys(found)]


def _most_similar(name: str, names: Mapping[str, object]) -> str:
    """One of `names`, compared without case; "" if none is similar enough."""
    by_lower = {each.lower(): each for each in names}
    matches = difflib.get_close_matches(name.lower(), by_lower, 1, SIMILARITY)
    return by_lower[matches[0]] if matches else ""
