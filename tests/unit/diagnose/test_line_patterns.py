"""Which lines a pattern matches, and which codes are in a line."""

from __future__ import annotations

import time

import pytest

from buildtool.diagnose.knowledge import CAUSE, Cause, Condition
from buildtool.diagnose.line_patterns import MAX_LINE, Pattern, codes_in, make_patterns


def pattern(text: str, *codes: int) -> Pattern:
    causes = (Cause("a", "b", "c"),)
    condition = Condition("x-y", CAUSE, "It is so.", codes, (text,), causes, ("s",), "code")
    (made,) = make_patterns([condition])
    return made


@pytest.mark.parametrize(
    ("text", "line", "matches"),
    [
        ("open failed", "error: OPEN failed now", True),
        ("open*failed", "open of a file has failed", True),
        ("open*failed", "failed to open", False),
        ("path=%:/", "path=/a:/b other", True),
        ("path=%:/", "path=/a other=/b:/c", False),
        ("path=%:/", "path=/a other; path=/b:/c", True),
        ("read failed*{code}", "read failed: 0x0000002e", True),
        ("read failed*{code}", "read failed: 46", True),
        ("read failed*{code}", "read failed: 0x2e0", False),
        ("read failed*{code}", "read failed: 146", False),
        ("read failed*{code}", "read failed at 0xabc2e", False),
        ("read failed*{code}", "read failed", False),
    ],
)
def test_a_pattern(text: str, line: str, matches: bool) -> None:
    assert (pattern(text, 0x2E).place(line.lower()) >= 0) is matches


def test_the_place_is_where_the_match_begins() -> None:
    assert pattern("path=%:/").place("path=/a x path=/b:/c") == len("path=/a x ")


@pytest.mark.parametrize(
    ("line", "codes"),
    [
        ("error 0x80000406: remote_handle64_open failed", [0x80000406]),
        ("my app got 80000406 from open", [0x80000406]),
        ("ioerr -2147482602", [0x80000416]),
        ("mapped 0x80000000 to 0x80000900", []),
        ("address 0xff80000406 and 0x800004060", []),
        ("fastrpc: error 0x72: no node", [0x72]),
        ("dspqueue_read failed: 0x0000002e", [0x2E]),
        ("i2c error 0x72", []),
        ("rpcmem_alloc of 0x72 bytes", []),
        ("fopen of x_skel.so: error_code 0x2", []),
        ("remote_handle failed: 0x0", []),
    ],
)
def test_codes_in_a_line(line: str, codes: list[int]) -> None:
    assert list(codes_in(line)) == codes


@pytest.mark.parametrize("filler", ["path=", "path=:", "path=a:/", ":/", " "])
def test_the_longest_line_takes_no_time(filler: str) -> None:
    hostile = (filler * MAX_LINE)[:MAX_LINE]
    each = pattern("path=%:/%:/%.so*end")

    start = time.process_time()
    for _ in range(20):
        assert each.place(hostile) < 0
    assert time.process_time() - start < 2
