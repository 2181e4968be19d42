"""The history of a project: bounded, and read however damaged it is."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from buildtool.core import history
from buildtool.core.history import DIRECTORY, KEPT_LINES, append_history, read_history


def test_the_newest_lines_are_kept(tmp_path: Path) -> None:
    for number in range(KEPT_LINES + 5):
        append_history(tmp_path, "builds", {"number": number})

    found = read_history(tmp_path, "builds")

    assert [line["number"] for line in found.lines] == [*range(5, KEPT_LINES + 5)]
    assert not found.problem


def test_a_file_has_a_limited_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(history, "KEPT_BYTES", 1000)
    for number in range(20):
        append_history(tmp_path, "tests", {"number": number, "text": "x" * 100})
    kept = [line["number"] for line in read_history(tmp_path, "tests").lines]
    append_history(tmp_path, "tests", {"text": "x" * 2000})

    assert kept == [*range(20 - len(kept), 20)]
    assert 5 < len(kept) < 10
    assert read_history(tmp_path, "tests").lines == ()


def test_processes_that_append_at_the_same_time_lose_nothing(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: append_history(tmp_path, "tests", {"n": n}), range(60)))

    assert {line["n"] for line in read_history(tmp_path, "tests").lines} == {*range(60)}


@pytest.mark.parametrize(
    "damage",
    [b"{", b"[1]", b"7", b"\xff\xfe", b"[" * 100_000, b'{"a": ' * 50_000, b"9" * 5000],
    ids=["cut", "list", "number", "bytes", "deep", "deep objects", "long number"],
)
def test_damaged_lines_are_counted_and_the_others_are_read(tmp_path: Path, damage: bytes) -> None:
    append_history(tmp_path, "runs", {"n": 1})
    file = tmp_path / DIRECTORY / "runs.jsonl"
    file.write_bytes(damage + b"\n\n" + file.read_bytes())

    found = read_history(tmp_path, "runs")

    assert found.lines == ({"n": 1},)
    assert "has 1 damaged lines" in found.problem


def test_what_is_no_file_is_a_problem_and_waits_for_nothing(tmp_path: Path) -> None:
    (tmp_path / DIRECTORY).mkdir()
    os.mkfifo(tmp_path / DIRECTORY / "builds.jsonl")
    (tmp_path / DIRECTORY / "runs.jsonl").mkdir()

    append_history(tmp_path, "builds", {})
    append_history(tmp_path, "runs", {})

    assert "cannot be read" in read_history(tmp_path, "builds").problem
    assert "cannot be read" in read_history(tmp_path, "runs").problem
    assert read_history(tmp_path, "tests") == ((), "")
