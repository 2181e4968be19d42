"""What tests on devices returned."""

from __future__ import annotations

import enum

from buildtool.core.value import Value


class Outcome(enum.Enum):
    """How a test ended.  Those of `BAD` make the suite fail."""

    PASSED = "passed"
    SKIPPED = "skipped"
    EXPECTED_FAILURE = "expected failure"
    FAILED = "failed"
    CRASHED = "crashed"  # a signal ended the program
    TIMED_OUT = "timed out"
    UNEXPECTED_PASS = "unexpected pass"
    NOT_RUN = "not run"  # the connection was lost in every try, or the device failed before


BAD = frozenset(
    {
        Outcome.FAILED,
        Outcome.CRASHED,
        Outcome.TIMED_OUT,
        Outcome.UNEXPECTED_PASS,
        Outcome.NOT_RUN,
    }
)


class TestResult(Value):
    """One test on one device.

    `suite` is the component, `[test.NAME]` or pytest suite that it belongs to, `seconds` its wall
    time.  `message` says in a line why it did not pass; `output` is what it wrote, decoded, or the
    end of it.  `lost` has a line for each time when the connection was lost and it was run again.
    """

    __test__ = False  # pytest collects classes of this name

    suite: str
    name: str
    device: str
    outcome: Outcome
    seconds: float
    message: str = ""
    output: str = ""
    lost: tuple[str, ...] = ()
