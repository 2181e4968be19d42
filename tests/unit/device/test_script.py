"""What scripts on devices write, behind marks and in pieces."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from buildtool.device.script import MarkedStream, ScriptReport, whole_number

MARK = b"[0123456789abcdef]"


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("0", 0),
        ("255", 255),
        ("256", None),
        ("4294967296", None),
        ("1" * 5000, None),
        ("-1", None),
        ("²", None),
        ("١", None),
        ("", None),
        ("1 2", None),
        ("0\nGoodbye", None),
    ],
)
def test_exit_statuses(text: str, status: int | None) -> None:
    assert ScriptReport("exit", text).status == status
    assert ScriptReport("done", text).status is None


def test_numbers_have_a_limit() -> None:
    assert whole_number("1000", 1000) == 1000
    assert whole_number("1001", 1000) is None


@given(st.lists(st.binary(max_size=9)), st.binary(max_size=40), st.binary(max_size=40))
def test_what_comes_before_and_behind_is_left_out(
    pieces: list[bytes], before: bytes, behind: bytes
) -> None:
    """However the stream is cut into pieces."""
    # Parts of the mark are no mark.
    texts = [piece + MARK[: len(piece)] for piece in pieces]
    text = b"".join(texts)
    whole = before + MARK + text + MARK + b"exit 3\n" + MARK + behind
    stream = MarkedStream(MARK)
    found = [
        stream.feed(whole[start : start + size])
        for size in [len(pieces) + 1]
        for start in range(0, len(whole), size)
    ]
    found.append(stream.feed(b""))
    assert b"".join(others for others, _ in found) == before
    assert b"".join(part for _, part in found) == text
    assert stream.report() == ScriptReport("exit", "3")


@pytest.mark.parametrize("end", [b"", b"exit 0", b"exit 0\n", b"exit 0\n" + MARK[:-1]])
def test_a_report_that_is_not_whole(end: bytes) -> None:
    stream = MarkedStream(MARK)
    stream.feed(MARK + b"text" + MARK + end)
    assert stream.report() is None
