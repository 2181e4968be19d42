"""What the launcher records of a test: a JSON file, and reports of crashes of the emulated DSP."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path

from buildtool.core.files import read_regular, write_if_changed
from buildtool.core.value import Value

SUFFIX, CRASHES = ".json", ".crashes"


class Record(Value):
    """How a program of a test ended.

    `test` is the name of the test, `command` its command line on the device, `started` in seconds
    since the epoch.  `end` is `exit`, `signal`, `lost` (the connection was lost in every try),
    `error` (it could not be started; `message` says why) or `started` for a program that has not
    ended, such as one that CTest killed.  `status` is its exit status or signal.  `lost` has a line
    for each lost connection; `fetched` are the files that it wrote and that were fetched.
    """

    test: str
    command: tuple[str, ...]
    started: float
    end: str = "started"
    status: int = 0
    message: str = ""
    lost: tuple[str, ...] = ()
    fetched: tuple[str, ...] = ()


def write_record(file: Path, record: Record) -> None:
    """Write a record; one that cannot be written is lost, since the test matters more."""
    with contextlib.suppress(OSError):
        write_if_changed(file, json.dumps(record._asdict()))


def read_records(folder: Path) -> list[tuple[Record, Path]]:
    """The records in `folder` in the order in which the programs started, each with the file of
    reports of crashes, which may be missing."""
    found = []
    for file in folder.glob(f"*{SUFFIX}"):
        with contextlib.suppress(OSError, ValueError, TypeError):
            row = json.loads(read_regular(file))
            lists = {name: tuple(row[name]) for name in ("command", "lost", "fetched")}
            found.append((Record(**{**row, **lists}), file.with_suffix(CRASHES)))
    return sorted(found, key=lambda pair: pair[0].started)
