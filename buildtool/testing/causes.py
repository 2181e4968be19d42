"""The causes of failed tests."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING

from buildtool.device.errors import DeviceError
from buildtool.testing.results import Outcome, TestResult, TestRun

if TYPE_CHECKING:
    from buildtool.deploy.ready import Ready

FAILED = frozenset({Outcome.FAILED, Outcome.CRASHED, Outcome.TIMED_OUT})


def with_causes(run: TestRun, ready: Ready, note: Callable[[str], object]) -> TestRun:
    """`run` with the first finding about each failed test; a crash of the DSP process is one
    already.  `note` gets the reason why the device was not asked."""
    failed = [test for test in run.tests if test.outcome in FAILED and not test.dsp_crash]
    if not (failed and ready.release.archs):
        return run
    from buildtool.run.first_finding.cause_finder import CauseFinder  # noqa: PLC0415

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
