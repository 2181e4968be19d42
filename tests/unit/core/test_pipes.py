"""A named pipe, a directory or a link in place of a file of this tool counts as a missing file, and
no read waits for it.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from buildtool.core.checksummed_json import read_checksummed, write_checksummed
from buildtool.core.digest_cache import cached_digest
from buildtool.core.files import (
    file_digest,
    has_content,
    open_regular,
    read_regular,
    write_if_changed,
)
from buildtool.core.lock import locked, try_lock
from buildtool.core.process import Completed
from buildtool.drivers.cmake.file_api import FileApiError, read_cmake_inputs
from buildtool.drivers.cmake.generated_files import (
    NINJA_DEPS,
    all_stamps,
    ninja_deps_digest,
    snapshot_after_configure,
)
from buildtool.drivers.cmake.ninja_log import read_log_lines
from buildtool.drivers.cmake.step_log import step_log
from buildtool.drivers.cmake.tree_record import RECORD_FILE, read_tree_record
from buildtool.engine.check_target import check_cdsprpc_needs
from buildtool.engine.explain import last_build
from buildtool.engine.record import read_record
from buildtool.inputs.file_states import FileStates
from buildtool.project.read import read_project
from buildtool.sdk.probe_cache import cached_probe

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


def only_file(folder: Path) -> Path:
    (path,) = (path for path in folder.iterdir() if path.is_file())
    return path


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
        NINJA_DEPS,
        ".ninja_log",
        "record.json",
        ".cmake/api/v1/reply/index-1.json",
    ):
        put(tmp_path / name)
    assert read_tree_record(tmp_path) is None
    assert read_record(tmp_path / "record.json") is None
    assert ninja_deps_digest(tmp_path) == (0, "")
    assert read_log_lines(tmp_path) == frozenset()
    with pytest.raises(FileApiError):
        read_cmake_inputs(tmp_path)
    assert snapshot_after_configure(tmp_path, all_stamps(tmp_path), {}, 0) == {}


@PUT
def test_notes_of_a_project(put: Put, tmp_path: Path) -> None:
    (tmp_path / "buildtool.toml").write_text('[project]\nname = "p"\n')
    state = tmp_path / ".buildtool/state"
    for name in ("project.json", "digests", "last/sim.json", "checked/sim"):
        (state / name).parent.mkdir(parents=True, exist_ok=True)
        put(state / name)
    assert read_project(tmp_path / "buildtool.toml").name == "p"
    assert read_regular(state / "project.json")  # it was written again
    assert last_build(state, "sim") is None
    check_cdsprpc_needs((), state / "checked/sim")
    assert read_regular(state / "checked/sim")
    file_states = FileStates(state / "digests")
    (tmp_path / "file").write_text("content")
    assert len(file_states.state(tmp_path / "file")) == 64
    file_states.save()


@PUT
def test_notes_in_the_cache(put: Put, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("buildtool.core.file_stamp.SETTLED_NS", -1)
    tool = tmp_path / "tool"
    tool.write_text("content")

    def ask() -> Completed:
        return Completed((str(tool),), 0, "answer")

    for folder, learn in (
        ("digests", lambda: cached_digest(tool)),
        ("answers", lambda: cached_probe([tool], {}, ask)),
    ):
        first: Any = learn()
        note = only_file(tmp_path / "cache" / folder)
        note.unlink()
        put(note)
        assert learn() == first
        assert read_regular(note)


@PUT
def test_locks_and_logs(put: Put, tmp_path: Path) -> None:
    (tmp_path / "buildtool.toml").touch()
    state = tmp_path / ".buildtool"
    state.mkdir()
    put(state / "build.lock")
    with locked(state / "build.lock"):
        pass
    put(state / "skel-b.log")
    with step_log(state, "skel/b", "title") as log:
        log._write("line")
    assert (state / "skel-b.log").read_text().endswith("\nline\n")


def test_a_log_is_not_written_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "buildtool.toml").touch()
    (tmp_path / "of the user").write_text("content")
    (tmp_path / ".buildtool").mkdir()
    (tmp_path / ".buildtool/skel-b.log").symlink_to(tmp_path / "of the user")
    with step_log(tmp_path / ".buildtool", "skel/b", "title") as log:
        log._write("line")
    assert (tmp_path / "of the user").read_text() == "content"


@PUT
def test_what_was_written_is_read_again(put: Put, tmp_path: Path) -> None:
    (tmp_path / "buildtool.toml").touch()
    path = tmp_path / ".buildtool" / "note"
    path.parent.mkdir()
    put(path)
    write_checksummed(path, ["value"])
    assert read_checksummed(path) == ["value"]
    assert not write_if_changed(path, read_regular(path))
