"""What is on disk now: asked once in a process, digested once while it stays what it is."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import stat
import time
from array import array
from collections.abc import Mapping
from pathlib import Path

from buildtool.core.files import write_if_changed

SETTLED_NS = 2_000_000_000
"""A file that was changed less than this ago may change again without a new time stamp."""
MISSING, DIRECTORY, SPECIAL = "", "directory", "special"
RUNS = "+x"
MAX_NOTE_BYTES = 1 << 30
_MAGIC = b"buildtool stamps 1\n"
_FIELDS = 5
_RAW = 32  # bytes of a sha256
_NO_FILES = ("/proc/", "/sys/", "/dev/")  # what is read there has no end, or no content

Stamp = tuple[int, int, int, int, int]


class Disk:
    """The file system, as it was when it was first asked.

    `note` is a file in which digests are remembered between processes, each with the stamp of its
    file: device, inode, size, times of modification and of change.  The last one cannot be set by
    a program, so a replaced file with its old time stamp is noticed.  A damaged note costs time,
    nothing else.
    """

    def __init__(self, note: Path | None = None) -> None:
        self._note = note
        self._states: dict[str, str] = {}
        self._entries: dict[str, Mapping[str, bool] | None] = {}
        self._fresh: dict[str, tuple[Stamp, str]] = {}
        self._used: set[int] = set()
        self._index: dict[str, int] = {}
        self._stamps = array("q")
        self._digests = b""
        if note:
            self._read(note)

    def state(self, path: str | Path) -> str:
        """sha256 of the file's bytes in hex, with `+x` where its owner may run it; else
        `directory`, `special` (a pipe, a device), or "" where there is nothing to read."""
        path = path if type(path) is str else str(path)
        known = self._states.get(path)
        if known is None:
            known = self._states[path] = self._look(path)
        return known

    def digest(self, path: str | Path) -> str:
        """`state` without the mark of a program."""
        return self.state(path).removesuffix(RUNS)

    def entries(self, directory: str | Path) -> Mapping[str, bool] | None:
        """What is in a directory: name → whether it is a directory, or a link to one.

        None where there is no directory, or none that may be read.
        """
        directory = directory if type(directory) is str else str(directory)
        if directory not in self._entries:
            self._entries[directory] = _list(directory)
        return self._entries[directory]

    def names(self, directory: str | Path) -> frozenset[str] | None:
        """The names in a directory; None where there is none that may be read."""
        entries = self.entries(directory)
        return None if entries is None else frozenset(entries)

    def exists(self, path: str) -> bool:
        """Whether anything is called so, be it a link to nothing."""
        parent, _, name = path.rpartition("/")
        entries = self.entries(parent or "/")
        if entries is None:  # a directory that may not be listed may still be passed through
            return os.path.lexists(path)
        return name in entries

    def forget(self) -> None:
        """Ask anew: after a build, files are not what they were before it."""
        self._states.clear()
        self._entries.clear()

    def save(self) -> None:
        """Remember what was digested; a note that cannot be written costs time, nothing else."""
        if self._note and self._fresh:
            with contextlib.suppress(OSError):
                write_if_changed(self._note, self._as_bytes())

    def _look(self, path: str) -> str:
        try:
            status = os.stat(path)  # noqa: PTH116 - a Path for each of 50,000 files would cost
        except (OSError, ValueError):
            return MISSING
        if not stat.S_ISREG(status.st_mode):
            return DIRECTORY if stat.S_ISDIR(status.st_mode) else SPECIAL
        if path.startswith(_NO_FILES):
            return SPECIAL
        stamp = _stamp(status)
        digest = self._remembered(path, stamp)
        if not digest:
            try:
                with open(path, "rb") as stream:  # noqa: PTH123
                    # Of the very file that is read: another may have taken its name by now.
                    stamp = _stamp(os.fstat(stream.fileno()))
                    digest = hashlib.file_digest(stream, "sha256").hexdigest()
                    unmoved = _stamp(os.fstat(stream.fileno())) == stamp
            except OSError:
                return MISSING  # to a build it is as if it were not there
            if unmoved and time.time_ns() - max(stamp[3:]) > SETTLED_NS:
                self._fresh[path] = (stamp, digest)
        return digest + RUNS if status.st_mode & 0o100 else digest

    def _remembered(self, path: str, stamp: Stamp) -> str:
        at = self._index.get(path)
        if at is None or tuple(self._stamps[at * _FIELDS : (at + 1) * _FIELDS]) != stamp:
            return ""
        self._used.add(at)
        return self._digests[at * _RAW : (at + 1) * _RAW].hex()

    def _read(self, note: Path) -> None:
        """Columns, not rows: one number of names, then names, stamps and digests each in one go."""
        try:
            with note.open("rb") as stream:
                data = stream.read(MAX_NOTE_BYTES)
            magic, check, body = data[: len(_MAGIC)], data[len(_MAGIC) :][:_RAW], b""
            body = data[len(_MAGIC) + _RAW :]
            if magic != _MAGIC or hashlib.sha256(body).digest() != check:
                return
            head, _, rest = body.partition(b"\n")
            paths = json.loads(head)
            numbers = len(paths) * _FIELDS * 8
            self._stamps.frombytes(rest[:numbers])
            self._digests = rest[numbers:]
            self._index = {path: at for at, path in enumerate(paths)}
        except (OSError, ValueError, TypeError, RecursionError):
            self._index, self._stamps, self._digests = {}, array("q"), b""

    def _as_bytes(self) -> bytes:
        """What was used of the note, or still is what it was, and what is new."""
        paths, stamps, digests = list(self._fresh), array("q"), []
        for stamp, digest in self._fresh.values():
            stamps.extend(stamp)
            digests.append(bytes.fromhex(digest))
        for path, at in self._index.items():
            if path not in self._fresh and (at in self._used or os.path.lexists(path)):
                paths.append(path)
                stamps.extend(self._stamps[at * _FIELDS : (at + 1) * _FIELDS])
                digests.append(self._digests[at * _RAW : (at + 1) * _RAW])
        body = json.dumps(paths).encode() + b"\n" + stamps.tobytes() + b"".join(digests)
        return _MAGIC + hashlib.sha256(body).digest() + body


def _stamp(status: os.stat_result) -> Stamp:
    return (
        # Inode and device numbers may use all 64 bits.
        status.st_dev & (1 << 63) - 1,
        status.st_ino & (1 << 63) - 1,
        status.st_size,
        status.st_mtime_ns,
        status.st_ctime_ns,
    )


def _list(directory: str) -> Mapping[str, bool] | None:
    try:
        with os.scandir(directory) as found:
            return {entry.name: entry.is_dir() for entry in found}
    except (OSError, ValueError):
        return None
