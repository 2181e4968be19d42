"""Digests, and atomic writes."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from buildtool.core.files import tree_digest, value_digest, with_path_in_errors, write_if_changed
from tests.limits import file_size_limit


def test_unchanged_text_leaves_the_time_stamp_alone(tmp_path: Path) -> None:
    file = tmp_path / "a" / "b.txt"
    assert write_if_changed(file, "one")
    os.utime(file, (1, 1))
    assert not write_if_changed(file, "one")
    assert file.stat().st_mtime == 1
    assert write_if_changed(file, "two")
    assert file.read_text() == "two"
    assert [p.name for p in file.parent.iterdir()] == ["b.txt"]


def test_a_write_that_fails_leaves_what_was_there(tmp_path: Path) -> None:
    file = tmp_path / "a"
    file.write_text("old")
    with file_size_limit(2), pytest.raises(OSError, match="File too large"):
        write_if_changed(file, "new")
    assert [p.name for p in tmp_path.iterdir()] == ["a"]
    assert file.read_text() == "old"


def test_a_tree_s_digest_is_its_names_and_contents(tmp_path: Path) -> None:
    (tmp_path / "x").mkdir()
    (tmp_path / "x" / "a").write_text("1")
    before = tree_digest([tmp_path])
    (tmp_path / "x" / "__pycache__").mkdir()
    (tmp_path / "x" / "__pycache__" / "a.pyc").write_text("1")
    os.utime(tmp_path / "x" / "a", (1, 1))
    assert tree_digest([tmp_path]) == before
    (tmp_path / "x" / "a").chmod(0o755)
    assert tree_digest([tmp_path]) != before
    (tmp_path / "x" / "a").chmod(0o644)
    assert tree_digest([tmp_path]) == before
    (tmp_path / "x" / "a").rename(tmp_path / "x" / "b")
    assert tree_digest([tmp_path]) != before


def test_a_value_s_digest_does_not_depend_on_key_order() -> None:
    assert value_digest({"a": 1, "b": 2}) == value_digest({"b": 2, "a": 1})
    assert value_digest({"a": 1}) != value_digest({"a": 2})


def test_a_write_without_room_names_the_file_that_is_written() -> None:
    error = pytest.raises(OSError, match="No space left on device")
    with error as caught, with_path_in_errors("/a/file"):
        Path("/dev/full").write_bytes(b"x")
    assert (caught.value.errno, caught.value.filename) == (errno.ENOSPC, "/a/file")


def test_a_file_that_cannot_be_made_is_named_and_not_a_temporary_one(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()

    with pytest.raises(IsADirectoryError) as caught:
        write_if_changed(tmp_path / "a", "text")

    assert (caught.value.filename, caught.value.filename2) == (str(tmp_path / "a"), None)


def test_names_that_are_not_utf8_are_written_as_they_are(tmp_path: Path) -> None:
    write_if_changed(tmp_path / "a", os.fsdecode(b"caf\xe9.h"))

    assert (tmp_path / "a").read_bytes() == b"caf\xe9.h"
