"""Expected failures, applied to the results of all suites."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from fnmatch import fnmatchcase

from buildtool.device.configuration import ConfiguredDevice
from buildtool.project.model import BUILT_IN_TARGET, ExpectedFailure, Project
from buildtool.testing.results import Outcome, TestResult

FAILURES = frozenset({Outcome.FAILED, Outcome.CRASHED, Outcome.TIMED_OUT})


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
