"""Digests of files, kept in one file from one process to the next.

The file holds columns, not rows: paths, then their stamps, then their digests.  So the digests of
50,000 files are read at once.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import struct
from pathlib import Path

from buildtool.core.file_stamp import is_settled, stamp_of
from buildtool.core.files import read_regular, write_if_changed

MAX_BYTES = 1 << 30
_MAGIC = b"buildtool stamps 1\n"
_PACK = struct.Struct("<QQqqq").pack
_STAMP_SIZE = 40
_DIGEST_SIZE = 32  # of a sha256


class StoredDigests:
    """The digests in `file`; without one, they are not kept.

    Each is valid as long as the file that it belongs to has the same stamp: device, inode, size,
    mtime and ctime.  No program can set the ctime, so a replaced file with its former mtime is
    noticed.  A damaged file only costs time.
    """

    def __init__(self, file: Path | None) -> None:
        self._file = file
        self._new: dict[str, tuple[bytes, bytes]] = {}
        self._used: set[str] = set()
        self._index: dict[str, int] = {}
        self._stamps = b""
        self._digests = b""
        if file:
            self._read(file)

    def get(self, path: str, status: os.stat_result) -> str:
        """The sha256 of the file in hex, "" if it is not known."""
        at = self._index.get(path)
        if at is None or self._stamp_at(at) != _packed(status):
            return ""
        self._used.add(path)
        return self._digest_at(at).hex()

    def add(self, path: str, before: os.stat_result, after: os.stat_result, digest: bytes) -> None:
        """Keep the sha256 of a file that had the status `before` and `after` it was read; not if it
        may have changed meanwhile."""
        stamp = _packed(before)
        if stamp == _packed(after) and is_settled(max(before.st_mtime_ns, before.st_ctime_ns)):
            self._new[path] = (stamp, digest)

    def save(self) -> None:
        """Write the file; if that fails, it only costs time."""
        if self._file and self._new:
            with contextlib.suppress(OSError):
                write_if_changed(self._file, self._as_bytes())

    def _stamp_at(self, at: int) -> bytes:
        return self._stamps[at * _STAMP_SIZE : (at + 1) * _STAMP_SIZE]

    def _digest_at(self, at: int) -> bytes:
        return self._digests[at * _DIGEST_SIZE : (at + 1) * _DIGEST_SIZE]

    def _read(self, file: Path) -> None:
        try:
            data = read_regular(file, MAX_BYTES)
            body = data[len(_MAGIC) + _DIGEST_SIZE :]
            if data[: -len(body)] != _MAGIC + hashlib.sha256(body).digest():
                return
            head, _, columns = body.partition(b"\n")
            paths = json.loads(head)
            end_of_stamps = len(paths) * _STAMP_SIZE
            self._stamps, self._digests = columns[:end_of_stamps], columns[end_of_stamps:]
            self._index = {path: at for at, path in enumerate(paths)}
        except (OSError, ValueError, TypeError, RecursionError):
            self._index = {}

    def _as_bytes(self) -> bytes:
        """The new digests, and those from the file that were used or whose files still exist."""
        paths = list(self._new)
        stamps, digests = (list(column) for column in zip(*self._new.values(), strict=True))
        for path, at in self._index.items():
            if path not in self._new and (path in self._used or os.path.lexists(path)):
                paths.append(path)
                stamps.append(self._stamp_at(at))
                digests.append(self._digest_at(at))
        body = json.dumps(paths).encode() + b"\n" + b"".join(stamps) + b"".join(digests)
        return _MAGIC + hashlib.sha256(body).digest() + body


def _packed(status: os.stat_result) -> bytes:
    return _PACK(status.st_dev, *stamp_of(status))
