"""Lines of several processes in one stream."""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from buildtool.cli.devices.on_devices import MAX_LINE, PrefixedLines, prefix


@given(st.lists(st.tuples(st.booleans(), st.sampled_from([b"x", b"\n", b"\r\n", b"", b"y\nz"]))))
def test_lines_stay_whole(pieces: list[tuple[bool, bytes]]) -> None:
    stream = io.BytesIO()
    lines = {name: PrefixedLines(b"%d: " % name, stream) for name in (False, True)}
    for name, piece in pieces:
        lines[name].feed(piece)
    for writer in lines.values():
        writer.end()

    written = stream.getvalue()
    assert not written or written.endswith(b"\n")
    for name in (False, True):
        mark = b"%d: " % name
        found = [row[3:] for row in written.split(b"\n") if row.startswith(mark)]
        whole = b"".join(piece for one, piece in pieces if one == name)
        expected = [row.removesuffix(b"\r") for row in whole.split(b"\n")]
        assert found == (expected if expected[-1] else expected[:-1])


def test_a_line_without_an_end_is_broken() -> None:
    stream = io.BytesIO()
    lines = PrefixedLines(b"> ", stream)
    for _ in range(5):
        lines.feed(b"x" * MAX_LINE)
    assert stream.getvalue().count(b"\n") == 4
    lines.end()
    assert stream.getvalue() == (b"> " + b"x" * MAX_LINE + b"\n") * 5


def test_prefixes_have_one_width() -> None:
    names = ["q6a", "phone"]
    found = [prefix(names, number, io.StringIO()) for number in range(2)]
    assert found == [b"q6a   | ", b"phone | "]


def test_prefixes_have_colours_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    terminal = io.StringIO()
    monkeypatch.setattr(terminal, "isatty", lambda: True)
    assert prefix(["q6a"], 0, terminal) == b"\x1b[36mq6a | \x1b[0m"
