"""Parse the errors in the output of a failed tool: file, line, column, message.

Recognizes the formats of GCC and Clang, linkers, CMake and the IDL compiler.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from buildtool.core.diagnostic import Diagnostic

MAX_DIAGNOSTICS = 1000
MAX_COLUMNS = 1000  # of one message

_COMPILER = re.compile(
    r"(?:error: )?(?P<file>[^\s:][^:]*):(?P<line>\d{1,9}):(?:(?P<column>\d{1,9}):)?"
    r" (?:fatal )?error: (?P<message>.+)"
)
_IDL = re.compile(
    r"error: (?P<file>[^\s:][^:]*):(?P<line>\d{1,9}):(?P<column>\d{1,9}): (?P<message>.+)"
)
_CMAKE = re.compile(r"CMake Error at (?P<file>.+?):(?P<line>\d{1,9}) \(.*\):")
_UNDEFINED = re.compile(
    r"(?:\S*ld: )?(?P<file>[^\s:()]+):\(.+?\): (?P<message>undefined reference .+)"
)
_BARE = re.compile(r"(?:\S+: )?(?:fatal )?error: (?P<message>.+)")


def diagnostics(output: str, directories: Sequence[Path] = ()) -> tuple[Diagnostic, ...]:
    """The errors in a tool's `output`, each once and in order: at most `MAX_DIAGNOSTICS`.

    A relative path is searched in `directories`, and stays relative if it is not found.
    """
    found: dict[Diagnostic, None] = {}
    for diagnostic in _parse(output.splitlines()):
        file = _absolute(diagnostic.file, directories) if diagnostic.file else None
        message = diagnostic.message[:MAX_COLUMNS].rstrip()
        found.setdefault(diagnostic._replace(file=file, message=message))
        if len(found) == MAX_DIAGNOSTICS:
            break
    return tuple(found)


def _parse(lines: Sequence[str]) -> Iterator[Diagnostic]:
    for number, line in enumerate(lines):
        if at := _CMAKE.match(line):
            message = _paragraph(lines[number + 1 :]) or line
            yield Diagnostic(at["file"], int(at["line"]), None, message)
        elif at := _COMPILER.match(line) or _IDL.match(line):
            column = int(at["column"]) if at["column"] else None
            yield Diagnostic(at["file"], int(at["line"]), column, at["message"])
        elif at := _UNDEFINED.match(line):
            yield Diagnostic(at["file"], None, None, at["message"])
        elif at := _BARE.match(line):
            yield Diagnostic(None, None, None, at["message"])


def _paragraph(lines: Iterable[str]) -> str:
    """The message below the location of a CMake error: the indented lines, joined."""
    words: list[str] = []
    for line in lines:
        if line and not line.startswith("  "):
            break
        if not line and words:
            break
        words += line.split()
    return " ".join(words)


def _absolute(file: str, directories: Sequence[Path]) -> str:
    path = Path(file)
    if path.is_absolute():
        return os.path.normpath(path)
    candidates = (Path(os.path.normpath(directory / path)) for directory in directories)
    return str(next((candidate for candidate in candidates if candidate.is_file()), path))
