"""A named pipe, a directory or a link in place of a file of this tool counts as a missing file, and
no read waits for it.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType

import pytest

from buildtool.core.files import (
    file_digest,
    has_content,
    open_regular,
    read_checksummed,
    read_regular,
    write_checksummed,
)
from buildtool.core.lock import locked, try_lock
from buildtool.core.trees import as_unwritable_error
from buildtool.drivers.cmake.file_api import FileApiError, read_cmake_inputs
from buildtool.drivers.cmake.step_tools import step_log
from buildtool.drivers.cmake.tree_files import read_log_lines
from buildtool.drivers.cmake.tree_record import (
    RECORD_FILE,
    read_tree_record,
    snapshot_after_configure,
)
from buildtool.engine.decide import last_build
from buildtool.engine.record import read_record
from buildtool.inputs.file_states import FileStates

SECONDS = 10.0
Put = Callable[[Path], object]
KINDS: dict[str, Put] = {
    "pipe": os.mkfifo,
    "directory": Path.mkdir,
    "dangling": lambda path: path.symlink_to("nothing"),
    "loop": lambda path: path.symlink_to(path.name),
    "device": lambda path: path.symlink_to("/dev/zero"),
}
PUT = pytest.mark.parametrize("put", KINDS.values(), ids=KINDS)


@pytest.fixture(autouse=True)
def _fail_instead_of_waiting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    def waits(number: int, frame: FrameType | None) -> None:
        raise AssertionError("a process waits for a named pipe")

    monkeypatch.setenv("BUILDTOOL_CACHE", str(tmp_path / "cache"))
    before = signal.signal(signal.SIGALRM, waits)
    signal.setitimer(signal.ITIMER_REAL, SECONDS)
    yield
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


@PUT
def test_what_is_no_file_is_not_read(put: Put, tmp_path: Path) -> None:
    path = tmp_path / "path"
    put(path)
    for read in (open_regular, read_regular, read_checksummed, file_digest):
        with pytest.raises(OSError, match=r"regular|directory|No such|Too many"):
            read(path)
    assert not has_content(path, b"")
    with try_lock(path) as handle:
        assert handle is None


def test_links_are_followed_to_files_only_where_that_is_meant(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"content")
    (tmp_path / "link").symlink_to("file")
    with open_regular(tmp_path / "link", follow=True) as stream:
        assert stream.read() == b"content"
    with pytest.raises(OSError, match="Too many levels"):
        open_regular(tmp_path / "link")
    assert read_regular(tmp_path / "file", 3) == b"con"
    assert read_regular(tmp_path / "file") == b"content"


@PUT
def test_notes_and_logs_of_a_build_tree(put: Put, tmp_path: Path) -> None:
    reply = tmp_path / ".cmake/api/v1/reply"
    reply.mkdir(parents=True)
    for name in (
        RECORD_FILE,
        ".ninja_log",
        "record.json",
        ".cmake/api/v1/reply/index-1.json",
    ):
        put(tmp_path / name)
    assert read_tree_record(tmp_path) is None
    assert read_record(tmp_path / "record.json") is None
    assert read_log_lines(tmp_path) == frozenset()
    with pytest.raises(FileApiError):
        read_cmake_inputs(tmp_path)
    found = snapshot_after_configure(tmp_path, {}, 0, ())
    assert not any(len(content) == 64 for _, content in found.values())  # no digest


@PUT
def test_notes_of_a_project(put: Put, tmp_path: Path) -> None:
    (tmp_path / "buildtool.toml").write_text('[project]\nname = "p"\n')
    state = tmp_path / ".buildtool/state"
    for name in ("digests", "last/sim.json"):
        (state / name).parent.mkdir(parents=True, exist_ok=True)
        put(state / name)
    assert last_build(state, "sim") is None
    file_states = FileStates(state / "digests")
    (tmp_path / "file").write_text("content")
    assert len(file_states.state(tmp_path / "file")) == 64


@PUT
def test_a_lock_that_cannot_be_taken_is_an_error(put: Put, tmp_path: Path) -> None:
    (tmp_path / "buildtool.toml").touch()
    state = tmp_path / ".buildtool"
    state.mkdir()
    put(state / "build.lock")
    with (
        pytest.raises(OSError, match=r"regular|directory|Too many") as caught,
        locked(state / "build.lock"),
    ):
        pass
    error = as_unwritable_error(caught.value)
    assert error
    assert f"Delete the directory: rm -rf '{state}'" in error.remedy


@PUT
def test_a_log_that_cannot_be_written_stops_no_build(put: Put, tmp_path: Path) -> None:
    put(tmp_path / "skel-b.log")
    with step_log(tmp_path, "skel/b", "title") as log:
        log._write("line")


def test_a_log_is_not_written_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "buildtool.toml").touch()
    (tmp_path / "of the user").write_text("content")
    (tmp_path / ".buildtool").mkdir()
    (tmp_path / ".buildtool/skel-b.log").symlink_to(tmp_path / "of the user")
    with step_log(tmp_path / ".buildtool", "skel/b", "title") as log:
        log._write("line")
    assert (tmp_path / "of the user").read_text() == "content"


def test_a_file_replaces_anything_but_a_directory(tmp_path: Path) -> None:
    for kind, put in KINDS.items():
        path = tmp_path / kind
        put(path)
        if kind == "directory":
            with pytest.raises(IsADirectoryError):
                write_checksummed(path, ["value"])
        else:
            write_checksummed(path, ["value"])
            assert read_checksummed(path) == ["value"]
