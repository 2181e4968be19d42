"""Results of a CTest suite, as its tests end: what CTest prints, and the records of programs.

CTest tells timeouts and signals only in what it prints; its JUnit file has neither.  The records
have reports of the emulated DSP.
"""

from __future__ import annotations

import contextlib
import re
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass, field
from pathlib import Path

from buildtool.core.escape import without_colours
from buildtool.core.processes.interrupts import signal_name
from buildtool.core.processes.kept_output import KeptOutput
from buildtool.core.value import Value
from buildtool.run.method_counts import FailedCall, MethodCounts
from buildtool.run.watched_run import first_line
from buildtool.testing.ctest.tests import ListedTest, strings
from buildtool.testing.results import Outcome, TestResult, after_dsp_crash, last_line

OUTPUT_BYTES = 1 << 20
"""Bytes that are kept of the end of the output of a test."""
# "      Start  3: name", " 3/15 Test  #3: name ......***Exception: SegFault  0.00 sec", and
# "3: text" for what the test prints, after lines about how it is started.
_START = r" *Start +(\d+): (.*)"
_END = r" *\d+/\d+ Test +#(\d+): (.*)"
_HOW = r" \.*(?: +Passed|\*\*\*(.*?))(?: +[\d.]+ sec)?"
_OUTPUT = r"(\d+): ?(.*)"
_LAST_OF_HEADER = "Test timeout computed to be: "
# Why CTest itself does not start a test.
_NOT_STARTED = ("Failed test dependencies: ", "Could not find executable ")


class _Running:
    """A test that has begun."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.started = time.monotonic()
        self.output = KeptOutput(tail=OUTPUT_BYTES)
        self.in_header = True
        self.note = ""


class Reported(Value):
    """A test that has ended, and the record of its program, None if it ran none."""

    result: TestResult
    record: Record | None


@dataclass
class CTestReport:
    """Follows what `ctest --verbose` prints about `tests`, whose programs have `records`.

    `begin` is called with the name of each test that begins; `explain` tells what is known of the
    crashes of the DSP process in a file, and `may_crash` whether the test of a name may cause them.
    """

    suite: str
    device: str
    tests: Mapping[str, ListedTest]
    records: ProgramRecords
    _: KW_ONLY
    begin: Callable[[str], None]
    explain: Callable[[Path], tuple[str, ...]]
    may_crash: Callable[[str], bool]
    _running: dict[str, _Running] = field(default_factory=dict)
    _latest: _Running | None = None

    def read(self, line: str) -> Reported | None:
        """Read a line; returns the test that it ends, if any."""
        if found := re.match(_OUTPUT, line):
            self._add(found[1], found[2])
        elif found := re.fullmatch(_START, line):
            self._latest = self._running[found[1]] = _Running(found[2])
            self.begin(found[2])
        elif line.startswith(_NOT_STARTED) and self._latest:
            self._latest.note = line
        elif found := re.match(_END, line):
            return self._end(found[1], found[2])
        return None

    def _add(self, number: str, text: str) -> None:
        test = self._running.get(number)
        if test and test.in_header:
            test.in_header = not text.startswith(_LAST_OF_HEADER)
        elif test:
            test.output.add(f"{text}\n".encode(errors="surrogateescape"))

    def _end(self, number: str, rest: str) -> Reported | None:
        test = self._running.pop(number, None)
        if not test or not rest.startswith(test.name):
            return None
        how = re.fullmatch(_HOW, rest[len(test.name) :])
        cause = how[1] if how else ""  # None if it passed
        record = self.records.take(test.name)
        seconds = (record and record.seconds) or time.monotonic() - test.started
        outcome, message = self._verdict(test, cause, record, seconds)
        explained = self.explain(record.crashes) if record else ()
        written = without_colours(test.output.kept().text.rstrip("\n"))
        output = "\n".join(filter(None, (written, *map(without_colours, explained))))
        lost = record.lost if record else ()
        result = TestResult(self.suite, test.name, self.device, outcome, seconds, message, "", lost)
        if outcome is not Outcome.NOT_RUN and not self.may_crash(test.name):
            result = after_dsp_crash(result, first_line(explained))
        return Reported(result._replace(output=output, said=last_line(written)), record)

    def _verdict(
        self, test: _Running, cause: str | None, record: Record | None, seconds: float
    ) -> tuple[Outcome, str]:
        """The outcome of a test, and in a line why it did not pass."""
        if record and record.end in ("lost", "error"):  # whatever CTest makes of the exit status
            return Outcome.NOT_RUN, record.message
        if cause is None:
            return Outcome.PASSED, ""
        kind, _, more = cause.partition(": ")
        # A program that has failed runs once more, see `opened_paths`, and CTest may end that.
        failed = record is not None and record.end in ("exit", "signal") and record.status != 0
        timed_out = kind.startswith("Timeout")  # "Timeout (SIGINT)" with TIMEOUT_SIGNAL_NAME
        if timed_out and not failed:
            return Outcome.TIMED_OUT, f"did not end in {seconds:.1f} s"
        if kind.startswith("Not Run"):
            disabled = kind.endswith("(Disabled)")
            return (
                (Outcome.SKIPPED, "disabled")
                if disabled
                else (Outcome.NOT_RUN, test.note or "CTest could not start it")
            )
        listed = self.tests.get(test.name)
        if kind == "Skipped":
            properties = listed.properties if listed else {}
            names = ("SKIP_RETURN_CODE", "SKIP_REGULAR_EXPRESSION")
            said = [f"{name}={value}" for name in names for value in strings(properties.get(name))]
            return Outcome.SKIPPED, " or ".join(said)
        if record and record.end == "signal":
            return Outcome.CRASHED, f"ended by {signal_name(record.status)}"
        if kind == "Exception":
            return Outcome.CRASHED, f"ended by {more}"
        why = "" if timed_out else cause.removeprefix("Failed").strip()
        if "Regex=[" in why and not why.endswith("]"):  # CTest breaks the line there
            why += "]"
        if not why and listed and listed.will_fail:
            why = f"exit status {record.status}" if record else "it passed"
            why += ", but WILL_FAIL expects a failure"
        if why or not record:
            return Outcome.FAILED, why or "CTest counts it as failed"
        return Outcome.FAILED, f"exit status {record.status}"


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
