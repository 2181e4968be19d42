"""Results of tests on devices, and the causes of those that failed.

Expected failures are applied to the results of all suites.  A run of tests is a line in the history
of its project.
"""

from __future__ import annotations

import enum
import math
import os
from collections.abc import Callable, Collection, Iterable, Mapping
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Annotated, Any

from buildtool.core.history import TESTS, append_history
from buildtool.core.value import Described, computed
from buildtool.deploy.contents import ReleaseOnDevice
from buildtool.device.configuration import ConfiguredDevice
from buildtool.device.errors import DeviceError
from buildtool.project.model import BUILT_IN_TARGET, ExpectedFailure, Project
from buildtool.run.first_finding import FirstFinding, finding_from_json
from buildtool.run.method_counts import FailedCall, MethodCounts, counts_from_json

if TYPE_CHECKING:
    from buildtool.deploy.ready import Ready
    from buildtool.run.dsp_calls import DspCalls

DEVICE_SUITE = "device"
"""The suite of the only result of a device that no test could run on."""
MESSAGE = 500
"""Characters that are kept of a message."""


class Outcome(enum.StrEnum):
    """How a test ended.  Those of `BAD` make the suite fail."""

    PASSED = "passed"
    SKIPPED = "skipped"
    EXPECTED_FAILURE = "expected failure"
    FAILED = "failed"
    CRASHED = "crashed"  # a signal ended the program, or the DSP process crashed
    TIMED_OUT = "timed out"
    UNEXPECTED_PASS = "unexpected pass"
    NOT_RUN = "not run"  # the connection was lost in every try, or the device failed before


FAILURES = frozenset({Outcome.FAILED, Outcome.CRASHED, Outcome.TIMED_OUT})
BAD = FAILURES | {Outcome.UNEXPECTED_PASS, Outcome.NOT_RUN}


class TestResult(Described):
    """One test on one device; `finding` is made of the calls that `failed`, too; `said` is the last
    line that its program wrote itself, of tests that are such programs."""

    __test__ = False  # pytest collects classes of this name

    suite: Annotated[
        str,
        'the name of a host component for a test of ctest, "test" for a program of [test.NAME],'
        " NAME for a test of its pytest",
    ]
    name: Annotated[str, "name of the test in its suite"]
    device: Annotated[str, "name of the device"]
    outcome: Annotated[Outcome, "how it ended; the last five are bad"]
    seconds: Annotated[float, "its wall time"]
    message: Annotated[str, 'why it did not pass, in a line; "" if it passed'] = ""
    output: Annotated[str, "what it wrote, or the end of it"] = ""
    lost: Annotated[tuple[str, ...], "a line for each time that the connection was lost"] = ()
    dsp_crash: Annotated[bool, "whether it crashed because the DSP process did"] = False
    methods: Annotated[
        tuple[MethodCounts, ...],
        "for [test.NAME] with a program and tests of CTest, on the emulated device: what the DSP"
        " executed",
    ] = ()
    finding: Annotated[FirstFinding | None, "why it failed, as far as that was found"] = None
    failed: tuple[FailedCall, ...] = ()
    said: str = ""
    calls: DspCalls | None = None

    def as_json(self) -> dict[str, Any]:
        return {**super().as_json(), "seconds": round(self.seconds, 3)}


def last_line(output: str) -> str:
    """The last line of `output` that is not empty, "" if there is none."""
    lines = output.rstrip()[-MESSAGE:].splitlines()
    return lines[-1].strip() if lines else ""


def after_dsp_crash(result: TestResult, crash: str) -> TestResult:
    """The result of a test during which the DSP process crashed, as the line `crash` says: whatever
    the program made of it, the test has crashed.  Without `crash` it stays as it is."""
    if not crash:
        return result
    message = "; ".join(filter(None, (crash, result.message)))
    return result._replace(outcome=Outcome.CRASHED, message=message, dsp_crash=True)


class TestRun(ReleaseOnDevice, kw_only=True):
    """The tests that ran on a device."""

    __test__ = False

    soc: Annotated[
        str, 'SoC of the device, and the DSP unless that is the cdsp; "" if it is unknown'
    ]
    firmware: Annotated[str, 'build of the firmware, as the card has it; "" if it is unknown'] = ""
    started: Annotated[float, "when the first test began, in seconds since the epoch", int]
    seconds: Annotated[float, "wall time of all tests together"]
    ok: Annotated[
        bool, "whether no test is bad; the exit status is 0 then, else 1, and 130 after Ctrl-C"
    ] = computed(lambda self: not self.bad)
    interrupted: Annotated[
        bool, "whether Ctrl-C ended the tests; those without a result are not run then"
    ]
    tests: Annotated[tuple[TestResult, ...], "the tests, in the order in which they ended"]

    @property
    def bad(self) -> tuple[TestResult, ...]:
        return tuple(result for result in self.tests if result.outcome in BAD)

    def as_json(self) -> dict[str, Any]:
        rounded = {"started": round(self.started), "seconds": round(self.seconds, 3)}
        return {**super().as_json(), **rounded}


