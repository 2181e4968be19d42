"""An index of the cache, a SQLite database: the size and the last use of each item.

It serves the size limit only.  The files determine what is in the cache; an index that is missing,
damaged or outdated costs a walk over them.

Each transaction opens the database under a lock on a file next to it (0.2 ms), so that no process
writes to an index that another one has replaced.  For the same reason the database has a rollback
journal and no write-ahead log, which would outlive it under its name.  It is not flushed to the
disk: after a power cut it may be damaged, or lack a few rows.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from buildtool.cache.action import blobs_named
from buildtool.cache.store import KINDS, LOCK_TIMEOUT, Item, Store, Stored
from buildtool.core.files import is_digest
from buildtool.core.lock import locked
from buildtool.core.trees import remove_tree
from buildtool.core.value import Value

if TYPE_CHECKING:
    from sqlite3 import Connection

T = TypeVar("T")
VERSION = 1
_UNWRITABLE = {3, 5, 6, 8, 13}  # SQLite's PERM, BUSY, LOCKED, READONLY, FULL: no damage
_SCHEMA = f"""
BEGIN IMMEDIATE;
CREATE TABLE item(kind TEXT, key TEXT, size INTEGER, used INTEGER, PRIMARY KEY(kind, key))
  WITHOUT ROWID;
