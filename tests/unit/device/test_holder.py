"""Who holds the lock of a device."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from buildtool.device.sharing import MAX_TEXT, duration, parse_holder, user_text

VARIABLES = ("GITHUB_RUN_ID", "CI_JOB_URL", "BUILD_URL", "BUILDKITE_BUILD_URL", "CIRCLE_BUILD_URL")


@pytest.fixture(autouse=True)
def nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOGNAME", "ann")
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)


def test_the_text_of_a_lock_is_read_again() -> None:
    text = user_text("bin/demo")
    assert text.startswith("ann@")
    assert text.endswith(" bin/demo")
    holder = parse_holder(f"1000 77 4711 boot token 880 {text}")
    assert (holder.purpose, holder.seconds) == ("bin/demo", 120)
    assert " (2 min): bin/demo" in str(holder)


def test_a_lock_of_yesterday_has_a_date() -> None:
    today = str(parse_holder(f"1000 77 4711 boot token 880 {user_text('bin/demo')}"))
    day_ago = str(parse_holder(f"100000 77 4711 boot token 13600 {user_text('bin/demo')}"))
    assert re.search(r" since \d\d:\d\d \(2 min\)", today)
    assert re.search(r" since \d{4}-\d\d-\d\d \d\d:\d\d \(24 h 0 min\)", day_ago)


@pytest.mark.parametrize(
    ("variables", "job"),
    [
        ({"CI_JOB_URL": "https://ci.example/jobs/1"}, "https://ci.example/jobs/1"),
        ({"BUILD_URL": "https://ci.example/2/"}, "https://ci.example/2/"),
        (
            {
                "GITHUB_RUN_ID": "3",
                "GITHUB_SERVER_URL": "https://ci.example",
                "GITHUB_REPOSITORY": "a/b",
            },
            "https://ci.example/a/b/actions/runs/3",
        ),
    ],
)
def test_a_job_is_named(
    variables: dict[str, str], job: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    holder = parse_holder(f"- 77 4711 boot token - {user_text('bin/demo')}")
    assert holder.purpose == f"bin/demo, {job}"
    assert holder.seconds is None


@pytest.mark.parametrize(
    ("seconds", "text"), [(0, "0 s"), (59, "59 s"), (60, "1 min"), (11_100, "3 h 5 min")]
)
def test_durations(seconds: int, text: str) -> None:
    assert duration(seconds) == text


@given(st.text(max_size=3 * MAX_TEXT))
def test_any_text(text: str) -> None:
    for lock in (text, f"1000 77 4711 boot token 880 {text}", f"1 77 4711 boot token 9 a@b {text}"):
        shown = str(parse_holder(lock))
        assert "\n" not in shown
        assert "\x1b" not in shown
        assert len(shown) < 3 * MAX_TEXT
    assert "\n" not in user_text(text)
    assert len(user_text(text).encode()) < 4000  # the text of a link
