"""A step record is read as it was written; an invalid one counts as missing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from buildtool.cache.outputs import Output
from buildtool.core.files import read_checksummed, value_digest, write_checksummed
from buildtool.engine.record import StepRecord, read_record, write_record
from buildtool.inputs.globs import Glob
from buildtool.inputs.path_sets import InputSet, PathSet

PATHS = PathSet.of(["{project}/a.c"], ["{project}/a.h"], [Glob("{project}/*.c")])
RECORD = StepRecord(
    key="a" * 64,
    fields={"version": 1, "cmake": {"defines": {"A": "1"}}},
    inputs=InputSet(PATHS, {"{project}/a.c": "b" * 64}, (), {"GLOB {project}/*.c": ()}),
    outputs=(Output("bin/a", "executable", "c" * 64, 5), Output("bin/b", "link", target="a")),
    changed_during_build=("{project}/a.c",),
    runtime={"libc++.so.1": "/sdk/libc++.so.1"},
    seconds=1.5,
)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    file = tmp_path / "state" / "steps" / "record.json"
    write_record(file, RECORD)
    return file


def test_a_record_is_read_as_it_was_written(file: Path) -> None:
    assert read_record(file) == RECORD


def test_its_digest_is_that_of_the_outputs(file: Path) -> None:
    rows = [output.as_json() for output in RECORD.outputs]

    assert RECORD.digest == value_digest(rows)


def put(*keys: Any) -> Callable[[Any], None]:
    """A function that sets the value at a path of keys; the last of `keys` is the value."""
    *path, last, value = keys

    def change(content: Any) -> None:
        for key in path:
            content = content[key]
        content[last] = value

    return change


@pytest.mark.parametrize(
    "change",
    [
        put("version", 1),
        put("fields", 3),
        put("fields", [1]),
        put("inputs", None),
        put("inputs", "files", ["../a.c"]),
        put("inputs", "digests", []),
        put("outputs", {}),
        put("outputs", 0, "path", "../../outside"),
        put("outputs", 0, "path", "/etc/passwd"),
        put("outputs", 0, "digest", "short"),
        put("outputs", 1, "target", "/etc/passwd"),
        put("outputs", 1, "target", "../../outside"),
        put("changed_during_build", 1),
        put("runtime", ["libc++.so.1"]),
        put("runtime", None),
        put("seconds", "soon"),
        put("seconds", 10**400),
        put("seconds", None),
    ],
)
def test_an_invalid_record_is_ignored(change: Callable[[Any], None], file: Path) -> None:
    content = read_checksummed(file)
    change(content)
    write_checksummed(file, content)

    assert read_record(file) is None


@pytest.mark.parametrize(
    "data",
    [b"", b"{", b"[]", b"null", b"1", b'"text"', b"{}", b"\xff\xfe", b"[" * 100_000],
    ids=lambda data: repr(data[:8]),
)
def test_what_is_no_json_of_ours_is_no_record(data: bytes, file: Path) -> None:
    file.write_bytes(data)

    assert read_record(file) is None


def test_every_truncation_is_no_record(file: Path) -> None:
    whole = file.read_bytes()
    for size in range(len(whole)):
        file.write_bytes(whole[:size])
        assert read_record(file) is None


def test_a_flipped_bit_anywhere_makes_it_no_record(file: Path) -> None:
    whole = file.read_bytes()
    for at in range(len(whole)):
        file.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
        assert read_record(file) is None


def test_a_missing_file_and_a_directory_are_no_record(tmp_path: Path) -> None:
    assert read_record(tmp_path / "none.json") is None
    assert read_record(tmp_path) is None
