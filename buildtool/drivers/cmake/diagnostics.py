"""From all that a failed tool printed to its errors as values: file, line, column, message.

Knows how GCC and Clang, linkers, Ninja, CMake and the IDL compiler name a place.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from buildtool.core.diagnostic import Diagnostic

MOST = 1000
MOST_COLUMNS = 1000  # of one message

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
    """The errors in a tool's `output`, each once and in order: at most `MOST`.

    A relative path is looked for in `directories`, and else left as it is.
    """
    found: dict[Diagnostic, None] = {}
    for one in _found(output.splitlines()):
        file = _absolute(one.file, directories) if one.file else None
        found.setdefault(one._replace(file=file, message=one.message[:MOST_COLUMNS].rstrip()))
        if len(found) == MOST:
            break
    return tuple(found)


def _found(lines: Sequence[str]) -> Iterator[Diagnostic]:
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
    """What CMake says below the place: the lines that it indents, as one."""
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
    places = (Path(os.path.normpath(directory / path)) for directory in directories)
    return str(next((place for place in places if place.is_file()), path))
