"""What `clean` removes, and what it keeps."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from buildtool.engine.clean import TRASH, everything, remove


@pytest.fixture
def state(tmp_path: Path) -> Path:
    state = tmp_path / ".buildtool"
    for name in ("build/a/1", "out/a/1", "release/sim", "state", "conan/p", "device/qcs6490"):
        (state / name).mkdir(parents=True)
        (state / name / "file").write_text("x" * 5000)
    for name in ("build.lock", "conan.lock", "build/a/1.lock", ".gitignore"):
        (state / name).touch()
    return state


def names(state: Path) -> set[str]:
    return {path.name for path in state.iterdir()}


def test_packages_devices_locks_and_the_ignore_file_stay(state: Path) -> None:
    going = [state / name for name in ("build", "out", "release", "state")]
    blocks = [path.stat().st_blocks for top in going for path in (top, *top.rglob("*"))]
    removed = remove(state, everything(state))

    assert names(state) == {"conan", "device", "build.lock", "conan.lock", ".gitignore"}
    assert {path.name for path in removed.removed} == {"build", "out", "release", "state"}
    assert removed.bytes == sum(blocks) * 512
    assert (state / "conan/p/file").is_file()


def test_only_locks_and_the_ignore_file_stay_when_all_is_removed(state: Path) -> None:
    remove(state, everything(state, include_expensive=True))

    assert names(state) == {"build.lock", "conan.lock", ".gitignore"}


def test_there_may_be_nothing(tmp_path: Path) -> None:
    assert everything(tmp_path / "nowhere") == []
    assert remove(tmp_path / "nowhere", []).removed == ()


def test_only_the_link_of_a_linked_directory_is_deleted(state: Path, tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "file").write_text("dear")
    (state / "out" / "link").symlink_to(mine)
    (state / "linked").symlink_to(mine)

    remove(state, everything(state))

    assert (mine / "file").read_text() == "dear"
    assert not os.path.lexists(state / "linked")


@pytest.mark.parametrize("whole", [True, False])
def test_the_next_clean_deletes_leftovers_of_a_killed_clean(state: Path, *, whole: bool) -> None:
    (state / TRASH / "0").mkdir(parents=True)
    (state / TRASH / "0" / "file").touch()

    remove(state, everything(state) if whole else [state / "out"])

    assert not {TRASH, "out"} & names(state)
    assert ("build" in names(state)) is not whole


def test_protected_directories_go_too(state: Path) -> None:
    inner = state / "build/a/1/inner"
    (inner / "deep").mkdir(parents=True)
    (inner / "deep").chmod(0o500)
    inner.chmod(0o500)

    remove(state, everything(state))

    assert "build" not in names(state)
