"""Temporary directories of processes that were killed are removed by later ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from buildtool.core.lock import held_directory, held_temporary_directory


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    return tmp_path


def test_a_directory_is_there_for_the_block(place: Path) -> None:
    with held_temporary_directory("run-") as folder:
        (folder / "file").touch()
        assert [*place.iterdir()] == [folder]
        assert folder.stat().st_mode & 0o777 == 0o700
    assert not [*place.iterdir()]


def test_what_nobody_holds_is_removed(place: Path) -> None:
    (place / "run-left/inside").mkdir(parents=True)
    for name in ("run-held", "other-left", "target"):
        (place / name).mkdir()
    (place / "run-link").symlink_to("target")
    (place / "run-file").touch()
    with held_directory(place / "run-held"), held_temporary_directory("run-") as first:
        with held_temporary_directory("run-") as second:
            assert {first, second} < {*place.iterdir()}
        names = {path.name for path in place.iterdir()} - {first.name}
    assert names == {"run-held", "other-left", "target", "run-link", "run-file"}
