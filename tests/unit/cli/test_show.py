"""The output of commands is safe for terminals, and exact for programs."""

from __future__ import annotations

import io
import json
import os
import sys
from pathlib import Path

import pytest

from buildtool.cli.show import flush, show, show_error, show_json
from buildtool.core.errors import BuildtoolError
from tests.unit.cli.terminal import Terminal

HOSTILE = "a\x1b[2J\x7f\u202eb"
SHOWN = "a\\x1b[2J\\x7f\\u202eb"


def test_people_see_control_characters_written_out(capsys: pytest.CaptureFixture[str]) -> None:
    show(HOSTILE)
    show_error(BuildtoolError(HOSTILE, why=HOSTILE, remedy=HOSTILE), as_json=False)

    captured = capsys.readouterr()
    assert captured.out == f"{SHOWN}\n"
    assert captured.err == f"error: {SHOWN}\n  {SHOWN}\n  → {SHOWN}\n"


def test_programs_get_names_as_they_are(capsys: pytest.CaptureFixture[str]) -> None:
    show_json({HOSTILE: HOSTILE})
    show_error(BuildtoolError(HOSTILE), as_json=True)

    first, second = capsys.readouterr().out.split("}\n{")
    assert json.loads(first + "}") == {HOSTILE: HOSTILE}
    assert json.loads("{" + second)["error"]["message"] == HOSTILE


@pytest.mark.parametrize("unbuffered", [True, False])
def test_a_full_disk_of_the_output_is_reported(
    monkeypatch: pytest.MonkeyPatch, unbuffered: bool
) -> None:
    def say() -> None:
        show("text")
        flush()

    with Path("/dev/full").open("wb", buffering=0) as full, Path(os.devnull).open("wb") as nowhere:
        stream = io.TextIOWrapper(io.BufferedWriter(full), "utf-8", write_through=unbuffered)
        monkeypatch.setattr(sys, "stdout", stream)
        with pytest.raises(OSError, match="No space left on device: 'standard output'"):
            say()
        monkeypatch.undo()
        os.dup2(nowhere.fileno(), full.fileno())  # closing the stream writes again
        stream.close()


def test_errors_are_coloured_on_terminals(monkeypatch: pytest.MonkeyPatch) -> None:
    error = BuildtoolError("it: broke", why="by \x1b accident", remedy="Mend it.")
    texts = []
    for stream in (io.StringIO(), Terminal()):
        monkeypatch.setattr(sys, "stderr", stream)
        show_error(error, as_json=False)
        texts.append(stream.getvalue())
    plain, coloured = texts
    assert plain == "error: it: broke\n  by \\x1b accident\n  → Mend it.\n"
    assert coloured == plain.replace("error:", "\x1b[1;31merror:\x1b[0m", 1)
