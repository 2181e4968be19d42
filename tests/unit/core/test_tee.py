"""What programs write is kept, and passed on to another descriptor."""

from __future__ import annotations

import os
import threading

import pytest

from buildtool.core.processes import kept_output
from buildtool.core.processes.kept_output import Kept, KeptOutput, teed


def test_everything_that_fits_is_kept_in_order() -> None:
    output = KeptOutput(tail=1000)
    with teed(output) as handle:
        for number in range(100):
            os.write(handle, b"%d\n" % number)
    assert output.kept() == Kept(b"".join(b"%d\n" % number for number in range(100)))
    assert output.kept().text.splitlines()[-1] == "99"


def test_only_the_end_is_kept_and_the_text_says_so() -> None:
    output = KeptOutput(tail=10)
    with teed(output) as handle:
        for _ in range(1000):
            os.write(handle, b"x" * 1000)
        os.write(handle, b"the end")
    assert output.kept() == Kept(b"", 999_997, b"xxxthe end")
    assert output.kept().text == "[... 999,997 bytes are omitted here ...]\nxxxthe end"


def test_the_beginning_and_the_end_are_kept() -> None:
    output = KeptOutput(head=3, tail=2)
    with teed(output) as handle:
        os.write(handle, b"123456789")
    assert output.kept().text == "123\n[... 4 bytes are omitted here ...]\n89"


def test_bytes_that_are_not_utf_8_are_kept() -> None:
    output = KeptOutput(tail=10)
    with teed(output) as handle:
        os.write(handle, b"\xff")
    assert output.kept().text.encode(errors="surrogateescape") == b"\xff"


def test_what_is_kept_is_passed_on_too() -> None:
    output = KeptOutput(tail=10)
    read, write = os.pipe()
    with teed(output, write) as handle:
        os.write(handle, b"text")
    os.close(write)
    assert os.read(read, 100) == b"text"
    os.close(read)
    assert output.kept() == Kept(b"text")


def test_another_process_that_has_the_descriptor_does_not_hold_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(kept_output, "LINGER_SECONDS", 0.05)
    before = threading.active_count()
    output = KeptOutput(tail=10)
    with teed(output) as handle:
        os.write(handle, b"x")
        other = os.dup(handle)
    assert output.kept() == Kept(b"x")
    os.close(other)
    while threading.active_count() > before:
        pass
