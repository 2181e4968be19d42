"""The results of an export: what a service has stored, read by the list of exported tests."""

from __future__ import annotations

import re
import time
from pathlib import Path

from buildtool.core.escape import without_colours
from buildtool.core.processes.signals import signal_name, signal_of
from buildtool.testing.export.exported import Export, ExportedTest
from buildtool.testing.export.services import SERVICES
from buildtool.testing.export.stored import (
    RESULTS,
    Ended,
    ResultsError,
    Stored,
    read_directory,
    read_lava,
    result_directories,
)
from buildtool.testing.on_device import CRASHES
from buildtool.testing.results import Outcome, TestResult, TestRun


def read_results(export: Export, path: Path, folder: Path) -> list[TestRun]:
    """The results in `path`, one run for each device: a directory or archive with what the service
    has stored, or the list of LAVA.  Archives are unpacked below `folder`.

    Raises `ResultsError`, `ArchiveError` and `OSError`.
    """
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
    outcome, message = _verdict(test, ended.status)
    if outcome is not Outcome.PASSED:
        message = f"{message}; {ended.place}" if ended.place else message
    return result._replace(
        outcome=outcome,
        seconds=ended.seconds,
        message=message,
        output=without_colours(ended.output),
    )


def _verdict(test: ExportedTest, status: int | None) -> tuple[Outcome, str]:
    """The outcome of a test with this exit status, and in a line why it did not pass."""
    if status is None:
        return Outcome.TIMED_OUT, f"did not end in {test.timeout:g} s"
    if status == test.skip_status:
        return Outcome.SKIPPED, f"SKIP_RETURN_CODE={status}"
    if bool(status) == test.will_fail:
        return Outcome.PASSED, ""
    if not status:
        return Outcome.FAILED, "exit status 0, but WILL_FAIL expects a failure"
    if (number := signal_of(status)) in CRASHES:
        return Outcome.CRASHED, f"ended by {signal_name(number)}"
    return Outcome.FAILED, f"exit status {status}"
