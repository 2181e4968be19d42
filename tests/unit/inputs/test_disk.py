"""What is remembered of the disk, and when it is not believed."""

from __future__ import annotations

import hashlib
import os
import time
import unicodedata
from pathlib import Path

import pytest

from buildtool.inputs import file_states as disk_module
from buildtool.inputs.file_states import Disk


def sha(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The files that were read."""
    read: list[str] = []
    whole = Disk._read_whole

    def note(self: Disk, path: str) -> str:
        read.append(Path(path).name)
        return whole(self, path)

    monkeypatch.setattr(Disk, "_read_whole", note)
    return read


@pytest.fixture
def settled(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if everything was changed long ago."""
    now = time.time_ns
    monkeypatch.setattr(disk_module.time, "time_ns", lambda: now() + 3_000_000_000)


def test_states(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    (tmp_path / "run").write_text("x")
    (tmp_path / "run").chmod(0o755)
    (tmp_path / "link").symlink_to("file")
    (tmp_path / "dangling").symlink_to("nothing")
    (tmp_path / "loop").symlink_to("loop")
    os.mkfifo(tmp_path / "pipe")
    disk = Disk()
    names = ["file", "run", "link", "dangling", "pipe", "nothing", "", "no/where", "file/x", "a\0b"]
    assert disk.states([f"{tmp_path}/{name}" for name in names]) == [
        *(sha("x"), sha("x") + "+x", sha("x"), "", "special", "", "directory", "", "", "")
    ]
    assert disk.state("/dev/null") == disk.state("/proc/self/status") == "special"
    assert disk.state("/") == "directory"
    assert {*(disk.entries(tmp_path) or ())} == {"file", "run", "link", "dangling", "loop", "pipe"}
    assert disk.entries(tmp_path / "file") is None
    assert disk.exists(f"{tmp_path}/dangling")
    assert not disk.exists(f"{tmp_path}/nothing")


def test_it_asks_once(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("x")
    disk = Disk()
    assert disk.state(file) == sha("x")
    file.write_text("other")
    assert disk.state(file) == sha("x")
    disk = disk.again()
    assert disk.state(file) == sha("other")


def test_digests_are_remembered(tmp_path: Path, reads: list[str], settled: None) -> None:
    for name in ("a", "b"):
        (tmp_path / name).write_text(name)
    note = tmp_path / "notes/note"
    for number in range(3):
        disk = Disk(note)
        assert disk.states([f"{tmp_path}/a", f"{tmp_path}/b"]) == [sha("a"), sha("b")]
        disk.save()
        assert len(reads) == 2, number
    (tmp_path / "a").write_text("z")
    os.utime(tmp_path / "a", ns=(0, 0))
    disk = Disk(note)
    assert disk.state(tmp_path / "a") == sha("z")
    disk.save()
    assert reads == ["a", "b", "a"]
    assert Disk(note).states([f"{tmp_path}/a", f"{tmp_path}/b"]) == [sha("z"), sha("b")]
    assert len(reads) == 3


def test_a_replaced_file_with_its_old_time_is_noticed(tmp_path: Path, settled: None) -> None:
    file, note = tmp_path / "file", tmp_path / "note"
    file.write_text("one")
    status = file.stat()
    disk = Disk(note)
    disk.state(file)
    disk.save()
    file.write_text("two")
    os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert Disk(note).state(file) == sha("two")


def test_what_is_too_new_is_not_remembered(tmp_path: Path, reads: list[str]) -> None:
    (tmp_path / "file").write_text("x")
    for _ in range(2):
        disk = Disk(tmp_path / "note")
        disk.state(tmp_path / "file")
        disk.save()
    assert reads == ["file", "file"]
    assert not (tmp_path / "note").exists()


def test_a_damaged_note_costs_time_only(tmp_path: Path, reads: list[str], settled: None) -> None:
    file, note = tmp_path / "file", tmp_path / "note"
    file.write_text("x")
    disk = Disk(note)
    disk.state(file)
    disk.save()
    good = note.read_bytes()
    flipped = [good[:at] + bytes([good[at] ^ 1]) + good[at + 1 :] for at in range(len(good))]
    for data in [b"", b"x", good[:-1], good[: len(good) // 2], good + b"x", *flipped]:
        note.write_bytes(data)
        reads.clear()
        assert Disk(note).state(file) == sha("x")
        assert reads == ["file"]
    note.unlink()
    note.mkdir()
    disk = Disk(note)
    assert disk.state(file) == sha("x")
    disk.save()  # cannot be, and is no error


def test_files_that_are_gone_leave_the_note(tmp_path: Path, settled: None) -> None:
    note = tmp_path / "note"
    for name in ("old", "kept", "new"):
        (tmp_path / name).write_text(name)
    disk = Disk(note)
    disk.states([f"{tmp_path}/old", f"{tmp_path}/kept"])
    disk.save()
    (tmp_path / "old").unlink()
    disk = Disk(note)
    disk.state(tmp_path / "new")
    disk.save()
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
    assert not Disk().exists(f"{tmp_path}/{other}")
    monkeypatch.setattr(disk_module.os.path, "lexists", exists)
    assert Disk().exists(f"{tmp_path}/{other}")
    assert not Disk().exists(f"{tmp_path}/other.h")
