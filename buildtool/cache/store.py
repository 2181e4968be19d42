"""The files of the local cache: documents by key, blobs by the sha256 of their content.

ac/<aa>/<sha256>     a document: a line with the sha256 of its key and text, then its text
cas/<aa>/<sha256>    a blob: the content of one file
tmp/                 files that are being written; a process that is killed leaves its file here

A file is written to `tmp` and renamed, so it exists as a whole or not at all.  After a power cut it
may be incomplete: therefore every file is checked when it is read, and deleted when it is damaged.
"""

from __future__ import annotations

import contextlib
import os
import stat
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO, Literal

from buildtool.core import trees
from buildtool.core.files import digest_of, is_digest, replace_file, temporary_file
from buildtool.core.trees import remove_tree
from buildtool.core.value import Value

Kind = Literal["ac", "cas"]
KINDS: tuple[Kind, ...] = ("ac", "cas")
DOCUMENT_LIMIT = 16 << 20
"""The maximum size of a document in bytes."""
LOCK_TIMEOUT = 20.0
"""Seconds to wait for a lock of the cache: a process that holds it for longer hangs, and must not
block others."""
STALE = 3600.0
"""Seconds after which the writer of a file in `tmp` has ended, if it was not written to."""
_MAGIC = b"buildtool-document-1 "
_HEADER = len(_MAGIC) + 64 + 1
_CHUNK = 1 << 20


class Item(Value):
    """One document (`ac`) or blob (`cas`)."""

    kind: Kind
    key: str


class Stored(Value):
    """The size of an item in bytes, and the time of its last use in ns since the epoch."""

    size: int
    used: int


Commit = Callable[[int, Callable[[], object]], None]
"""Called with the size of a finished file, and with a function that moves it into place, which it
must call."""


class Store:
    """The files of a cache below `directory`.  Methods that write raise `OSError` on failure."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory

    def path(self, item: Item) -> Path:
        """The path of the item; raises `ValueError` when its key is not a sha256."""
        if item.kind not in KINDS or not is_digest(item.key):
            raise ValueError(f"{item.kind!r} {item.key!r} is not an item of a cache")
        return self.directory / item.kind / item.key[:2] / item.key

    def size(self, item: Item) -> int | None:
        """The size of the item's file; None when it is missing."""
        try:
            status = self.path(item).lstat()
        except OSError:
            return None
        return status.st_size if stat.S_ISREG(status.st_mode) else None

    def read_document(self, key: str) -> bytes | None:
        """The document's text; None when it is missing or damaged, in which case it is deleted."""
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

    def write_document(self, key: str, text: bytes, commit: Commit) -> None:
        """Write a document, in place of any other under its key."""
        with self._written(Item("ac", key), commit) as stream:
            stream.write(_header(key, text))
            stream.write(text)

    def copy_out(self, digest: str, to: BinaryIO) -> bool:
        """Write the content of a blob to `to`; returns False when it is missing or damaged.

        A damaged blob is deleted.  Raises `OSError` when `to` cannot be written.
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

    def copy_in(self, digest: str, source: BinaryIO, commit: Commit) -> bool:
        """Store `source` as the blob `digest`; returns False when its digest is another one."""
        with contextlib.suppress(_OtherContentError):
            with self._written(Item("cas", digest), commit) as stream:
                if _copy(source, stream) != digest:
                    raise _OtherContentError
            return True
        return False

    def check(self, item: Item) -> bool:
        """Whether the item matches its key; it is deleted when it does not.

        An item that is missing was evicted, and counts as good.
        """
        if self.size(item) is None:
            return True
        if item.kind == "ac":
            return self.read_document(item.key) is not None
        with Path(os.devnull).open("wb") as nowhere:
            return self.copy_out(item.key, nowhere)

    def discard(self, item: Item) -> None:
        """Delete the item, if it exists and can be deleted."""
        remove_tree(self.path(item), ignore_errors=True)

    def items(self) -> Iterator[tuple[Item, Stored]]:
        """Every document and blob; the last use is the time of modification, which `touch` sets."""
        for kind in KINDS:
            for entry in _entries(self.directory / kind):
                for file in _entries(Path(entry.path)):
                    if not (_is_item(entry, file) and file.is_file(follow_symlinks=False)):
                        continue
                    with contextlib.suppress(OSError):  # deleted meanwhile
                        status = file.stat(follow_symlinks=False)
                        yield Item(kind, file.name), Stored(status.st_size, status.st_mtime_ns)

    def strays(self) -> Iterator[Path]:
        """Paths among documents and blobs that are neither."""
        for kind in KINDS:
            for entry in _entries(self.directory / kind):
                if not entry.is_dir(follow_symlinks=False):
                    yield Path(entry.path)
                    continue
                for file in _entries(Path(entry.path)):
                    if not (_is_item(entry, file) and file.is_file(follow_symlinks=False)):
                        yield Path(file.path)

    def touch(self, item: Item, when: int) -> bool:
        """Record in the file itself that it was used; returns False when it is missing."""
        try:
            os.utime(self.path(item), ns=(when, when))
        except FileNotFoundError:
            return False
        except OSError:
            return True
        return True

    def sweep(self, older: float = STALE) -> None:
        """Delete temporary files that were not written to for so many seconds."""
        for entry in _entries(self.directory / "tmp"):
            with contextlib.suppress(OSError):
                if time.time() - entry.stat(follow_symlinks=False).st_mtime > older:
                    remove_tree(Path(entry.path), ignore_errors=True)

    def _open(self, item: Item) -> BinaryIO | None:
        path = self.path(item)
        try:
            # Non-blocking: opening a pipe in place of a file would wait.
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
    def _written(self, item: Item, commit: Commit) -> Iterator[BinaryIO]:
        """A stream to a new file, which becomes the item's when the block ends without an error."""
        path = self.path(item)
        trees.make_directory(path.parent)
        temporary = self.directory / "tmp"
        trees.make_directory(temporary)
        with temporary_file(temporary) as fresh:
            with fresh.open("wb") as stream:
                yield stream
            if path.is_dir() and not path.is_symlink():
                remove_tree(path, ignore_errors=True)
            commit(fresh.stat().st_size, lambda: replace_file(fresh, path, 0o444))


class _OtherContentError(Exception):
    """The content of a file does not match its digest."""


def _header(key: str, text: bytes) -> bytes:
    # The key is part of the checksum: a document under another key counts as damaged.
    checksum = digest_of(key.encode() + b"\n" + text)
    return _MAGIC + checksum.encode() + b"\n"


def _copy(source: BinaryIO, to: BinaryIO) -> str:
    """Copy `source`; returns the sha256 of what was copied, "" when it could not be read."""
    import hashlib  # noqa: PLC0415 - most builds store nothing

    digest = hashlib.sha256()
    while True:
        try:
            chunk = source.read(_CHUNK)
        except OSError:
            return ""
        if not chunk:
            return digest.hexdigest()
        digest.update(chunk)
        to.write(chunk)


def _is_item(folder: os.DirEntry[str], file: os.DirEntry[str]) -> bool:
    return is_digest(file.name) and file.name[:2] == folder.name


def _entries(directory: Path) -> list[os.DirEntry[str]]:
    """The entries of a directory; none for a link, as its target belongs to another program."""
    if directory.is_symlink():
        return []
    try:
        with os.scandir(directory) as entries:
            return list(entries)
    except OSError:
        return []
