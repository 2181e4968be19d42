"""Rejects paths that a tool would misread.

CMake, Ninja, compilers, linkers, shells and Conan each give a special meaning to some characters,
also in paths, and in most cases there is no way to escape them.  A path of the project, the cache
or a tool that contains such a character is rejected before any tool runs.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Mapping
from pathlib import Path

from buildtool.core.errors import UsageError
from buildtool.core.escape import is_control

MISREAD: Mapping[str, str] = {
    "`": "shells run what stands between two of them",
    "$": "CMake, Ninja and shells take it for the start of a variable",
    "\\": "CMake takes it for a separator of directories",
    '"': "CMake and shells end a text with it",
    "'": "zig takes it for a quotation mark in response files",
    "&": "CMake passes it to shells unquoted, where a custom command is not VERBATIM",
    "(": "CMake passes it to shells unquoted, where a custom command is not VERBATIM",
    ")": "CMake passes it to shells unquoted, where a custom command is not VERBATIM",
    "|": "Ninja separates inputs with it, and shells programs",
    "<": "CMake takes it for a generator expression, and shells for a redirection",
    ">": "CMake takes it for a generator expression, and shells for a redirection",
    ";": "it separates directories in CMake's lists and in ADSP_LIBRARY_PATH",
    ":": "it separates directories in LD_LIBRARY_PATH, and targets in rules of Make and Ninja",
    ",": "linkers separate arguments with it",
    "=": "compilers end a directory of -ffile-prefix-map with it",
    "%": "LLVM puts random digits in its place in names of temporary files",
    "*": "CMake takes it for any text, and Ninja drops headers below such a directory",
    "?": "CMake takes it for any character",
    "[": "CMake takes it for the start of a set of characters",
    "]": "CMake takes it for the end of a bracket in lists",
    "{": "Conan's profiles are templates, which evaluate what follows it",
    "}": "Conan's profiles are templates, which end an expression with it",
    "^": "Ninja drops headers below such a directory",
}
"""Characters that some tool misreads, with the reason.  Builds of a project with each printable
character in its path have shown that no other one is misread."""


class UnsafePathError(UsageError):
    """A tool would misread a path."""

    code = "unsafe-path"


def misread(path: str | Path) -> tuple[str, str] | None:
    """The first character of `path`, or of its target with links resolved, that a tool would
    misread, and the reason; None when there is none."""
    if unsafe := _unsafe(str(path)):
        return _named(unsafe), _reason(unsafe)
    if not Path(path).is_absolute():
        return None
    target = os.path.realpath(path)
    if unsafe := _unsafe(target):
        return _named(unsafe), f"{_reason(unsafe)}; the path leads to {target}"
    return None


@functools.cache
def check_path(path: str | Path, what: str, remedy: str = "") -> None:
    """Raise `UnsafePathError` if a tool would misread `path`, the location of `what`."""
    if wrong := misread(path):
        character, why = wrong
        raise UnsafePathError(
            f"the path of {what} has {character} in it: {path}",
            why=why,
            remedy=remedy or f"Move {what} to a path without {character}.",
        )


def _unsafe(path: str) -> str:
    """The first character that a path must not contain; "" for none."""
    return next((c for c in path if c in MISREAD or is_control(c)), "")


def _named(character: str) -> str:
    if character in MISREAD:
        return repr(character)
    if _is_byte(character):
        return f"the byte 0x{ord(character) - 0xDC00:02x}"
    return f"the character U+{ord(character):04X}"


def _reason(character: str) -> str:
    if character in MISREAD:
        return MISREAD[character]
    if _is_byte(character):
        return "the path is not UTF-8, which CMake requires"
    return "tools may misread a control character in a name"


def _is_byte(character: str) -> bool:
    """Whether `character` stands for a byte that is not UTF-8; see PEP 383."""
    return "\udc80" <= character <= "\udcff"
