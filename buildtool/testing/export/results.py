"""The results of an export: what a service has stored, read by the list of exported tests.

What a service has stored of the tests that ran there.

It is not trusted: archives are unpacked within limits, files are read up to a limit, and what is no
result of a test is left out.
"""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from buildtool.core.errors import BuildtoolError
from buildtool.core.escape import without_colours
from buildtool.core.files import read_regular
from buildtool.core.processes.interrupts import signal_name, signal_of
from buildtool.core.value import Value
from buildtool.release.unpack import is_archive, unpack
from buildtool.release.unpack.entry import Limits
from buildtool.testing.export.exported import SERVICES, Export, ExportedTest
from buildtool.testing.on_device import CRASHES
from buildtool.testing.results import Outcome, TestResult, TestRun

RESULTS = "results.txt"
LIMITS = Limits(entries=20_000, size=2 << 30)
MAX_ARCHIVES = 100
CRASH_STATUS = 128
"""Exit statuses from here on are those of signals: such a program has crashed, whatever it said."""
MAX_LIST = MAX_LOG = 1 << 20
MAX_LAVA = 16 << 20
_NUMBER = r"(\d{1,12}(?:\.\d{1,9})?)"
_TEST = rf"test (\d{{1,6}}) (timeout|\d{{1,3}}) {_NUMBER} {_NUMBER}"
_FACT = r"(export|arch|soc|firmware|started) (.{1,200})"
_CASE = r"([0-9]{1,6})\.[A-Za-z0-9._-]{1,200}"


def read_results(export: Export, path: Path, folder: Path) -> list[TestRun]:
    """The results in `path`, one run for each device: a directory or archive with what the service
    has stored, or the list of LAVA.  Archives are unpacked below `folder`.  Raises `ResultsError`,
    `ArchiveError` and `OSError`."""
    if export.service == "lava":
        return [_run(export, export.devices[0], read_lava(path))]
    found: dict[int, tuple[int, Stored]] = {}
    others = set()
    for directory in result_directories(path, folder):
        results = read_directory(directory)
        if results.facts.get("export") != export.id:
            others.add(directory.name)
            continue
        # Device Run has job-000 for the first device, and in it execution-000 for the first try.
        job, attempt = (
            int((re.findall(rf"/{word}-(\d{{3,6}})(?=/)", str(directory)) or [0])[-1])
            for word in ("job", "execution")
        )
        job = job if SERVICES[export.service].several else 0
        if job not in found or found[job][0] <= attempt:
            found[job] = attempt, results
    if not found:
        raise ResultsError(
            f"{path} has no results of this export",
            why=f"it has those of {', '.join(sorted(others)[:3])}, and this one is {export.name}"
            if others
            else f"no directory in it has {RESULTS}",
            remedy="Name the results of the job that ran this export, or look into its logs.",
        )
    none = 0, Stored({}, {})
    return [_run(export, each, found.get(at, none)[1]) for at, each in enumerate(export.devices)]


def _run(export: Export, device: str, results: Stored) -> TestRun:
    tests = tuple(
        _result(test, device, results.ended.get(number)) for number, test in enumerate(export.tests)
    )
    started = results.facts.get("started", "")
    return TestRun(
        device=device,
        target=export.target,
        release=export.release,
        deployment=export.id,
        soc=results.facts.get("soc", ""),
        arch=results.facts.get("arch", ""),
        firmware=results.facts.get("firmware", ""),
        started=float(started) if re.fullmatch(r"\d{1,10}", started, re.ASCII) else time.time(),
        seconds=sum(test.seconds for test in tests),
        interrupted=False,
        tests=tests,
    )


def _result(test: ExportedTest, device: str, ended: Ended | None) -> TestResult:
    result = TestResult(test.suite, test.name, device, Outcome.NOT_RUN, 0)
    if test.left_out:
        return result._replace(outcome=Outcome.SKIPPED, message=f"not exported: {test.left_out}")
    if not ended:
        return result._replace(message="the job has no result of it")
    outcome, message = _verdict(test, ended)
    if outcome is not Outcome.PASSED:
        message = f"{message}; {ended.place}" if ended.place else message
    return result._replace(
        outcome=outcome,
        seconds=ended.seconds,
        message=message,
        output=without_colours(ended.output),
    )


