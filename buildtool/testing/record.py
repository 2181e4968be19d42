"""Records of the programs that ran for tests, with reports of the emulated DSP."""

from __future__ import annotations

import contextlib
import threading
from pathlib import Path

from buildtool.core.value import Value
from buildtool.run.method_counts import FailedCall, MethodCounts


class Record(Value):
    """How a program of a test ended.

    `end` is `exit`, `signal`, `lost` (the connection was lost in every try), `error` (it could not
    be started; `message` says why) or `started` for a program that has not ended, such as one that
    CTest killed.  `status` is its exit status or signal, `seconds` its wall time.  `lost` has a
    line for each lost connection; `fetched` are the files that it wrote and that were fetched,
    `missing` the paths that it looked for on the device in vain, as far as they are known.
    The emulated DSP reports crashes in the file `crashes`, which may be missing, and what it has
    executed in the file `counts`, of which `methods` and
    `failed` are made.
    """

    crashes: Path
    end: str = "started"
    status: int = 0
    message: str = ""
    seconds: float = 0
    lost: tuple[str, ...] = ()
    fetched: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    methods: tuple[MethodCounts, ...] = ()
    failed: tuple[FailedCall, ...] = ()

    @property
    def counts(self) -> Path:
        return self.crashes.with_suffix(".counts")


class ProgramRecords:
    """The records of the programs of one run of CTest, in the order in which they started; several
    threads may share it.  `folder` has the files of reports of crashes."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._lock = threading.Lock()
        self._count = 0
        self._records: dict[int, tuple[str, Record]] = {}

    def add(self, test: str) -> int:
        """A new record of `test`, "" for a program that no test names; returns its number."""
        with self._lock:
            self._count += 1
            self._records[self._count] = (test, Record(self.folder / f"{self._count}.crashes"))
            return self._count

    def files(self, number: int) -> tuple[Path, Path]:
        """The files `crashes` and `counts` of this record, which exist then."""
        record = Record(self.folder / f"{number}.crashes")
        for file in (record.crashes, record.counts):
            file.touch()
        return record.crashes, record.counts

    def change(self, number: int, **changes: object) -> None:
        """Change a record, unless it was taken."""
        with self._lock, contextlib.suppress(KeyError):
            test, record = self._records[number]
            self._records[number] = (test, record._replace(**changes))

    def take(self, test: str) -> Record | None:
        """The oldest record of `test`, which is removed: another test can have the same name."""
        with self._lock:
            for number, (name, record) in self._records.items():
                if name == test:
                    del self._records[number]
                    return record
        return None

    def left(self) -> tuple[Record, ...]:
        """The records that nobody has taken."""
        with self._lock:
            return tuple(record for _, record in self._records.values())
