"""The ports and durations of `[run.NAME]`."""

from __future__ import annotations

import pytest

from buildtool.project.runs import Forward, ports


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("8080", Forward(8080, 8080)),
        ("9000:8080", Forward(9000, 8080)),
        ("0:1", Forward(0, 1)),
        ("65535:65535", Forward(65535, 65535)),
    ],
)
def test_ports(text: str, meant: Forward) -> None:
    assert ports(text) == meant


@pytest.mark.parametrize(
    "text",
    ["", "0", "8080:0", "65536", "65536:1", "-1", "1:2:3", ":1", "1:", "x", "1 ", "1\n", "١"],
)
def test_what_names_no_ports(text: str) -> None:
    with pytest.raises(ValueError, match="does not name ports from 1 to 65535"):
        ports(text)
