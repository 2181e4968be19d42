"""Expected failures are applied by the tags of the device and the names of tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from buildtool.device.configuration import ConfiguredDevice
from buildtool.project.model import ExpectedFailure, Header, Project, Target
from buildtool.testing.results import (
    BAD,
    Outcome,
    TestResult,
    as_expected,
    matches,
    without_devices,
    without_tests,
)

TAGS = frozenset({"q6a", "lab", "v68", "ubuntu-aarch64"})


def after(outcome: Outcome, *, tag: str = "v68", tests: tuple[str, ...] = ("half*",)) -> TestResult:
    expected = {tag: ExpectedFailure(tests, "no half floats")}
    result = TestResult("dsp", "half-add", "q6a", outcome, 1.0, "exit status 3")
    return as_expected(result, expected, TAGS)


@pytest.mark.parametrize("outcome", [Outcome.FAILED, Outcome.CRASHED, Outcome.TIMED_OUT])
def test_a_failure_is_expected(outcome: Outcome) -> None:
    found = after(outcome)

    assert found.outcome is Outcome.EXPECTED_FAILURE
    assert found.outcome not in BAD
    assert found.message == "no half floats (exit status 3)"


def test_a_pass_is_not() -> None:
    found = after(Outcome.PASSED)

    assert found.outcome is Outcome.UNEXPECTED_PASS
    assert found.outcome in BAD
    assert found.message == "it is expected to fail on v68: no half floats"


@pytest.mark.parametrize("outcome", [Outcome.SKIPPED, Outcome.NOT_RUN, Outcome.EXPECTED_FAILURE])
def test_what_has_not_run_stays_so(outcome: Outcome) -> None:
    assert after(outcome).outcome is outcome


@pytest.mark.parametrize("may_crash", [False, True])
def test_a_crash_of_the_dsp_process_is_a_failure_of_its_own(may_crash: bool) -> None:
    result = TestResult("dsp", "a", "q6a", Outcome.CRASHED, 1.0, "crashed", dsp_crash=True)
    expected = {
        "v68": ExpectedFailure(("*",), "no half floats"),
        "lab": ExpectedFailure(("*",), "no memory", dsp_may_crash=may_crash),
    }
    found = as_expected(result, expected, TAGS)

    if may_crash:
        assert (found.outcome, found.message) == (Outcome.EXPECTED_FAILURE, "no memory (crashed)")
    else:
        assert found == result


@pytest.mark.parametrize("tag", sorted(TAGS))
def test_every_tag_of_the_device_counts(tag: str) -> None:
    assert after(Outcome.FAILED, tag=tag).outcome is Outcome.EXPECTED_FAILURE


def test_other_tags_and_tests_do_not_count() -> None:
    assert after(Outcome.FAILED, tag="v73").outcome is Outcome.FAILED
    assert after(Outcome.FAILED, tests=("full*",)).outcome is Outcome.FAILED
    assert after(Outcome.PASSED, tag="v73").outcome is Outcome.PASSED


def test_the_first_section_that_matches_counts() -> None:
    expected = {
        "v73": ExpectedFailure(("*",), "other arch"),
        "lab": ExpectedFailure(("dsp/*",), "first"),
        "q6a": ExpectedFailure(("*",), "second"),
    }
    result = TestResult("dsp", "add", "q6a", Outcome.FAILED, 1.0)
    assert as_expected(result, expected, TAGS).message == "first (failed)"


@pytest.mark.parametrize("pattern", ["add", "a?d", "dsp/add", "dsp/*", "dsp", "*"])
def test_a_test_is_named_by_itself_with_its_suite_or_by_the_suite(pattern: str) -> None:
    assert matches("dsp", "add", [pattern])


@pytest.mark.parametrize("pattern", ["ADD", "ad", "host/add", "dsp/", ""])
def test_other_names_do_not_match(pattern: str) -> None:
    assert not matches("dsp", "add", [pattern])


def test_globs_without_a_test_are_named_for_this_device_only() -> None:
    expected = {
        "v68": ExpectedFailure(("half*", "hafl*"), "no half floats"),
        "v75": ExpectedFailure(("nothing",), "of other devices"),
    }
    results = [TestResult("dsp", "half-add", "q6a", Outcome.PASSED, 1.0)]

    assert without_tests(expected, TAGS, results) == [
        "[expected-failure.v68]: there is no test 'hafl*'"
    ]


def test_tags_that_no_device_can_have_are_named() -> None:
    used = [
        "sim",
        "q6a",
        "lab",
        "phone",
        "rack",
        "v75",
        "android",
        "v86",
        "phnoe",
        "ubuntu-aarch64",
    ]
    project = Project(
        Path("/p"),
        Header(name="p"),
        hosts={},
        skels={},
        targets={"phone-target": Target(platform="android", archs=("v75",))},
        expected_failures={
            **{tag: ExpectedFailure(("*",), "known") for tag in used},
            "any": ExpectedFailure(("*",), "by card", requires=("hvx-float",)),
        },
    )
    devices = {"phone": ConfiguredDevice("adb", "serial", tags=("rack",))}

    assert without_devices(project, devices, TAGS) == [
        f"[expected-failure.{tag}]: no known device or target has this name, tag, arch or platform"
        for tag in ("v86", "phnoe")
    ]
