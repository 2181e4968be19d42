"""JSON files with a checksum, so that damaged and truncated files are noticed."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from buildtool.core.files import read_regular, write_if_changed


def write_checksummed(path: Path, value: Any) -> None:
    """Write a line with the sha256 of the JSON text of `value`, then the text."""
    text = json.dumps(value).encode()
    write_if_changed(path, hashlib.sha256(text).hexdigest().encode() + b"\n" + text)


def read_checksummed(path: Path) -> Any:
    """The value in the file; raises `OSError`, and `ValueError` when the file is damaged."""
    checksum, _, text = read_regular(path).partition(b"\n")
    if checksum != hashlib.sha256(text).hexdigest().encode():
        raise ValueError("the checksum does not match")
    return json.loads(text)
