"""Failures of a remote cache are reported once, and disable it after the third."""

from __future__ import annotations

import sys

import pytest

from buildtool.cache.remote.client import RemoteCache
from buildtool.cache.remote.config import RemoteConfig
from buildtool.cache.remote.requests import FailurePolicy
from buildtool.core.events import Event, Note

CONFIG = RemoteConfig("https://cache.example.com", mode="read-write", timeout=2.0)


@pytest.fixture
def events() -> list[Event]:
    return []


@pytest.fixture
def failures(events: list[Event]) -> FailurePolicy:
    return FailurePolicy(CONFIG, events.append)


def state(failures: FailurePolicy) -> tuple[bool, bool]:
    return failures.disabled.is_set(), failures.writes_disabled.is_set()


def test_a_lost_server_is_lost_at_once(failures: FailurePolicy, events: list[Event]) -> None:
    failures.unreachable("cannot be reached")
    failures.unreachable("cannot be reached")
    assert state(failures) == (True, False)
    assert events == [
        Note(
            "the remote cache https://cache.example.com cannot be reached;"
            " this build does without it"
        )
    ]


def test_three_bad_answers(failures: FailurePolicy, events: list[Event]) -> None:
    for number in range(3):
        assert state(failures) == (False, False)
        failures.bad_response(f"sent {number}")
    assert state(failures) == (True, False)
    assert len(events) == 1


def test_a_server_that_refuses_writes_is_still_read(
    failures: FailurePolicy, events: list[Event]
) -> None:
    for _ in range(3):
        assert state(failures) == (False, False)
        failures.not_stored("is full", 507)
    assert state(failures) == (False, True)
    assert len(events) == 1


@pytest.mark.parametrize("status", [401, 403, 405])
def test_a_refusal_is_not_tried_again(failures: FailurePolicy, status: int) -> None:
    failures.not_stored("refuses", status)
    assert state(failures) == (False, True)


def test_files_of_this_side_do_not_count(failures: FailurePolicy, events: list[Event]) -> None:
    for _ in range(9):
        failures.local_error("No space left on device")
    assert state(failures) == (False, False)
    assert len(events) == 1


def test_waiting_adds_up(failures: FailurePolicy) -> None:
    for _ in range(1000):
        failures.add_wait(0.4)
    for _ in range(3):
        failures.add_wait(1.1)
        assert state(failures) == (False, False)
    failures.add_wait(1.1)
    assert state(failures) == (True, False)


def test_nothing_is_loaded_or_asked_before_it_is_needed(events: list[Event]) -> None:
    loaded = set(sys.modules)
    remote = RemoteCache(RemoteConfig("http://cache.invalid", token="t"), events.append)
    assert not remote.writable
    assert not remote.put("0" * 64, b"", {})
    assert not {"urllib3", "zstandard"} & (set(sys.modules) - loaded)
    assert events == []


def test_a_key_is_a_digest(events: list[Event]) -> None:
    for key in ("", "../../etc", "A" * 64, "0" * 63, "0" * 64 + "\n"):
        with pytest.raises(ValueError, match="sha256"):
            RemoteCache(CONFIG, events.append).document(key)