def _verdict(test: ExportedTest, ended: Ended) -> tuple[Outcome, str]:
    """The outcome of a test that ended so, and in a line why it did not pass."""
    status = ended.status
    if status is None:
        return Outcome.TIMED_OUT, f"did not end in {test.timeout:g} s"
    if status == test.skip_status:
        return Outcome.SKIPPED, f"SKIP_RETURN_CODE={status}"
    says_so = ended.is_skipped or test.skip_text in ended.output
    if test.skip_text and status < CRASH_STATUS and says_so:
        return Outcome.SKIPPED, f"its output has {test.skip_text}"
    if bool(status) == test.will_fail:
        return Outcome.PASSED, ""
    if not status:
        return Outcome.FAILED, "exit status 0, but WILL_FAIL expects a failure"
    if (number := signal_of(status)) in CRASHES:
        return Outcome.CRASHED, f"ended by {signal_name(number)}"
    return Outcome.FAILED, f"exit status {status}"


class ResultsError(BuildtoolError):
    """What came back from a service has no results of the export."""

    code = "results"


class Ended(Value):
    """How a test ended on a device: its exit status, None if its time was over; `place` is where
    its output is, if that is not here, and `is_skipped` what was found in it there."""

    status: int | None
    seconds: float = 0
    output: str = ""
    place: str = ""
    is_skipped: bool = False


class Stored(Value):
    """The tests that ended on a device, by number, and what the device said about itself."""

    ended: Mapping[int, Ended]
    facts: Mapping[str, str]


def result_directories(path: Path, folder: Path) -> Iterator[Path]:
    """The directories in `path`, a directory or archive, that have a list of results, also those in
    the archives there, which are unpacked below `folder`.  Raises `ArchiveError` and `OSError`."""
    unpacked = 0
    waiting = [path]
    while waiting:
        place = waiting.pop(0)
        if is_archive(place) and not place.is_dir():
            unpacked += 1
            unpack(place, folder / str(unpacked), limits=LIMITS)
            place = folder / str(unpacked)
        for inside, folders, names in os.walk(place, onerror=_raise):
            folders.sort()
            if RESULTS in names:
                yield Path(inside)
            if place == path:
                archives = (Path(inside, name) for name in sorted(names) if name.endswith(".zip"))
                waiting += [*archives][: MAX_ARCHIVES - len(waiting)]


def _raise(error: OSError) -> None:
    raise error


def read_directory(directory: Path) -> Stored:
    """The results in a directory that `tests.sh` has filled; lines of another form are left out.
    Raises `OSError`."""
    ended: dict[int, Ended] = {}
    facts: dict[str, str] = {}
    for line in _text(directory / RESULTS, MAX_LIST).splitlines():
        if test := re.fullmatch(_TEST, line, re.ASCII):
            seconds = max(0.0, float(test[4]) - float(test[3]))
            output = _text(directory / f"{int(test[1])}.log", MAX_LOG)
            status = None if test[2] == "timeout" else int(test[2])
            ended[int(test[1])] = Ended(status, seconds, output)
        elif fact := re.fullmatch(_FACT, line):
            facts.setdefault(fact[1], fact[2].strip())
    return Stored(ended, facts)


def _text(file: Path, limit: int) -> str:
    try:
        return read_regular(file, limit).decode(errors="replace")
    except FileNotFoundError:
        return ""


def read_lava(path: Path) -> Stored:
    """The tests in a list of results of LAVA.  Raises `ResultsError` and `OSError`."""
    try:
        rows = json.loads(read_regular(path, MAX_LAVA))
        cases = (row for row in rows if re.fullmatch(_CASE, row["name"]))
        return Stored(dict(_case(row) for row in cases if row["result"] != "unknown"), {})
    except (ValueError, LookupError, TypeError, RecursionError) as error:
        raise ResultsError(
            f"{path} is not a list of results of LAVA",
            why=f"it is no JSON, has other rows, or more than {MAX_LAVA:,} bytes",
            remedy="Save the list of the job: lavacli results --json JOB >results.json",
        ) from error


def _case(row: Mapping[str, Any]) -> tuple[int, Ended]:
    """The number of a test, and how it ended: its measurement is the exit status."""
    measured = re.fullmatch(r"(\d{1,3})(?:\.0{1,12})?", str(row["measurement"]), re.ASCII)
    status = int(measured[1]) if measured else int(row["result"] != "pass")
    place = f"log: {str(row.get('url', ''))[:200]}"
    is_skipped = row["result"] == "skip"
    ended = Ended(None if row["unit"] == "timeout" else status, place=place, is_skipped=is_skipped)
    return int(row["name"].partition(".")[0]), ended
