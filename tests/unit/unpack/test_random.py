"""Random changes of good archives give a correct tree, or the error of a refused archive."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from buildtool.release.unpack import ArchiveError, entries, unpack
from tests.conftest import LONG
from tests.unit.unpack.archives import deb, good_parts, good_zip, tar, zst

PLAIN = tar(*good_parts()).rstrip(b"\0") + bytes(1024)
ARCHIVES = {
    "a.deb": deb(PLAIN + bytes(-len(PLAIN) % 512), "data.tar"),
    "packed.deb": deb(zst(PLAIN)),
    "a.tar.zst": zst(PLAIN + bytes(-len(PLAIN) % 512)),
    "a.zip": good_zip(),
}


def check(name: str, data: bytes) -> None:
    """Unpack `data`: the directory has exactly the listed entries, or nothing was written."""
    with tempfile.TemporaryDirectory() as folder:
        archive, into = Path(folder, name), Path(folder, "to", "into")
        archive.write_bytes(data)
        try:
            unpack(archive, into)
        except ArchiveError:
            assert not into.parent.exists()
            return
        found = {path.relative_to(into).as_posix() for path in into.rglob("*")}
        listed = {entry.path for entry in entries(archive)}
        parents = {str(parent) for path in listed for parent in Path(path).parents}
        assert found == listed | parents - {"."}
        for path in into.rglob("*"):
            assert path.resolve().is_relative_to(into.resolve())


@pytest.mark.parametrize("name", ARCHIVES)
@settings(max_examples=2000 if LONG else 50)
@given(data=st.data())
def test_changed_bytes(name: str, data: st.DataObject) -> None:
    good = bytearray(ARCHIVES[name])
    for _ in range(data.draw(st.integers(1, 4))):
        position = data.draw(st.integers(0, len(good) - 1))
        good[position : position + 1] = data.draw(st.binary(min_size=1, max_size=1))
    check(name, bytes(good))


@pytest.mark.parametrize("name", ARCHIVES)
@settings(max_examples=2000 if LONG else 50)
@given(data=st.data())
def test_moved_and_deleted_bytes(name: str, data: st.DataObject) -> None:
    good = ARCHIVES[name]
    for _ in range(data.draw(st.integers(1, 3))):
        start = data.draw(st.integers(0, len(good)))
        end = data.draw(st.integers(start, min(len(good), start + 600)))
        to = data.draw(st.integers(0, len(good)))
        part = good[start:end] * data.draw(st.integers(0, 2))
        good = good[:to] + part + good[to:]
    check(name, good)


@given(st.binary(max_size=300), st.sampled_from(sorted({*ARCHIVES, "a.tgz"})))
def test_random_bytes(data: bytes, name: str) -> None:
    check(name, data)


@given(
    st.lists(st.sampled_from(["a", "b", "a/b", "A", "..", "a/../b", "/a", "./a", "b/"]), max_size=5)
)
def test_random_names(names: list[str]) -> None:
    from tests.unit.unpack.archives import file, link

    parts = [link(n, "a") if len(n) % 2 else file(n) for n in names]
    check("a.tar.zst", zst(tar(*parts)))
