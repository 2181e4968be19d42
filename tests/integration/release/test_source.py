"""The revision and the time of sources, as git tells them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from buildtool.plan.environment import LATEST_TIME
from buildtool.release.document import UNKNOWN_TIME, ReleaseSource, find_source
from tests.integration.release.test_package import TIME, git


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with one commit."""
    (tmp_path / "main.c").write_text("int main(void) { return 0; }\n")
    for arguments in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "all"]):
        git(tmp_path, *arguments)
    return tmp_path


def source_of(root: Path) -> tuple[ReleaseSource, list[str]]:
    notes: list[str] = []
    return find_source(root, root / "dist", notes.append), notes


def test_a_new_file_makes_the_sources_dirty_but_an_archive_does_not(repository: Path) -> None:
    (repository / "dist").mkdir()
    (repository / "dist" / "archive").touch()
    clean, notes = source_of(repository)
    (repository / "new.c").touch()

    assert (clean.dirty, clean.epoch, notes) == (False, TIME, [])
    assert source_of(repository)[0] == clean._replace(dirty=True)


def test_a_commit_of_the_far_future_has_the_latest_time_of_archives(repository: Path) -> None:
    git(repository, "commit", "-q", "--amend", "-m", "later", time=9_999_999_999)
    assert source_of(repository)[0].epoch == LATEST_TIME


def test_it_is_unknown_whether_the_sources_are_dirty_if_git_status_fails(repository: Path) -> None:
    (repository / ".git" / "index").write_bytes(b"not an index")
    source, _ = source_of(repository)
    assert source.revision
    assert source.dirty is None


def test_a_warning_of_git_is_no_change(repository: Path) -> None:
    (repository / ".git" / "info" / "attributes").write_text("!main.c text\n")
    os.utime(repository / "main.c", (0, 0))  # git reads the file again
    source, _ = source_of(repository)
    assert source.revision
    assert source.dirty is False


def test_a_repository_that_git_does_not_read_is_reported(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
    source, notes = source_of(repository)
    assert source == ReleaseSource(None, None, UNKNOWN_TIME)
    assert len(notes) == 1
    assert "detected dubious ownership" in notes[0]


@pytest.mark.parametrize("state", ["no git", "no commits"])
def test_a_repository_without_revision_is_reported(
    state: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git(tmp_path, "init", "-q")
    if state == "no git":
        monkeypatch.setenv("PATH", os.devnull)
    source, notes = source_of(tmp_path)
    assert source == ReleaseSource(None, None, UNKNOWN_TIME)
    assert len(notes) == 1


def test_sources_outside_of_a_repository_are_not_reported(tmp_path: Path) -> None:
    assert source_of(tmp_path) == (ReleaseSource(None, None, UNKNOWN_TIME), [])
