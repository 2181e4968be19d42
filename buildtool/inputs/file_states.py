"""The state of files on disk: each is looked at once, and read only if its digest is not known.

Digests are kept in a file from one process to the next, in columns, not rows: paths, then
their stamps, then their digests.  So the digests of 50,000 files are read at once.
"""

from __future__ import annotations

import contextlib
import json
import os
import stat
import struct
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

from buildtool.core.files import (
    digest_of,
    is_settled,
    read_regular,
    stamp_of,
    stream_digest,
    write_if_changed,
)

MISSING, DIRECTORY, SPECIAL = "", "directory", "special"
EXECUTABLE_SUFFIX = "+x"
_NOT_ON_DISK = ("/proc/", "/sys/", "/dev/")  # reading there may never end, or yield nothing


class FileView(Protocol):
    """The file system, as far as it decides whether a step is up to date.

    Another implementation than `FileStates` has its files in memory, for tests of this decision.
    """

    def states(self, paths: Sequence[str]) -> list[str]:
        """The state of each path: the sha256 of the file in hex, with `+x` appended if its owner
        may execute it; else `directory`, `special` (a pipe or a device), or "" if there is nothing
        that can be read.  Fastest if files of the same directory are adjacent."""

    def entries(self, directory: str) -> Mapping[str, bool] | None:
        """The entries of a directory: name → whether it is a directory or a symlink to one.

        None if it is not a directory, or cannot be read.
        """

    def exists(self, path: str) -> bool:
        """Whether the path exists; a dangling symlink does."""

    def link(self, path: str) -> str:
        """The target of the symlink `path`; "" if it is none."""


class FileStates(FileView):
    """The file system, as it was when this object first looked at each of its files.

    `digest_file` keeps digests from one process to the next, see `StoredDigests`.
    """

    def __init__(
        self, digest_file: Path | None = None, digests: StoredDigests | None = None
    ) -> None:
        self._digests = digests or StoredDigests(digest_file)
        self._states: dict[str, str] = {}
        self._entries: dict[str, Mapping[str, bool] | None] = {}
        self._casefolded: dict[str, frozenset[str]] = {}

    def state(self, path: str | Path) -> str:
        """The one of `states` for this path."""
        return self.states((str(path),))[0]

    def states(self, paths: Sequence[str]) -> list[str]:
        known, states = self._states, []
        with _DirectoryStat() as directory_stat:
            for path in paths:
                state = known.get(path)
                if state is None:
                    state = known[path] = self._determine_state(path, directory_stat)
                states.append(state)
        return states

    def remembers(self, path: Path) -> bool:
        """Whether the state of the file is known without reading it."""
        try:
            return bool(self._states.get(str(path)) or self._digests.get(str(path), path.stat()))
        except OSError:
            return False

    def entries(self, directory: str | Path) -> Mapping[str, bool] | None:
        directory = directory if type(directory) is str else str(directory)
        if directory not in self._entries:
            self._entries[directory] = _list_directory(directory)
        return self._entries[directory]

    def exists(self, path: str) -> bool:
        parent, _, name = path.rpartition("/")
        entries = self.entries(parent or "/")
        # A directory that cannot be listed may still be searched.
        if entries is None or name in ("", ".", ".."):
            return os.path.lexists(path)
        if name in entries:
            return True
        # Some file systems ignore case, or how an accent is encoded.
        similar = not name.isascii() or name.casefold() in self._casefold(parent or "/", entries)
        return similar and os.path.lexists(path)

    def link(self, path: str) -> str:
        try:
            return os.readlink(path)  # noqa: PTH115 - as `states`: many files
        except (OSError, ValueError):
            return ""

    def with_fresh_stats(self) -> FileStates:
        """The file system as it is from now on; both objects share the digests."""
        return FileStates(digests=self._digests)

    def save(self) -> None:
        """Keep the digests for the next process."""
        self._digests.save()

    def _casefold(self, directory: str, entries: Mapping[str, bool]) -> frozenset[str]:
        if directory not in self._casefolded:
            self._casefolded[directory] = frozenset(name.casefold() for name in entries)
        return self._casefolded[directory]

    def _determine_state(self, path: str, directory_stat: _DirectoryStat) -> str:
        status = directory_stat.stat(path)
        if status is None:
            return MISSING
        if not stat.S_ISREG(status.st_mode):
            return DIRECTORY if stat.S_ISDIR(status.st_mode) else SPECIAL
        state = self._digests.get(path, status) or self._read_file(path)
        if status.st_mode & 0o100 and state not in (MISSING, SPECIAL):
            return state + EXECUTABLE_SUFFIX
        return state

    def _read_file(self, path: str) -> str:
        if path.startswith(_NOT_ON_DISK):
            return SPECIAL
        try:
            with open(path, "rb") as stream:  # noqa: PTH123
                # The status of the open file: another file may have the path by now.
                before = os.fstat(stream.fileno())
                digest = stream_digest(stream)
                after = os.fstat(stream.fileno())
        except OSError:
            return MISSING  # a build cannot read it either
        self._digests.add(path, before, after, digest)
        return digest.hex()


class _DirectoryStat:
    """Calls stat() relative to an open directory: takes half the time of absolute paths."""

    def __init__(self) -> None:
        self._directory: str | None = None
        self._descriptor = -1

    def __enter__(self) -> _DirectoryStat:
        return self

    def __exit__(self, *_: object) -> None:
        self._close()

    def stat(self, path: str) -> os.stat_result | None:
        """The status of an absolute path; None if there is none."""
        directory, _, name = path.rpartition("/")
        try:
            if directory != self._directory:
                self._close()
                self._directory = directory
                self._descriptor = os.open(f"{directory}/", os.O_PATH | os.O_CLOEXEC)
            if self._descriptor < 0:
                return None
            # Creating a Path for each of 50,000 files would take longer than the call.
            return os.stat(name or ".", dir_fd=self._descriptor)
        except (OSError, ValueError):
            return None

    def _close(self) -> None:
        # In this order, because Ctrl-C may come right after the call, and this is called again.
        descriptor, self._descriptor = self._descriptor, -1
        if descriptor >= 0:
            os.close(descriptor)


def _list_directory(directory: str) -> Mapping[str, bool] | None:
    try:
        with os.scandir(directory) as entries:
            return {entry.name: _is_directory(entry) for entry in entries}
    except (OSError, ValueError):
        return None


def _is_directory(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a symlink loop
        return False


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
            if data[: -len(body)] != _MAGIC + bytes.fromhex(digest_of(body)):
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
        return _MAGIC + bytes.fromhex(digest_of(body)) + body


def _packed(status: os.stat_result) -> bytes:
    return _PACK(status.st_dev, *stamp_of(status))
