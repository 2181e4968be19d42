"""Remedies for values of the wrong type: the user's value, corrected.

The line of a key in a TOML document, for error messages: `tomllib` does not report it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

_BARE = {bool: "true|false", int: r"\d{1,9}"}  # strings that are values of these types


def as_list(name: str, value: Any, choices: Sequence[str]) -> str:
    """The remedy for the key `name`, which takes a list of strings but has `value`.

    `choices` are the accepted strings, if not all.
    """
    items = value if isinstance(value, list) else [value]
    if choices and isinstance(value, str):  # "v68, v73" as well as "v68"
        items = re.split(r"[\s,;]+", value)
    texts = [str(item) for item in items if type(item) in (str, int)]
    wrong = len(texts) < len(items) or bool(choices and not set(texts) <= set(choices))
    if wrong:
        texts = [*choices[:2]] or ["a", "b"]
    known = f". Known: {', '.join(choices)}." if wrong and choices else ""
    return f"Write: {name} = [{', '.join(map(_quoted, texts))}]{known}"


def as_scalar(name: str, value: Any, kind: type) -> str:
    """The remedy for the key `name`, which takes a value of `kind` but has `value`."""
    if isinstance(value, list) and len(value) == 1:
        (value,) = value
    if kind is str and type(value) in (str, int):
        return f"Write: {name} = {_quoted(str(value))}"
    if isinstance(value, str) and kind in _BARE and re.fullmatch(_BARE[kind], value):
        return f"Write: {name} = {value}"
    return f"It is {value!r}."


def _quoted(text: str) -> str:
    """`text` as a TOML string."""
    return json.dumps(text, ensure_ascii=False)


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
