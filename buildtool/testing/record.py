"""What the test launcher records of a test: a JSON file, and reports of the emulated DSP."""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from buildtool.core.files import read_regular, value_digest, write_if_changed
from buildtool.core.value import Value

SUFFIX, CRASHES = ".json", ".crashes"
ENDS = ("started", "exit", "signal", "lost", "error")
LISTS = ("command", "lost", "fetched")
MAX_BYTES = 16 << 20
MAX_STATUS = 1 << 16


class Record(Value):
    """How a program of a test ended.

    `command` is its command line on the device.  `end` is `exit`, `signal`, `lost` (the connection
    was lost in every try), `error` (it could not be started; `message` says why) or `started` for a
    program that has not ended, such as one that CTest killed.  `status` is its exit status or
    signal.  `lost` has a line for each lost connection; `fetched` are the files that it wrote and
    that were fetched.
    """

    command: tuple[str, ...]
    end: str = "started"
    status: int = 0
    message: str = ""
    lost: tuple[str, ...] = ()
    fetched: tuple[str, ...] = ()


def write_record(file: Path, record: Record) -> None:
    """Write a record; one that cannot be written is lost, since the test matters more."""
    with contextlib.suppress(OSError):
        write_if_changed(file, json.dumps(record._asdict()))


def new_record_file(folder: Path, test: str) -> Path:
    """A new file in `folder` for a record of `test`."""
    return folder / f"{_prefix(test)}{time.time_ns():020}-{os.getpid()}{SUFFIX}"


def take_record(folder: Path, test: str) -> tuple[Record | None, Path | None]:
    """The oldest record of `test` in `folder`, which is removed: another test can have the same
    name.  Also returns the file of reports of crashes, which may be missing; None without any."""
    for file in sorted(folder.glob(f"{_prefix(test)}*{SUFFIX}")):
        record = _read(file)
        with contextlib.suppress(OSError):  # a test has put a directory there, or removed it
            file.unlink()
        return record, file.with_suffix(CRASHES)
    return None, None


def untaken_crashes(folder: Path) -> Iterator[Path]:
    """The files of reports of crashes in `folder` that `take_record` has not returned."""
    for file in sorted(folder.glob(f"*{SUFFIX}")):
        yield file.with_suffix(CRASHES)


def any_lost(folder: Path) -> bool:
    """Whether the connection was lost during any program that has a record in `folder`."""
    return any(_read(file).lost for file in folder.glob(f"*{SUFFIX}"))


def _read(file: Path) -> Record:
    """The record in `file`.  Programs of tests can write there too: a damaged record becomes one of
    a test that did not run."""
    with contextlib.suppress(OSError, ValueError, RecursionError):
        row = json.loads(read_regular(file, MAX_BYTES))
        if _is_record(row):
            lists = {name: tuple(row[name]) for name in LISTS}
            return Record(**{**row, **lists})
    return Record((), "error", message="its record is damaged: another program has changed it")


def _is_record(row: Any) -> bool:
    """Whether `row` has the fields of a record, with values of their types."""
    if not isinstance(row, dict) or row.keys() != set(Record._fields):
        return False
    return (
        all(isinstance(row[name], list) for name in LISTS)
        and all(isinstance(text, str) for name in LISTS for text in row[name])
        and row["end"] in ENDS
        and isinstance(row["status"], int)
        and 0 <= row["status"] < MAX_STATUS
        and isinstance(row["message"], str)
    )


def _prefix(test: str) -> str:
    return f"{value_digest(test)[:16]}-"