def result_from_json(row: Any) -> TestResult:
    """The value whose `as_json` this is.  Raises `ValueError`."""
    try:
        if not math.isfinite(row["seconds"]):
            raise ValueError("no result of a test: JSON has no such number of seconds")
        return TestResult(
            suite=str(row["suite"]),
            name=str(row["name"]),
            device=str(row["device"]),
            outcome=Outcome(row["outcome"]),
            seconds=float(row["seconds"]),
            message=str(row["message"]),
            output=str(row["output"]),
            lost=tuple(map(str, row["lost"])),
            dsp_crash=bool(row["dsp_crash"]),
            methods=tuple(map(counts_from_json, row.get("methods", ()))),
            finding=finding_from_json(row["finding"]) if row.get("finding") else None,
        )
    except (LookupError, TypeError, OverflowError) as error:
        raise ValueError(f"no result of a test: {error}") from error


def run_from_json(document: Any) -> TestRun:
    """The value whose `as_json` this is.  Raises `ValueError`."""
    try:
        tests = tuple(map(result_from_json, document["tests"]))
        named = {field: document[field] for field in TestRun._fields}
    except (LookupError, TypeError) as error:
        raise ValueError(f"no results of tests: {error}") from error
    return TestRun(**{**named, "tests": tests})


def title(suite: str, name: str) -> str:
    """A test as people see and name it."""
    return f"{suite}/{name}"


def matches(suite: str, name: str, patterns: Iterable[str]) -> bool:
    """Whether one of `patterns` (globs) is for a test: by its name, `SUITE/NAME`, or its suite."""
    known = (name, f"{suite}/{name}", suite)
    return any(fnmatchcase(text, pattern) for pattern in patterns for text in known)


def without_tests(
    expected: Mapping[str, ExpectedFailure], tags: Collection[str], results: Iterable[TestResult]
) -> list[str]:
    """One line for each glob of a device with `tags` that matches none of its `results`."""
    names = [(result.suite, result.name) for result in results]
    return [
        f"[expected-failure.{tag}]: there is no test {pattern!r}"
        for tag, failure in expected.items()
        if tag in tags
        for pattern in failure.tests
        if not any(matches(suite, name, [pattern]) for suite, name in names)
    ]


def without_devices(
    project: Project, devices: Mapping[str, ConfiguredDevice], tags: Collection[str]
) -> list[str]:
    """A line for each section whose TAG is none of `tags`, and of no other device that is known."""
    known = {BUILT_IN_TARGET, *tags, *devices}
    for device in devices.values():
        known.update(device.tags)
    for target in project.targets.values():
        known.update((target.platform, *target.archs))
    return [
        f"[expected-failure.{tag}]: no known device or target has this name, tag, arch or platform"
        for tag, failure in project.expected_failures.items()
        if tag not in known and not failure.requires
    ]


def as_expected(
    result: TestResult, expected: Mapping[str, ExpectedFailure], tags: Collection[str]
) -> TestResult:
    """The result of a test on a device that has `tags`: a failure that is expected there does not
    count, and a pass does not pass.  A test that was skipped, or not run, stays so, and one that
    crashed the DSP process too, unless that is expected."""
    for tag, failure in expected.items():
        if tag not in tags or not matches(result.suite, result.name, failure.tests):
            continue
        if result.dsp_crash and not failure.dsp_may_crash:
            continue
        if result.outcome in FAILURES:
            why = f"{failure.reason} ({result.message or result.outcome.value})"
            return result._replace(outcome=Outcome.EXPECTED_FAILURE, message=why)
        if result.outcome is Outcome.PASSED:
            why = f"it is expected to fail on {tag}: {failure.reason}"
            return result._replace(outcome=Outcome.UNEXPECTED_PASS, message=why)
        break
    return result


def record_tests(project: Project, run: TestRun) -> None:
    """Record the tests of `run`, without their output, and with little about those that passed."""
    if run.tests:
        line = {**run.as_json(), "tests": [_test(test) for test in run.tests]}
        append_history(project.state, TESTS, line)


def _test(test: TestResult) -> dict[str, Any]:
    line: dict[str, Any] = {
        "suite": test.suite,
        "name": test.name,
        "outcome": test.outcome.value,
        "seconds": round(test.seconds, 3),
    }
    if test.lost:
        line["lost"] = len(test.lost)
    if test.outcome is not Outcome.PASSED:
        line["message"] = test.message[:MESSAGE]
    if test.outcome in BAD and test.said:
        line["said"] = test.said
    if test.finding:
        line["finding"] = test.finding.as_json()
    if test.dsp_crash:
        from buildtool.run.watched_run import crash_place  # noqa: PLC0415 - after crashes

        line["crash"] = crash_place(test.output)
    return line


def with_causes(run: TestRun, ready: Ready, note: Callable[[str], object]) -> TestRun:
    """`run` with the first finding about each failed test; a crash of the DSP process is one
    already.  `note` gets the reason why the device was not asked."""
    failed = [test for test in run.tests if test.outcome in FAILURES and not test.dsp_crash]
    if not (failed and ready.release.archs):
        return run
    from buildtool.run.cause_finder import CauseFinder  # noqa: PLC0415

    finder = CauseFinder(ready, seconds=run.seconds)
    alone = len(failed) == 1  # otherwise it is unknown which test the logs are about

    def with_cause(test: TestResult) -> TestResult:
        if test not in failed:
            return test
        output = {"output": os.fsencode(test.output)}
        finding = finder.find(output, with_logs=alone, failed=test.failed)
        return test._replace(finding=finding)

    try:
        return run._replace(tests=tuple(map(with_cause, run.tests)))
    except (DeviceError, OSError) as error:
        note(f"the causes were not looked for on the device: {error}")
        return run
