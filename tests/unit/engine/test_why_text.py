"""The words of `buildtool why`, to the letter, and its note of the last build."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from buildtool.cli.why import SHOWN, _show
from buildtool.engine.explain import Explained, last_build, note_build
from buildtool.engine.reasons import Reason

OLD, NEW = "a" * 64, "b" * 64
CHANGED = Reason("input", "{project}/host/main.c", OLD, NEW)
DEFINE = Reason("field", "cmake.defines.LEVEL", "", "{project}/two")


@pytest.mark.parametrize(
    ("row", "text"),
    [
        (Explained("host/app", "up-to-date"), "host/app: up to date\n"),
        (
            Explained("host/app", "restored", (CHANGED,), "local"),
            "host/app: restored from the local cache\n"
            "    host/main.c changed: aaaaaaaa → bbbbbbbb\n",
        ),
        (
            Explained("host/app", "restored", (Reason("first"),), "remote"),
            "host/app: restored from the remote cache\n    it was not built here before\n",
        ),
        (
            Explained("skel/a/v68", "built", (DEFINE, CHANGED)),
            "skel/a/v68: rebuilt\n"
            "    cmake.defines.LEVEL: nothing → 'two'\n"
            "    host/main.c changed: aaaaaaaa → bbbbbbbb\n",
        ),
        (
            Explained("host/app", "waits", origin="host/base"),
            "host/app: waits for host/base, which is rebuilt\n",
        ),
        (Explained("host/app", "failed"), "host/app: failed\n"),
        (
            Explained("host/app", "built", (Reason("first"),), "", (CHANGED,), 1),
            "host/app: rebuilt\n"
            "    it was not built here before\n"
            "    the one state of it in the cache differs:\n"
            "      host/main.c changed: aaaaaaaa → bbbbbbbb\n",
        ),
        (
            Explained("host/app", "built", (DEFINE, CHANGED), "", (CHANGED,), 3),
            "host/app: rebuilt\n"
            "    cmake.defines.LEVEL: nothing → 'two'\n"
            "    host/main.c changed: aaaaaaaa → bbbbbbbb\n"
            "    of 3 states of it in the cache the most similar one differs:\n"
            "      host/main.c changed: aaaaaaaa → bbbbbbbb\n",
        ),
        (  # what differs from the last build is not said twice
            Explained("host/app", "built", (CHANGED,), "", (CHANGED,), 2),
            "host/app: rebuilt\n    host/main.c changed: aaaaaaaa → bbbbbbbb\n",
        ),
        (
            Explained("host/app", "built", (Reason("input", "a\x1b[2J\n\u202e.c", OLD),)),
            "host/app: rebuilt\n    a\\x1b[2J\\n\\u202e.c is gone\n",
        ),
    ],
)
def test_a_step_in_words(row: Explained, text: str, capsys: pytest.CaptureFixture[str]) -> None:
    _show(row, SHOWN)

    assert capsys.readouterr().out == text


def test_many_reasons_are_cut_short(capsys: pytest.CaptureFixture[str]) -> None:
    many = tuple(Reason("input", f"{number}.c", OLD) for number in range(SHOWN + 2))

    _show(Explained("host/app", "built", many), SHOWN)

    *shown, rest = capsys.readouterr().out.splitlines()
    assert len(shown) == 1 + SHOWN
    assert rest == "    and 2 more (--all)"


def row(**changes: Any) -> dict[str, Any]:
    known = Explained("host/app", "built", (CHANGED,), "local").as_json()
    return {**known, **changes}


def test_the_note_of_a_build_is_read_again(tmp_path: Path) -> None:
    failed = Explained("skel/a/v68", "failed", (CHANGED,))
    skipped = Explained("skel/a/v73", "skipped")
    note_build(tmp_path, "sim", [], [failed, skipped])

    assert last_build(tmp_path, "sim") == (failed, skipped)
    assert last_build(tmp_path, "other") is None

    (tmp_path / "last/sim.json").write_text(json.dumps([row()]))
    assert last_build(tmp_path, "sim") == (Explained("host/app", "built", (CHANGED,), "local"),)


@pytest.mark.parametrize(
    "rows",
    [
        7,
        None,
        [7],
        ["text"],
        [[]],
        [{}],
        [row(reasons=None)],
        [row(reasons=[{}])],
        [row(reasons="text")],
        [row(reasons=[["a"]])],
    ],
)
def test_a_note_that_nobody_wrote_is_none(rows: Any, tmp_path: Path) -> None:
    (tmp_path / "last").mkdir()
    (tmp_path / "last/sim.json").write_text(json.dumps(rows))

    assert last_build(tmp_path, "sim") is None


@pytest.mark.parametrize("data", [b"", b"[", b"\xff", b"[" * 100_000])
def test_a_note_that_is_no_json_is_none(data: bytes, tmp_path: Path) -> None:
    (tmp_path / "last").mkdir()
    (tmp_path / "last/sim.json").write_bytes(data)

    assert last_build(tmp_path, "sim") is None
