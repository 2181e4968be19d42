"""The files of the local cache: documents by key, blobs by the sha256 of their content.

ac/<aa>/<sha256>     a document: a line with the sha256 of its key and text, then its text
cas/<aa>/<sha256>    a blob: the content of one file, nothing else
tmp/                 what is being written; a killed writer leaves its file here

A file is written to `tmp` and renamed, so it is there as a whole or not at all.  After a power cut
it may be there in part: therefore everything is checked when it is read, and deleted when wrong.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO, Literal

from buildtool.core import own_directory
from buildtool.core.files import is_digest, replace_file, temporary_file
from buildtool.core.trees import remove_tree
from buildtool.core.value import Value

Kind = Literal["ac", "cas"]
KINDS: tuple[Kind, ...] = ("ac", "cas")
DOCUMENT_LIMIT = 16 << 20
"""Bytes: no document is larger."""
LOCK_TIMEOUT = 20.0
"""Seconds to wait for a lock of the cache: a holder that keeps it for longer has stopped, and must
not stop others."""
STALE = 3600.0
"""Seconds: a file in `tmp` that nobody wrote to for so long has lost its writer."""
_MAGIC = b"buildtool-document-1 "
_HEADER = len(_MAGIC) + 64 + 1
_CHUNK = 1 << 20


class Item(Value):
    """One document (`ac`) or blob (`cas`)."""

    kind: Kind
    key: str


class Stored(Value):
    """An item's size in bytes and when it was last used, in nanoseconds since the epoch."""

    size: int
    used: int


Place = Callable[[int, Callable[[], object]], None]
"""Called with a finished file's size and with what makes it appear, which it must call."""


