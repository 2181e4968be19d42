"""Lines that CTest prints, of any length."""

from __future__ import annotations

import io

from buildtool.testing.ctest.tests import MAX_LINE, _lines


def test_lines_are_complete() -> None:
    data = b"1: a\n\n1: " + b"x" * 70_000 + b"\n1: no end"
    assert b"".join(_lines(io.BytesIO(data))) == data


def test_the_rest_of_a_long_line_is_left_out() -> None:
    long = b"1: " + b"x" * (3 * MAX_LINE)
    first, second = _lines(io.BytesIO(long + b"\n2: next\n"))
    assert first == long[:MAX_LINE] + b" [the rest of the line is left out]"
    assert second == b"2: next\n"


def test_a_line_of_the_greatest_length_is_complete() -> None:
    data = b"x" * (MAX_LINE - 1) + b"\n" + b"y\n"
    assert list(_lines(io.BytesIO(data))) == [data[:MAX_LINE], b"y\n"]
