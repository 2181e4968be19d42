"""JSON from anywhere, in bounded memory: a byte of it may become a hundred in Python."""

from __future__ import annotations

import json
from typing import Any

MAX_VALUES = 500_000
"""So many are in a document of 16 MiB whose paths have 33 characters on average."""


def values(data: bytes) -> int:
    """At least as many as there are values in the JSON text: each follows one of these bytes."""
    return data.count(b",") + data.count(b"[") + data.count(b"{") + data.count(b":")


def parse(data: bytes) -> Any:
    """The value of a JSON text; raises `ValueError` when it is none, has more than `MAX_VALUES`
    values, or is nested as deeply as no document is."""
    if values(data) > MAX_VALUES:
        raise ValueError(f"more than {MAX_VALUES} values")
    try:
        return json.loads(data.decode())
    except RecursionError:
        raise ValueError("nested too deeply") from None