class Store:
    """The cache's files below `directory`.  Methods that write raise `OSError` when they cannot."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory

    def path(self, item: Item) -> Path:
        """Where the item lies; `ValueError` when its key is no sha256, whoever named it."""
        if item.kind not in KINDS or not is_digest(item.key):
            raise ValueError(f"{item.kind!r} {item.key!r} names nothing in a cache")
        return self.directory / item.kind / item.key[:2] / item.key

    def size(self, item: Item) -> int | None:
        """The size of the item's file; None when it is not there."""
        try:
            status = self.path(item).lstat()
        except OSError:
            return None
        return status.st_size if stat.S_ISREG(status.st_mode) else None

    def read_document(self, key: str) -> bytes | None:
        """The document's text; None, and no such file any more, when it is missing or damaged."""
        item = Item("ac", key)
        stream = self._open(item)
        if stream is None:
            return None
        try:
            with stream:
                data = stream.read(_HEADER + DOCUMENT_LIMIT + 1)
        except OSError:
            data = b""
        text = data[_HEADER:]
        if len(text) <= DOCUMENT_LIMIT and data[:_HEADER] == _header(key, text):
            return text
        self.discard(item)
        return None

    def write_document(self, key: str, text: bytes, place: Place) -> None:
        """Write a document in place of any other of its key."""
        with self._written(Item("ac", key), place) as stream:
            stream.write(_header(key, text))
            stream.write(text)

    def copy_out(self, digest: str, to: BinaryIO) -> bool:
        """Write the blob's content to `to`; False when it is missing or damaged.

        A damaged blob is deleted.  `OSError` comes from `to` only.
        """
        item = Item("cas", digest)
        stream = self._open(item)
        if stream is None:
            return False
        with stream:
            if _copy(stream, to) == digest:
                return True
        self.discard(item)
        return False

    def copy_in(self, digest: str, source: BinaryIO, place: Place) -> bool:
        """Keep `source` as the blob `digest`; False when what was read is something else."""
        with contextlib.suppress(_OtherContentError):
            with self._written(Item("cas", digest), place) as stream:
                if _copy(source, stream) != digest:
                    raise _OtherContentError
            return True
        return False

    def check(self, item: Item) -> bool:
        """Whether the item's file says what its name says; it is deleted when not.

        An item that is gone by now was evicted, which is no fault.
        """
        if self.size(item) is None:
            return True
        if item.kind == "ac":
            return self.read_document(item.key) is not None
        with Path(os.devnull).open("wb") as nowhere:
            return self.copy_out(item.key, nowhere)

    def discard(self, item: Item) -> None:
        """Delete the item if it is there and may be deleted."""
        remove_tree(self.path(item), ignore_errors=True)

    def items(self) -> Iterator[tuple[Item, Stored]]:
        """Every document and blob; use is told by the time stamp, which `touch` sets."""
        for kind in KINDS:
            for entry in _entries(self.directory / kind):
                for file in _entries(Path(entry.path)):
                    if not (_is_place(entry, file) and file.is_file(follow_symlinks=False)):
                        continue
                    with contextlib.suppress(OSError):  # deleted just now
                        status = file.stat(follow_symlinks=False)
                        yield Item(kind, file.name), Stored(status.st_size, status.st_mtime_ns)

    def strays(self) -> Iterator[Path]:
        """What lies among documents and blobs and is neither."""
        for kind in KINDS:
            for entry in _entries(self.directory / kind):
                if not entry.is_dir(follow_symlinks=False):
                    yield Path(entry.path)
                    continue
                for file in _entries(Path(entry.path)):
                    if not (_is_place(entry, file) and file.is_file(follow_symlinks=False)):
                        yield Path(file.path)

    def touch(self, item: Item, when: int) -> bool:
        """Note in the file itself that it was used; False when it is gone."""
        try:
            os.utime(self.path(item), ns=(when, when))
        except FileNotFoundError:
            return False
        except OSError:
            return True
        return True

    def sweep(self, older: float = STALE) -> None:
        """Delete what killed writers left: what nobody wrote to for so many seconds."""
        for entry in _entries(self.directory / "tmp"):
            with contextlib.suppress(OSError):
                if time.time() - entry.stat(follow_symlinks=False).st_mtime > older:
                    remove_tree(Path(entry.path), ignore_errors=True)

    def _open(self, item: Item) -> BinaryIO | None:
        path = self.path(item)
        try:
            # Not blocking: a pipe in the place of a file must not stop us.
            handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        except FileNotFoundError:
            return None
        except OSError:
            self.discard(item)
            return None
        if stat.S_ISREG(os.fstat(handle).st_mode):
            return os.fdopen(handle, "rb", buffering=0)
        os.close(handle)
        self.discard(item)
        return None

    @contextlib.contextmanager
    def _written(self, item: Item, place: Place) -> Iterator[BinaryIO]:
        """A stream into a file that is placed as the item's when the block ends without error."""
        path = self.path(item)
        own_directory.make_directory(path.parent)
        temporary = self.directory / "tmp"
        own_directory.make_directory(temporary)
        with temporary_file(temporary) as fresh:
            with fresh.open("wb") as stream:
                yield stream
            if path.is_dir() and not path.is_symlink():
                remove_tree(path, ignore_errors=True)
            place(fresh.stat().st_size, lambda: replace_file(fresh, path, 0o444))


class _OtherContentError(Exception):
    """A file is not what its digest says."""


def _header(key: str, text: bytes) -> bytes:
    # The key is part of the sum: a document in another one's place is a damaged one.
    summed = hashlib.sha256(key.encode() + b"\n" + text).hexdigest()
    return _MAGIC + summed.encode() + b"\n"


def _copy(source: BinaryIO, to: BinaryIO) -> str:
    """Copy all of `source`; the sha256 of what was written, or "" when it could not be read."""
    summed = hashlib.sha256()
    while True:
        try:
            chunk = source.read(_CHUNK)
        except OSError:
            return ""
        if not chunk:
            return summed.hexdigest()
        summed.update(chunk)
        to.write(chunk)


def _is_place(folder: os.DirEntry[str], file: os.DirEntry[str]) -> bool:
    return is_digest(file.name) and file.name[:2] == folder.name


def _entries(directory: Path) -> list[os.DirEntry[str]]:
    """What is in a directory; nothing when it is a link, which leads to somebody else's files."""
    if directory.is_symlink():
        return []
    try:
        with os.scandir(directory) as entries:
            return list(entries)
    except OSError:
        return []
