"""Locks exclude each other, and a wait for one can have a timeout."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest

from buildtool.core.lock import locked, try_lock


def test_a_lock_is_waited_for_no_longer_than_the_timeout(tmp_path: Path) -> None:
    waited: list[str] = []
    with locked(tmp_path / "lock"):
        start = time.monotonic()
        with (
            pytest.raises(TimeoutError) as caught,
            locked(tmp_path / "lock", lambda: waited.append("once"), timeout=0.05),
        ):
            raise AssertionError("two holders")
        assert 0.05 <= time.monotonic() - start < 5
    assert waited == ["once"]
    assert caught.value.filename == str(tmp_path / "lock")


@pytest.mark.parametrize("timeout", [None, 60.0])
def test_a_lock_is_acquired_once_it_is_released(tmp_path: Path, timeout: float | None) -> None:
    waiting, acquired = threading.Event(), threading.Event()

    def wait() -> None:
        with locked(tmp_path / "lock", waiting.set, timeout=timeout):
            acquired.set()

    with locked(tmp_path / "lock"):
        thread = threading.Thread(target=wait)
        thread.start()
        assert waiting.wait(30)
        with try_lock(tmp_path / "lock") as held:
            assert held is None
        assert not acquired.is_set()
    thread.join(30)
    assert acquired.is_set()
