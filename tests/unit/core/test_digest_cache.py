"""A cached digest is never that of another content."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest

from buildtool.core import files
from buildtool.core.files import cached_digest
from tests.opened_files import opened_files


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BUILDTOOL_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(files, "SETTLED_NS", -1)  # the files of a test are too new


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def notes(tmp_path: Path) -> list[Path]:
    return list((tmp_path / "cache").rglob("*"))


def test_a_file_is_read_once(tmp_path: Path) -> None:
    file = tmp_path / "cc"
    file.write_bytes(b"one")
    assert cached_digest(file) == sha256(b"one")

    with opened_files() as opened:
        assert cached_digest(file) == sha256(b"one")
    assert str(file) not in opened


def test_a_touched_file_has_the_same_digest(tmp_path: Path) -> None:
    file = tmp_path / "cc"
    file.write_bytes(b"one")
    before = cached_digest(file)
    os.utime(file, (1, 1))

    assert cached_digest(file) == before


def test_a_file_replaced_with_its_size_and_time_kept_is_noticed(tmp_path: Path) -> None:
    file, other = tmp_path / "cc", tmp_path / "new"
    file.write_bytes(b"one")
    os.utime(file, (1, 1))
    cached_digest(file)
    other.write_bytes(b"two")
    os.utime(other, (1, 1))
    other.replace(file)

    assert cached_digest(file) == sha256(b"two")


def test_a_file_rewritten_in_place_with_its_time_kept_is_noticed(tmp_path: Path) -> None:
    file = tmp_path / "cc"
    file.write_bytes(b"one")
    os.utime(file, (1, 1))
    before = file.stat()
    cached_digest(file)
    file.write_bytes(b"two")
    os.utime(file, (1, 1))

    assert file.stat().st_ino == before.st_ino
    assert cached_digest(file) == sha256(b"two")


def test_a_file_that_has_just_changed_is_not_remembered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "SETTLED_NS", 2_000_000_000)
    file = tmp_path / "cc"
    file.write_bytes(b"one")
    cached_digest(file)

    assert not notes(tmp_path)


@pytest.mark.parametrize("damage", [b"", b"\xff\xfe", b"1 2 3", b"1 2 3 4 5 abc"])
def test_a_damaged_note_is_replaced(damage: bytes, tmp_path: Path) -> None:
    file = tmp_path / "cc"
    file.write_bytes(b"one")
    cached_digest(file)
    (note,) = (path for path in notes(tmp_path) if path.is_file())
    whole = note.read_bytes()
    note.write_bytes(damage)

    assert cached_digest(file) == sha256(b"one")
    assert note.read_bytes() == whole


def test_a_cache_that_cannot_be_made_does_no_harm(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("BUILDTOOL_CACHE", str(tmp_path / "file"))
    file = tmp_path / "cc"
    file.write_bytes(b"one")

    assert cached_digest(file) == sha256(b"one")
