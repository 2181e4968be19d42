"""Digests of large files that seldom change, cached by the stamps of the files."""

from __future__ import annotations

import contextlib
import hashlib
import os
from pathlib import Path

from buildtool.core.cache import cache_dir
from buildtool.core.file_stamp import is_settled, stamp_of
from buildtool.core.files import file_digest, is_digest, read_regular, write_if_changed


def cached_digest(path: Path) -> str:
    """sha256 of the file's bytes, in hex; reads the file only when its device or stamp changed.

    Raises `OSError` when the file cannot be read.
    """
    path = path.resolve()
    status = path.stat()
    stamp = "".join(f"{number} " for number in (status.st_dev, *stamp_of(status)))
    name = hashlib.sha256(os.fsencode(path)).hexdigest()[:32]
    note = cache_dir() / "digests" / name
    try:
        text = read_regular(note).decode()
    except (OSError, UnicodeDecodeError):
        text = ""
    digest = text.removeprefix(stamp)
    if text.startswith(stamp) and is_digest(digest):
        return digest
    digest = file_digest(path)
    if is_settled(status.st_ctime_ns):
        with contextlib.suppress(OSError):  # a read-only cache only costs time
            write_if_changed(note, stamp + digest)
    return digest
