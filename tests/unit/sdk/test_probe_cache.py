"""The output of probed programs is cached as long as nothing has changed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from buildtool.core.processes.process import Completed
from buildtool.sdk.program import cached_probe


class Program:
    """An old program whose output names a directory that may not exist."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "cc"
        self.named = folder / "lib"
        self.asked = 0
        self.status = 0
        self.path.write_text("compiler")

    def run(self) -> str:
        def run() -> Completed:
            self.asked += 1
            return Completed((str(self.path),), self.status, f"libraries: ={self.named}:/nowhere")

        return cached_probe([self.path, "-v"], {"LC_ALL": "C"}, run).output


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Program:
    monkeypatch.setattr("buildtool.core.files.SETTLED_NS", -1)
    return Program(tmp_path)


def test_a_program_is_asked_once(program: Program) -> None:
    assert program.run() == program.run()
    assert program.asked == 1


def test_another_program_is_asked_again(program: Program) -> None:
    program.run()
    status = program.path.stat()
    program.path.write_text("COMPILER")
    os.utime(program.path, ns=(status.st_atime_ns, status.st_mtime_ns))

    program.run()

    assert program.asked == 2


def test_what_the_answer_names_may_appear(program: Program) -> None:
    program.run()
    program.named.mkdir()

    program.run()

    assert program.asked == 2


def test_failures_are_not_remembered(program: Program) -> None:
    program.status = 1
    program.run()
    program.run()

    assert program.asked == 2


def test_a_damaged_note_is_no_answer(program: Program) -> None:
    program.run()
    (note,) = (Path(os.environ["BUILDTOOL_CACHE"]) / "answers").iterdir()
    note.write_text('{"stamps": 3}')

    assert str(program.named) in program.run()
    assert program.asked == 2


def test_a_program_that_just_changed_is_asked_again(
    program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("buildtool.core.files.SETTLED_NS", 3_600_000_000_000)
    program.run()
    program.run()

    assert program.asked == 2
