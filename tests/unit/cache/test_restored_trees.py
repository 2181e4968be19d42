"""A tree is restored as a whole or not at all."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from buildtool.cache.outputs import Output, read_outputs, restore

ONE, TWO = "1" * 64, "2" * 64
TREE = (
    Output("bin/run", "executable", ONE, 3),
    Output("lib/libx.so", "link", target="libx.so.1"),
    Output("lib/libx.so.1", "file", TWO, 3),
)


def content(digest: str, into: Path) -> bool:
    into.write_text(digest[:3], encoding="utf-8")
    os.utime(into, (1, 1))
    return True


def lacking(digest: str, into: Path) -> bool:
    return digest != TWO and content(digest, into)


def full(digest: str, into: Path) -> bool:
    raise OSError(28, "No space left on device", str(into))


@pytest.fixture
def into(tmp_path: Path) -> Path:
    """A directory with the outputs of an earlier build."""
    directory = tmp_path / "tree" / "install"
    (directory / "lib").mkdir(parents=True)
    (directory / "lib" / "libold.so").write_text("old")
    return directory


def names(directory: Path) -> list[str]:
    return sorted(str(path.relative_to(directory)) for path in directory.rglob("*"))


def test_a_tree_takes_the_place_of_the_old_one(into: Path) -> None:
    before = time.time()
    assert restore(TREE, into, content)
    assert names(into) == ["bin", "bin/run", "lib", "lib/libx.so", "lib/libx.so.1"]
    assert (into / "bin/run").stat().st_mode & 0o777 == 0o755
    assert (into / "lib/libx.so.1").stat().st_mode & 0o777 == 0o644
    assert (into / "lib/libx.so").read_text() == "222"
    assert (into / "lib/libx.so.1").stat().st_mtime >= before - 1
    assert [output.path for output in read_outputs(into)] == [output.path for output in TREE]
    assert names(into.parent)[0] == "install"  # nothing else is left there


def test_a_tree_comes_where_none_was(tmp_path: Path) -> None:
    assert restore(TREE, tmp_path / "new" / "install", content)
    assert (tmp_path / "new" / "install" / "bin" / "run").read_text() == "111"


def test_nothing_changes_when_a_blob_is_missing(into: Path) -> None:
    assert not restore(TREE, into, lacking)
    assert names(into.parent) == ["install", "install/lib", "install/lib/libold.so"]
    assert not restore(TREE, into.with_name("other"), lacking)
    assert names(into.parent) == ["install", "install/lib", "install/lib/libold.so"]


def test_nothing_changes_when_there_is_no_space(into: Path) -> None:
    with pytest.raises(OSError, match="No space"):
        restore(TREE, into, full)
    assert names(into.parent) == ["install", "install/lib", "install/lib/libold.so"]


def test_what_a_killed_restore_left_is_swept(into: Path) -> None:
    for name in (".install.new", ".install.old"):
        (into.parent / name / "lib").mkdir(parents=True)
        (into.parent / name / "lib" / "half").touch()
    assert restore(TREE, into, content)
    assert sorted(path.name for path in into.parent.iterdir()) == ["install"]


def test_a_failing_swap_brings_the_old_tree_back(
    into: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rename = Path.rename

    def fail_for_the_new_one(self: Path, target: Path) -> Path:
        if self.name.endswith(".new"):
            raise OSError(5, "Input/output error")
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", fail_for_the_new_one)
    with pytest.raises(OSError, match="Input/output"):
        restore(TREE, into, content)
    assert names(into.parent) == ["install", "install/lib", "install/lib/libold.so"]
