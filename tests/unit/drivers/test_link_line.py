"""Parsing the libraries of link lines."""

from __future__ import annotations

from pathlib import Path

import pytest

from buildtool.drivers.cmake.configured_checks import linked_libraries
from buildtool.drivers.cmake.file_api import LinkFragment


def taken(tmp_path: Path, *texts: str) -> list[str]:
    found = linked_libraries([LinkFragment(text, "libraries") for text in texts], tmp_path)
    return [str(path.relative_to(tmp_path)) for path in found]


@pytest.fixture(autouse=True)
def _libraries(tmp_path: Path) -> None:
    for name in ("a/libx.so", "b b/libx.so", "b b/libx.a", "b b/liby.a", "libz.so"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["-La -lx"], ["a/libx.so"]),
        (["-L a -l x"], ["a/libx.so"]),
        (["-lx", "-La"], ["a/libx.so"]),  # the order of -L and -l does not matter
        (['-L"b b"', "-La", "-lx"], ["b b/libx.so"]),
        (["-La -L'b b' -ly"], ["b b/liby.a"]),
        (["--library-path=a --library=x"], ["a/libx.so"]),
        (["--library-path a --library x"], ["a/libx.so"]),
        (["-Wl,-La,-lx"], ["a/libx.so"]),
        (["-Xlinker -La -Xlinker -lx"], ["a/libx.so"]),
        (["-La -l:libx.so -l:other.so"], ["a/libx.so"]),
        (["a/libx.so libz.so missing.so"], ["a/libx.so", "libz.so"]),
        (["-Wl,libz.so"], ["libz.so"]),
        (["-Wl,-soname,libz.so -shared"], []),
        (["-Xlinker -soname -Xlinker libz.so"], []),
        (["-Wl,-rpath,a -lx"], []),
        (["-lx"], []),
        (["@args"], ["a/libx.so"]),
        (["@loop"], []),
        (["'unfinished"], []),
        (["-L", "-l"], []),
    ],
)
def test_libraries(texts: list[str], expected: list[str], tmp_path: Path) -> None:
    (tmp_path / "args").write_text("-La @more")
    (tmp_path / "more").write_text('"-lx"')
    (tmp_path / "loop").write_text("@loop")

    assert taken(tmp_path, *texts) == expected
