"""File states, and when stored digests are valid."""

from __future__ import annotations

import hashlib
import os
import time
import unicodedata
from pathlib import Path

import pytest

from buildtool.inputs.file_states import FileStates
from tests.opened_files import opened_files


def sha(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def read_by(states: FileStates, *files: Path) -> list[str]:
    """Query the states of files; returns the names of those that are read."""
    with opened_files() as opened:
        states.states([str(file) for file in files])
    return [file.name for file in files if str(file) in opened]


@pytest.fixture
def settled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make all files appear to have changed long ago."""
    now = time.time_ns
    monkeypatch.setattr("time.time_ns", lambda: now() + 3_000_000_000)


def test_states(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    (tmp_path / "run").write_text("x")
    (tmp_path / "run").chmod(0o755)
    (tmp_path / "link").symlink_to("file")
    (tmp_path / "dangling").symlink_to("nothing")
    (tmp_path / "loop").symlink_to("loop")
    os.mkfifo(tmp_path / "pipe")
    file_states = FileStates()
    names = ["file", "run", "link", "dangling", "pipe", "nothing", "", "no/where", "file/x", "a\0b"]
    assert file_states.states([f"{tmp_path}/{name}" for name in names]) == [
        *(sha("x"), sha("x") + "+x", sha("x"), "", "special", "", "directory", "", "", "")
    ]
    assert file_states.state("/dev/null") == file_states.state("/proc/self/status") == "special"
    assert file_states.state("/") == "directory"
    assert {*(file_states.entries(tmp_path) or ())} == {
        "file",
        "run",
        "link",
        "dangling",
        "loop",
        "pipe",
    }
    assert file_states.entries(tmp_path / "file") is None
    assert file_states.exists(f"{tmp_path}/dangling")
    assert not file_states.exists(f"{tmp_path}/nothing")


def test_no_descriptors_stay_open(tmp_path: Path) -> None:
    for number in range(20):
        (tmp_path / str(number)).mkdir()
        (tmp_path / str(number) / "file").touch()
    before = set(Path("/proc/self/fd").iterdir())
    states = FileStates().states([f"{tmp_path}/{number}/file" for number in range(20)])
    assert states == [sha("")] * 20
    assert set(Path("/proc/self/fd").iterdir()) == before


def test_it_asks_once(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("x")
    file_states = FileStates()
    assert file_states.state(file) == sha("x")
    file.write_text("other")
    assert file_states.state(file) == sha("x")
    file_states = file_states.with_fresh_stats()
    assert file_states.state(file) == sha("other")


def test_digests_are_remembered(tmp_path: Path, settled: None) -> None:
    a, b, note = tmp_path / "a", tmp_path / "b", tmp_path / "notes/note"
    for file in (a, b):
        file.write_text(file.name)
    for read in (["a", "b"], [], []):
        file_states = FileStates(note)
        assert read_by(file_states, a, b) == read
        assert file_states.states([str(a), str(b)]) == [sha("a"), sha("b")]
        file_states.save()
    a.write_text("z")
    os.utime(a, ns=(0, 0))
    file_states = FileStates(note)
    assert read_by(file_states, a) == ["a"]
    assert file_states.state(a) == sha("z")
    file_states.save()
    file_states = FileStates(note)
    assert read_by(file_states, a, b) == []
    assert file_states.states([str(a), str(b)]) == [sha("z"), sha("b")]


def test_a_replaced_file_with_its_old_time_is_noticed(tmp_path: Path, settled: None) -> None:
    file, note = tmp_path / "file", tmp_path / "note"
    file.write_text("one")
    status = file.stat()
    file_states = FileStates(note)
    file_states.state(file)
    file_states.save()
    file.write_text("two")
    os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert FileStates(note).state(file) == sha("two")


def test_what_is_too_new_is_not_remembered(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("x")
    for _ in range(2):
        file_states = FileStates(tmp_path / "note")
        assert read_by(file_states, file) == ["file"]
        file_states.save()
    assert not (tmp_path / "note").exists()


def test_a_damaged_note_costs_time_only(tmp_path: Path, settled: None) -> None:
    file, note = tmp_path / "file", tmp_path / "note"
    file.write_text("x")
    file_states = FileStates(note)
    file_states.state(file)
    file_states.save()
    good = note.read_bytes()
    flipped = [good[:at] + bytes([good[at] ^ 1]) + good[at + 1 :] for at in range(len(good))]
    for data in [b"", b"x", good[:-1], good[: len(good) // 2], good + b"x", *flipped]:
        note.write_bytes(data)
        file_states = FileStates(note)
        assert read_by(file_states, file) == ["file"]
        assert file_states.state(file) == sha("x")
    note.unlink()
    note.mkdir()
    file_states = FileStates(note)
    assert file_states.state(file) == sha("x")
    file_states.save()  # fails without an error


def test_files_that_are_gone_leave_the_note(tmp_path: Path, settled: None) -> None:
    note = tmp_path / "note"
    for name in ("old", "kept", "new"):
        (tmp_path / name).write_text(name)
    file_states = FileStates(note)
    file_states.states([f"{tmp_path}/old", f"{tmp_path}/kept"])
    file_states.save()
    (tmp_path / "old").unlink()
    file_states = FileStates(note)
    file_states.state(tmp_path / "new")
    file_states.save()
    text = note.read_bytes()
    assert b"/old" not in text
    assert b"/kept" in text
    assert b"/new" in text


@pytest.mark.parametrize("other", ["Level.H", "A\u030a.h", "\u212b.h", "LEVEL.h"])
def test_a_stand_in_for_a_file_system_that_takes_no_notice_of_case_and_accents(
    other: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def alike(name: str) -> str:
        return unicodedata.normalize("NFD", name).casefold()

    def exists(path: str) -> bool:
        return alike(Path(path).name) in {alike(file.name) for file in Path(path).parent.iterdir()}

    for name in ("level.h", "\u00e5.h"):
        (tmp_path / name).touch()
    assert not FileStates().exists(f"{tmp_path}/{other}")
    monkeypatch.setattr(os.path, "lexists", exists)
    assert FileStates().exists(f"{tmp_path}/{other}")
    assert not FileStates().exists(f"{tmp_path}/other.h")


def test_ctrl_c_while_a_directory_is_closed_closes_no_other_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The signal is handled right after the call: a second one could close another file."""
    close, closed = os.close, []

    def interrupted(descriptor: int) -> None:
        close(descriptor)
        closed.append(descriptor)
        raise KeyboardInterrupt

    monkeypatch.setattr("os.close", interrupted)
    with pytest.raises(KeyboardInterrupt):
        FileStates().states([str(tmp_path / "a/x"), str(tmp_path), "/"])
    assert len(closed) == 1
