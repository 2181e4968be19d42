"""Remedies for values of the wrong type: the user's value, corrected."""

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
