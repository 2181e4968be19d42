"""Compile commands for clangd: both sides of a target in one compile_commands.json.

clangd runs its own clang on a command, with its own copy of the compiler's headers.  So options
that only zig understands are translated for clang, and the directories that the real compiler
searches by default are named.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from buildtool.core.value import Value
from buildtool.drivers.cmake.file_api import BuildTree
from buildtool.sdk.tool_search import COMPILER_LAUNCHERS

COMPILERS_OWN = "arm_acle.h"
"""A header in the directory of the compiler's own headers, both of clang and of gcc."""
_HEXAGON_CPU = re.compile(r"-mcpu=(hexagon(v\d+))((?:\+\w+)+)")
_HVX = re.compile(r"\+hvx(v\d+)")
_HVX_LENGTH = re.compile(r"\+hvx_length(\d+)b")
_GLIBC = re.compile(r"(.+-gnu\w*)\.(\d+)\.(\d+)(?:\.\d+)?")


class CompileCommand(Value):
    """One entry of a compilation database: `arguments` run in `directory` compile `file`."""

    directory: Path
    file: Path
    output: str
    arguments: tuple[str, ...]

    def as_json(self) -> dict[str, Any]:
        entry: dict[str, Any] = {
            "directory": str(self.directory),
            "file": str(self.file),
            "arguments": list(self.arguments),
        }
        return {**entry, "output": self.output} if self.output else entry


def for_clangd(
    entries: Iterable[Mapping[str, Any]],
    tree: BuildTree,
    implicit_arguments: Callable[[Sequence[str]], Iterable[str]],
) -> Iterator[CompileCommand]:
    """The `entries` of CMake's compile_commands.json for `tree`, translated for clangd.

    `implicit_arguments` returns the arguments that the compiler adds to a command.

    Raises `KeyError`, `TypeError` or `ValueError` for an invalid entry.
    """
    languages = {
        source: group.language
        for target in tree.targets
        for group in target.groups
        for source in group.sources
    }
    for entry in entries:
        directory = Path(entry["directory"])
        file = directory / entry["file"]
        toolchain = tree.toolchains.get(languages.get(file, "C"))
        implicit = toolchain.implicit_includes if toolchain else ()
        command = shlex.split(entry["command"])
        arguments = (*clang_arguments(command), *implicit_arguments(command), *searched(implicit))
        yield CompileCommand(directory, file, str(entry.get("output", "")), arguments)


def clang_arguments(command: Sequence[str]) -> tuple[str, ...]:
    """The arguments of a compile command for any compiler, translated for clang."""
    words = without_compiler_launcher(command)
    if Path(words[0]).name == "zig" and len(words) > 1:
        words = [{"c++": "clang++"}.get(words[1], "clang"), *words[2:]]
    arguments: list[str] = []
    search = "-isystem"
    rest = iter(words)
    for word in rest:
        if word == "-target":
            arguments += _target(next(rest, ""))
        elif word.startswith("--target="):
            arguments += _target(word.removeprefix("--target="))
        elif word.startswith("-mhmx"):
            continue  # only the SDK's clang has it
        elif word == "-nostdinc":
            arguments.append("-nostdlibinc")  # keeps clang's own headers
        elif word == "-isystem":
            directory = next(rest, "")
            if _is_compilers_own(directory):
                search = "-idirafter"
            else:
                arguments += [search, directory]
        elif cpu := _HEXAGON_CPU.fullmatch(word):
            arguments.append(f"-mcpu={cpu[1]}")
            arguments += [f"-mhvx={arch}" for arch in _HVX.findall(cpu[3])]
            arguments += [f"-mhvx-length={size}B" for size in _HVX_LENGTH.findall(cpu[3])]
            arguments += ["-mhvx-qfloat"] if "+hvx_qfloat" in cpu[3] else []
        else:
            arguments.append(word)
    return tuple(arguments)


def searched(implicit: Sequence[str]) -> Iterator[str]:
    """Arguments that make clang search `implicit`, the default include directories of a compiler,
    in their order, with clang's own headers in place of that compiler's."""
    if not implicit:
        return
    yield "-nostdlibinc"
    option = "-isystem"
    for directory in implicit:
        if _is_compilers_own(directory):
            option = "-idirafter"
        else:
            yield from (option, directory)


def without_compiler_launcher(command: Sequence[str]) -> list[str]:
    """A compile command without a compiler launcher such as ccache in front of it."""
    words = list(command)
    while len(words) > 1 and Path(words[0]).name in COMPILER_LAUNCHERS:
        words = words[1:]
    return words


def _is_compilers_own(directory: str) -> bool:
    return Path(directory, COMPILERS_OWN).is_file()


def _target(triple: str) -> Iterator[str]:
    """The target of clang: a glibc version at the end of zig's triples becomes a macro."""
    if glibc := _GLIBC.fullmatch(triple):
        yield from (f"--target={glibc[1]}", f"-D__GLIBC_MINOR__={glibc[3]}")
    else:
        yield f"--target={triple}"
