"""The user's cache on this machine: documents and blobs on disk, within a size limit."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from buildtool.cache.action import blobs_named, path_sets_document, read_path_sets
from buildtool.cache.eviction import ACTIONS, evict
from buildtool.cache.index import Index
from buildtool.cache.maintenance import OtherCaches
from buildtool.cache.store import DOCUMENT_LIMIT, LOCK_TIMEOUT, Item, Store
from buildtool.core.cache import cache_dir
from buildtool.core.errors import UsageError
from buildtool.core.events import Listener, Note
from buildtool.core.files import replace_file, temporary_file, with_path_in_errors
from buildtool.core.lock import locked
from buildtool.core.trees import CACHE_REMEDY, TRIES, as_unwritable_error

LIMIT = 10 << 30
LIMIT_VARIABLE = "BUILDTOOL_CACHE_SIZE"
LOW_WATER = 0.9
"""Eviction frees space down to this share of the limit, so that it is seldom needed."""
_CHECKS = 50  # the size is checked each time that 1/50 of the limit was written
_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
_reported: set[Path] = set()  # the caches whose failure this process has reported


class LocalCache:
    """Documents by key and blobs by digest, below `directory`.

    Together with `others` they take at most `limit` bytes.  Keys and digests are sha256 in hex,
    else methods raise `ValueError`.  Threads and processes may share the cache.  When it cannot be
    written, `listener` receives one note, and from then on the cache is only read.  `close` records
    what was used, and evicts.
    """

    def __init__(
        self,
        directory: Path,
        limit: int,
        listener: Listener,
        others: OtherCaches | None = None,
    ) -> None:
        self.directory = directory
        self.others = others
        self.limit = limit
        self.listener = listener
        self.store = Store(directory)
        self.index = Index(self.store)
        self._state = threading.Lock()
        self._used: dict[Item, int] = {}
        self._unchecked = 0  # bytes written since the size was checked
        self._wrote = False
        self._writable = True

    def document(self, key: str) -> bytes | None:
        """The document under `key`; None when it is missing or damaged."""
        text = self.store.read_document(key)
        if text is not None:
            self._use(Item("ac", key))
        return text

    def put_document(self, key: str, data: bytes) -> bool:
        """Store a document under `key`, in place of any other; returns whether that succeeded.

        Blobs that it refers to are stored before it.
        """
        if len(data) > min(self.limit, DOCUMENT_LIMIT):
            return False
        item = Item("ac", key)
        self.store.path(item)
        names = blobs_named(data)

        def write() -> bool:
            self.store.write_document(
                key, data, lambda size, appear: self.index.add(item, size, appear, names)
            )
            self._written(len(data))
            return True

        return self._try(write)

    def discard_document(self, key: str) -> bool:
        """Delete the document under `key`; returns whether none is left."""
        item = Item("ac", key)

        def write() -> bool:
            self.store.discard(item)
            return self.store.size(item) is None

        return self._try(write)

    def has(self, digest: str) -> bool:
        """Whether there is a blob with this digest; its content is not checked."""
        return self.store.size(Item("cas", digest)) is not None

    def fetch(self, digest: str, into: Path) -> bool:
        """Write a blob to the file `into`, whole and verified, mode 0644.

        Returns False when the blob is missing or damaged, and raises `OSError` when `into` cannot
        be written; `into` then stays as it was.
        """
        if not self.has(digest):
            return False
        with temporary_file(into.parent) as fresh:
            with with_path_in_errors(into), fresh.open("wb") as stream:
                if not self.store.copy_out(digest, stream):
                    return False
            replace_file(fresh, into)
        self._use(Item("cas", digest))
        return True

    def put(self, digest: str, file: Path) -> bool:
        """Store the content of a file; returns False when its digest is not `digest`, when it is
        too large or when it could not be written."""
        item = Item("cas", digest)
        try:
            source = file.open("rb")
        except OSError:
            return False
        with source:
            size = os.fstat(source.fileno()).st_size
            there = self.store.size(item) == size

            def write() -> bool:
                source.seek(0)
                if there:
                    self.index.use({item: size})  # as recent as a new one
                elif not self.store.copy_in(
                    digest, source, lambda size, appear: self.index.add(item, size, appear)
                ):
                    return False
                self._written(0 if there else size)
                return True

            return size <= self.limit and (self._try(write) or there)

    def path_sets(self, step_key: str) -> tuple[dict[str, Any], ...]:
        """The path sets (JSON) that a step has had, newest first."""
        return read_path_sets(self.document(step_key) or b"")

    def add_path_set(self, step_key: str, path_set: Mapping[str, Any]) -> bool:
        """Make `path_set` the newest of a step; returns whether it was written."""

        def write() -> bool:
            with locked(self.directory / "path-sets.lock", timeout=LOCK_TIMEOUT):
                before = self.document(step_key)
                after = path_sets_document([path_set, *read_path_sets(before or b"")])
                return after == before or self.put_document(step_key, after)

        return self._try(write)

    def close(self) -> None:
        """Record what was used, and evict if anything was written; may be called again."""
        with self._state:
            used, self._used = self._used, {}
            wrote, self._wrote = self._wrote, False

        def write() -> bool:
            if used:
                self.index.use(used)
            if wrote:
                self.store.sweep()
                self._keep_limit()
            return True

        if used or wrote:
            self._try(write)

    def _use(self, item: Item) -> None:
        size = self.store.size(item)
        if size is not None:
            with self._state:
                self._used[item] = size

    def _written(self, size: int) -> None:
        with self._state:
            self._wrote = True
            self._unchecked += size
            enough = self._unchecked > self.limit // _CHECKS
            if enough:
                self._unchecked = 0
        if enough:
            self._keep_limit()

    def _keep_limit(self) -> None:
        target = int(self.limit * LOW_WATER)
        if not self.others:
            if self.index.total() > self.limit:
                evict(self.store, self.index, target)
        elif self.index.total() + self.others.size() > self.limit:
            self.others.collect(self.store, self.index, target)

    def _try(self, write: Callable[[], bool]) -> bool:
        """The result of `write`; False when it fails, which `listener` receives once."""
        if not self._writable:
            return False
        for attempt in range(TRIES):
            try:
                return write()
            except OSError as error:
                if isinstance(error, FileNotFoundError) and attempt + 1 < TRIES:
                    continue  # another process has just cleared the cache
                self._report(error)
                break
        return False

    def _report(self, error: OSError) -> None:
        with self._state:
            self._writable = False
            first = self.directory not in _reported
            _reported.add(self.directory)
        if first:
            why = f"{error.strerror or error}: {self.directory}"
            mend = f"\n  → {CACHE_REMEDY}" if as_unwritable_error(error) else ""
            self.listener(Note(f"the cache cannot be written: {why}{mend}"))


def actions_dir() -> Path:
    """The directory of the user's action cache."""
    return cache_dir() / ACTIONS


def open_cache(listener: Listener) -> LocalCache:
    """The user's action cache; raises `UsageError` when its size limit is invalid."""
    return LocalCache(actions_dir(), cache_limit(), listener, OtherCaches(cache_dir()))


def cache_limit() -> int:
    """The size limit in bytes: `$BUILDTOOL_CACHE_SIZE`, else 10 GiB."""
    said = os.environ.get(LIMIT_VARIABLE, "")
    return parse_size(said, LIMIT_VARIABLE) if said else LIMIT


def parse_size(text: str, where: str) -> int:
    """A size such as `20G` in bytes, with K, M, G and T as powers of 1024; only 0 needs no unit.

    Raises `UsageError`, which names `where` the text comes from.
    """
    said = re.fullmatch(r"(\d{1,15}(?:\.\d{1,6})?)\s*([KMGT])?(I?B)?", text.strip().upper())
    if said is None or not (said[2] or said[3] or float(said[1]) == 0):
        raise UsageError(
            f"{where}: {text!r} is not a size",
            why="a size is a number with a unit: B, K, M, G or T",
            remedy="Write for example 20G.",
        )
    return int(float(said[1]) * _UNITS[said[2] or ""])