CREATE TABLE named(document TEXT, blob TEXT, PRIMARY KEY(document, blob)) WITHOUT ROWID;
CREATE INDEX naming ON named(blob);
PRAGMA user_version = {VERSION};
"""


class Row(Value):
    """An item in the index."""

    item: Item
    stored: Stored

    @property
    def size(self) -> int:
        """In bytes."""
        return self.stored.size

    @property
    def used(self) -> int:
        """The time of the last use, in ns since the epoch."""
        return self.stored.used


class Index:
    """The index of `store`.  All methods raise `OSError` when the index cannot be written."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.path = store.directory / "index.sqlite"

    def add(
        self, item: Item, size: int, appear: Callable[[], object], names: Iterable[str] = ()
    ) -> None:
        """Add `item`, a document with the digests of the blobs that it refers to, then call
        `appear`, which creates its file.

        A process that is killed in between leaves a row without a file, which is less harmful than
        a file without a row.
        """
        row = Row(item, Stored(size, time.time_ns()))
        named = [(item.key, blob) for blob in names]

        def act(database: Connection) -> None:
            _insert(database, [row])
            if item.kind == "ac":
                database.execute("DELETE FROM named WHERE document = ?", [item.key])
                database.executemany("INSERT OR IGNORE INTO named VALUES(?, ?)", named)

        self._transaction(act, appear)

    def use(self, items: Mapping[Item, int]) -> None:
        """Record that items of these sizes were used, with the blobs that documents refer to."""
        now = time.time_ns()
        found = {item: size for item, size in items.items() if self.store.touch(item, now)}

        def act(database: Connection) -> set[str]:
            _insert(database, [Row(item, Stored(size, now)) for item, size in found.items()])
            blobs = {
                blob
                for item in found
                if item.kind == "ac"
                for (blob,) in database.execute(
                    "SELECT blob FROM named WHERE document = ?", [item.key]
                )
            }
            database.executemany(
                "UPDATE item SET used = ? WHERE kind = 'cas' AND key = ?",
                [(now, blob) for blob in blobs],
            )
            return blobs

        for blob in self._transaction(act):
            with contextlib.suppress(ValueError, TypeError):  # a damaged index
                self.store.touch(Item("cas", blob), now)

    def forget(self, rows: Sequence[Row]) -> None:
        """Delete rows, except those that another process has updated since they were read."""

        def act(database: Connection) -> None:
            for item, stored in rows:
                gone = database.execute(
                    "DELETE FROM item WHERE kind = ? AND key = ? AND used = ?",
                    [item.kind, item.key, stored.used],
                )
                if gone.rowcount and item.kind == "ac":
                    database.execute("DELETE FROM named WHERE document = ?", [item.key])

        self._transaction(act)

    def total(self) -> int:
        """The bytes of all items."""

        def act(database: Connection) -> int:
            (total,) = database.execute("SELECT coalesce(sum(size), 0) FROM item").fetchone()
            if not isinstance(total, int) or total < 0:
                raise _damage()
            return total

        return self._transaction(act)

    def rows(self) -> tuple[Row, ...]:
        """All items, least recently used first; documents before blobs of the same time."""

        def act(database: Connection) -> tuple[Row, ...]:
            rows = database.execute("SELECT kind, key, size, used FROM item ORDER BY used, kind")
            return tuple(_row(*values) for values in rows)

        return self._transaction(act)

    def documents_naming(self, blobs: Iterable[str]) -> set[str]:
        """The keys of the documents that refer to any of these blobs."""

        def act(database: Connection) -> set[str]:
            query = "SELECT document FROM named WHERE blob = ?"
            return {key for blob in blobs for (key,) in database.execute(query, [blob])}

        return self._transaction(act)

    def rebuild(self) -> None:
        """Create the index again from the files."""
        with self._lock():
            self._make()

    def _transaction(
        self, act: Callable[[Connection], T], then: Callable[[], object] = lambda: None
    ) -> T:
        """Run `act` in a transaction, and `then` after it was committed, under one lock."""
        with self._lock():
            result = self._run(act)
            then()
            return result

    def _run(self, act: Callable[[Connection], T]) -> T:
        import sqlite3  # noqa: PLC0415 - a build with nothing to do never gets here

        try:
            with self._open() as database:
                return act(database)
        except sqlite3.DatabaseError as error:
            if getattr(error, "sqlite_errorcode", 0) & 0xFF in _UNWRITABLE:
                raise OSError(0, str(error), str(self.path)) from error
        self._make()
        try:
            with self._open() as database:
                return act(database)
        except sqlite3.DatabaseError as error:
            raise OSError(0, str(error), str(self.path)) from error

    @contextlib.contextmanager
    def _open(self) -> Iterator[Connection]:
        database = _connect(self.path)
        try:
            if database.execute("PRAGMA user_version").fetchone() != (VERSION,):
                raise _damage()
            database.execute("BEGIN IMMEDIATE")
            yield database
            database.execute("COMMIT")
        finally:
            database.close()

    def _make(self) -> None:
        import sqlite3  # noqa: PLC0415 - see above

        for ending in ("", "-journal", "-wal", "-shm"):
            remove_tree(self.path.with_name(self.path.name + ending), ignore_errors=True)
        try:
            self._fill()
        except sqlite3.DatabaseError as error:
            raise OSError(0, str(error), str(self.path)) from error

    def _fill(self) -> None:
        with contextlib.closing(_connect(self.path)) as database:
            database.executescript(_SCHEMA)
            for item, stored in self.store.items():
                _insert(database, [Row(item, stored)])
                if item.kind == "ac":
                    names = blobs_named(self.store.read_document(item.key) or b"")
                    rows = [(item.key, blob) for blob in names]
                    database.executemany("INSERT OR IGNORE INTO named VALUES(?, ?)", rows)
            database.execute("COMMIT")

    def _lock(self) -> contextlib.AbstractContextManager[None]:
        return locked(self.path.with_name("index.lock"), timeout=LOCK_TIMEOUT)


def _connect(path: Path) -> Connection:
    import sqlite3  # noqa: PLC0415 - see above

    if path.is_symlink():  # SQLite would follow it
        path.unlink()
    database = sqlite3.connect(path, timeout=LOCK_TIMEOUT, isolation_level=None)
    try:
        database.execute("PRAGMA synchronous = OFF")
    except BaseException:
        database.close()
        raise
    return database


def _insert(database: Connection, rows: Iterable[Row]) -> None:
    database.executemany(
        "INSERT OR REPLACE INTO item VALUES(?, ?, ?, ?)", [(*row.item, *row.stored) for row in rows]
    )


def _row(kind: object, key: object, size: object, used: object) -> Row:
    for known in KINDS:
        if kind == known and isinstance(key, str) and is_digest(key) and isinstance(size, int):
            return Row(Item(known, key), Stored(max(size, 0), used if isinstance(used, int) else 0))
    raise _damage()


def _damage() -> Exception:
    import sqlite3  # noqa: PLC0415 - see above

    return sqlite3.DatabaseError("the index has an invalid row or version")
