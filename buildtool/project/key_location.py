"""The line of a key in a TOML document, for error messages: `tomllib` does not report it."""

from __future__ import annotations

import re

_HEADER = re.compile(r"\s*\[\[?\s*(?P<path>[^\]]+?)\s*\]\]?\s*(?:#.*)?$")
_KEY = re.compile(
    r"""\s*(?P<path>(?:[\w-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[\w-]+|"[^"]*"|'[^']*'))*)\s*="""
)
_PART = re.compile(r"""[\w-]+|"[^"]*"|'[^']*'""")


def line_of(text: str, path: tuple[str, ...]) -> int:
    """The line (from 1) where `path` is set in `text`, or of the nearest enclosing table.

    For a key inside an inline table or a multi-line value, the line where that value starts.
    """
    best_line, best_depth = 1, 0
    table: tuple[str, ...] = ()
    for number, line in enumerate(text.splitlines(), 1):
        if header := _HEADER.match(line):
            table = here = _parts(header["path"])
        elif entry := _KEY.match(line):
            here = table + _parts(entry["path"])
        else:
            continue
        depth = len(here)
        if depth > best_depth and path[:depth] == here:
            best_line, best_depth = number, depth
        elif depth > len(path) > best_depth and here[: len(path)] == path:
            best_line, best_depth = number, len(path)
    return best_line


def _parts(path: str) -> tuple[str, ...]:
    return tuple(part.strip("\"'") for part in _PART.findall(path))
