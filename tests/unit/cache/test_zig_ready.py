"""Preparation of zig's cache directory."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from buildtool.cache.zig_cache import has_library, make_ready

Put = Callable[[Path], object]
KINDS: list[Put] = [
    lambda path: path.write_text("x"),
    os.mkfifo,
    lambda path: path.symlink_to("nothing"),
    lambda path: path.symlink_to(path.name),
]


@pytest.fixture
def zig(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("BUILDTOOL_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache" / "zig"


@pytest.mark.parametrize("put", KINDS)
@pytest.mark.parametrize("name", ["", "h", "o", "tmp", "z", "b"])
def test_what_is_no_directory_is_an_error(name: str, put: Put, zig: Path) -> None:
    (zig / name).parent.mkdir(parents=True)
    put(zig / name)
    with pytest.raises(NotADirectoryError):
        make_ready()


def test_a_link_to_a_directory_with_more_room_is_kept(zig: Path, tmp_path: Path) -> None:
    (tmp_path / "room").mkdir()
    zig.parent.mkdir()
    zig.symlink_to(tmp_path / "room")
    make_ready()
    assert zig.is_symlink()


def test_a_library_that_zig_has_compiled_is_found(zig: Path) -> None:
    assert not has_library("libc++.a")
    (zig / "o" / "0").mkdir(parents=True)
    (zig / "o" / "0" / "libc++.a").touch()
    assert has_library("libc++.a")
    assert not has_library("libcompiler_rt.a")
