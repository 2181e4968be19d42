"""JSON files with a sum over them: half a file, or one with a wrong bit, is none."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from buildtool.core.files import read_regular, write_if_changed


def write_checksummed(path: Path, value: Any) -> None:
    """Write a line with the sha256 of the JSON text, and the text."""
    text = json.dumps(value).encode()
    write_if_changed(path, hashlib.sha256(text).hexdigest().encode() + b"\n" + text)


def read_checksummed(path: Path) -> Any:
    """What was written; raises `OSError`, and `ValueError` when it is not as it was written."""
    said, _, text = read_regular(path).partition(b"\n")
    if said != hashlib.sha256(text).hexdigest().encode():
        raise ValueError("its sum is another one")
    return json.loads(text)
