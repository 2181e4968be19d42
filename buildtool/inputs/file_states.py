"""What is on disk now: asked once in a process, digested once while it stays what it is."""

from __future__ import annotations

import contextlib
import copy
import hashlib
import json
import os
import stat
import struct
from collections.abc import Mapping, Sequence
from pathlib import Path

from buildtool.core.file_stamp import is_settled, stamp_of
from buildtool.core.files import read_regular, write_if_changed

MISSING, DIRECTORY, SPECIAL = "", "directory", "special"
RUNS = "+x"
MAX_NOTE_BYTES = 1 << 30
_MAGIC = b"buildtool stamps 1\n"
_PACK = struct.Struct("<QQqqq").pack  # device, inode, size, times of modification, of change
_STAMP = 40
_RAW = 32  # bytes of a sha256
_NO_FILES = ("/proc/", "/sys/", "/dev/")  # what is read there has no end, or no content


class FileStates:
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
        self._folds: dict[str, frozenset[str]] = {}
        self._fresh: dict[str, tuple[bytes, bytes]] = {}
        self._used: set[str] = set()
        self._index: dict[str, int] = {}
        self._stamps = b""
        self._digests = b""
        if note:
            self._read(note)

    def state(self, path: str | Path) -> str:
        """sha256 of the file's bytes in hex, with `+x` where its owner may run it; else
        `directory`, `special` (a pipe, a device), or "" where there is nothing to read."""
        return self.states((str(path),))[0]

    def states(self, paths: Sequence[str]) -> list[str]:
        """The `state` of each; quickest when neighbours in a directory follow each other."""
        known, out = self._states, []
        with _Neighbours() as neighbours:
            for path in paths:
                state = known.get(path)
                if state is None:
                    state = known[path] = self._look(path, neighbours)
                out.append(state)
        return out

    def entries(self, directory: str | Path) -> Mapping[str, bool] | None:
        """What is in a directory: name → whether it is a directory, or a link to one.

        None where there is no directory, or none that may be read.
        """
        directory = directory if type(directory) is str else str(directory)
        if directory not in self._entries:
            self._entries[directory] = _list(directory)
        return self._entries[directory]

    def exists(self, path: str) -> bool:
        """Whether anything is called so, be it a link to nothing."""
        parent, _, name = path.rpartition("/")
        entries = self.entries(parent or "/")
        # A directory that may not be listed may still be passed through.
        if entries is None or name in ("", ".", ".."):
            return os.path.lexists(path)
        if name in entries:
            return True
        # Some file systems take no notice of case, or of how an accent is written.
        alike = not name.isascii() or name.casefold() in self._folded(parent or "/", entries)
        return alike and os.path.lexists(path)

    def _folded(self, directory: str, entries: Mapping[str, bool]) -> frozenset[str]:
        """The names in a directory without their case."""
        if directory not in self._folds:
            self._folds[directory] = frozenset(name.casefold() for name in entries)
        return self._folds[directory]

    def with_fresh_stats(self) -> FileStates:
        """The file system as it is from now on; both remember the same digests."""
        later = copy.copy(self)
        later._states, later._entries, later._folds = {}, {}, {}
        return later

    def save(self) -> None:
        """Remember what was digested; a note that cannot be written costs time, nothing else."""
        if self._note and self._fresh:
            with contextlib.suppress(OSError):
                write_if_changed(self._note, self._as_bytes())

    def _look(self, path: str, neighbours: _Neighbours) -> str:
        status = neighbours.stat(path)
        if status is None:
            return MISSING
        if not stat.S_ISREG(status.st_mode):
            return DIRECTORY if stat.S_ISDIR(status.st_mode) else SPECIAL
        digest = self._remembered(path, _stamp(status)) or self._read_whole(path)
        return digest + RUNS if status.st_mode & 0o100 and len(digest) > len(SPECIAL) else digest

    def _read_whole(self, path: str) -> str:
        if path.startswith(_NO_FILES):
            return SPECIAL
        try:
            with open(path, "rb") as stream:  # noqa: PTH123
                # Of the very file that is read: another may have taken its name by now.
                before = os.fstat(stream.fileno())
                digest = hashlib.file_digest(stream, "sha256").digest()
                after = os.fstat(stream.fileno())
        except OSError:
            return MISSING  # to a build it is as if it were not there
        stamp = _stamp(before)
        changed = max(before.st_mtime_ns, before.st_ctime_ns)
        if stamp == _stamp(after) and is_settled(changed):
            self._fresh[path] = (stamp, digest)
        return digest.hex()

    def _remembered(self, path: str, stamp: bytes) -> str:
        at = self._index.get(path)
        if at is None or self._stamps[at * _STAMP : (at + 1) * _STAMP] != stamp:
            return ""
        self._used.add(path)
        return self._digests[at * _RAW : (at + 1) * _RAW].hex()

    def _read(self, note: Path) -> None:
        """Columns, not rows: names, then their stamps, then their digests, each in one go."""
        try:
            data = read_regular(note, MAX_NOTE_BYTES)
            body = data[len(_MAGIC) + _RAW :]
            if data[: -len(body)] != _MAGIC + hashlib.sha256(body).digest():
                return
            head, _, rest = body.partition(b"\n")
            paths = json.loads(head)
            self._stamps, self._digests = (
                rest[: len(paths) * _STAMP],
                rest[len(paths) * _STAMP :],
            )
            self._index = {path: at for at, path in enumerate(paths)}
        except (OSError, ValueError, TypeError, RecursionError):
            self._index = {}

    def _as_bytes(self) -> bytes:
        """What is new, and of the note what was used or may be used another time."""
        paths = list(self._fresh)
        stamps, digests = (list(column) for column in zip(*self._fresh.values(), strict=True))
        for path, at in self._index.items():
            if path not in self._fresh and (path in self._used or os.path.lexists(path)):
                paths.append(path)
                stamps.append(self._stamps[at * _STAMP : (at + 1) * _STAMP])
                digests.append(self._digests[at * _RAW : (at + 1) * _RAW])
        body = json.dumps(paths).encode() + b"\n" + b"".join(stamps) + b"".join(digests)
        return _MAGIC + hashlib.sha256(body).digest() + body


class _Neighbours:
    """Asks for files by their names in an open directory: half the time of whole paths."""

    def __init__(self) -> None:
        self._directory: str | None = None
        self._handle = -1

    def __enter__(self) -> _Neighbours:
        return self

    def __exit__(self, *_: object) -> None:
        self._close()

    def stat(self, path: str) -> os.stat_result | None:
        directory, _, name = path.rpartition("/")
        try:
            if directory != self._directory:
                self._close()
                self._directory = directory
                self._handle = os.open(f"{directory}/", os.O_PATH | os.O_CLOEXEC)
            # A Path for each of 50,000 files would cost more than the question.
            return os.stat(name or ".", dir_fd=self._handle) if self._handle >= 0 else None
        except (OSError, ValueError):
            return None

    def _close(self) -> None:
        if self._handle >= 0:
            os.close(self._handle)
        self._handle = -1


def _stamp(status: os.stat_result) -> bytes:
    return _PACK(status.st_dev, *stamp_of(status))


def _list(directory: str) -> Mapping[str, bool] | None:
    try:
        with os.scandir(directory) as found:
            return {entry.name: _is_directory(entry) for entry in found}
    except (OSError, ValueError):
        return None


def _is_directory(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a link that leads to itself
        return False
