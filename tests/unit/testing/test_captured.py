"""The end of what programs write is kept."""

from __future__ import annotations

import os
import threading

import pytest

from buildtool.testing import captured as module
from buildtool.testing.captured import captured


def test_everything_that_fits_is_kept_in_order() -> None:
    with captured(1000) as (handle, found):
        for number in range(100):
            os.write(handle, b"%d\n" % number)
    assert found.data == b"".join(b"%d\n" % number for number in range(100))
    assert found.text.splitlines()[-1] == "99"


def test_only_the_end_is_kept_and_the_text_says_so() -> None:
    with captured(10) as (handle, found):
        for _ in range(1000):
            os.write(handle, b"x" * 1000)
        os.write(handle, b"the end")
    assert found.data == b"xxxthe end"
    assert found.text == "[999,997 bytes left out]\nxxxthe end"


def test_bytes_that_are_not_utf_8_are_kept() -> None:
    with captured(10) as (handle, found):
        os.write(handle, b"\xff")
    assert found.text.encode(errors="surrogateescape") == b"\xff"


def test_another_process_that_has_the_descriptor_does_not_hold_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "LINGER_SECONDS", 0.05)
    before = threading.active_count()
    with captured(10) as (handle, found):
        os.write(handle, b"x")
        other = os.dup(handle)
    assert found.data == b"x"
    os.close(other)
    while threading.active_count() > before:
        pass
