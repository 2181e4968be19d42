"""The manifests in zig's cache follow the inodes and times of zig's library."""

from __future__ import annotations

import fcntl
import os
import struct
from pathlib import Path

import pytest

from buildtool.cache.zig_cache import renew

SECOND_NS = 10**9
THEN_NS = 1_700_000_000 * SECOND_NS + 5
LIBRARY, ELSEWHERE, FROM_STAT = 1 << 2, 2 << 2, 1 << 2 | 2
"""Flags of files: in zig's library, in another directory, and with a digest of its inode."""


def entry(path: Path, *, size: int = 4, ns: int = THEN_NS, flags: int = LIBRARY) -> bytes:
    """The entry of a file in a manifest, from an inode that no file has."""
    return struct.pack("<QQq16sB", size, 1, ns, b"digest", flags) + path.name.encode() + b"\0"


@pytest.fixture
def source(tmp_path: Path) -> Path:
    source = tmp_path / "lib" / "start.S"
    source.parent.mkdir()
    source.write_text("text")
    os.utime(source, ns=(THEN_NS, THEN_NS))
    return source


@pytest.fixture
def manifest(tmp_path: Path) -> Path:
    manifest = tmp_path / "zig" / "h" / ("0123456789abcdef" * 2)
    manifest.parent.mkdir(parents=True)
    return manifest


def stat_of(manifest: Path, at: int = 0) -> tuple[int, int, int]:
    """Size, inode and time in an entry."""
    size, inode, ns = struct.unpack_from("<QQq", manifest.read_bytes(), at)
    return size, inode, ns


@pytest.mark.parametrize("ns", [THEN_NS, THEN_NS // SECOND_NS * SECOND_NS])
def test_unpacked_files_are_known_again(ns: int, source: Path, manifest: Path) -> None:
    """Zip archives round times to seconds."""
    first = entry(Path("missing.S"))
    manifest.write_bytes(first + entry(source, ns=ns) + b"\0")
    os.utime(manifest, ns=(1, 2))

    renew(manifest.parents[1], source.parent)

    assert stat_of(manifest) == (4, 1, THEN_NS)
    assert stat_of(manifest, len(first)) == (4, source.stat().st_ino, THEN_NS)
    assert manifest.stat().st_mtime_ns == 2


@pytest.mark.parametrize(
    "content",
    [
        entry(Path("start.S"), size=5) + b"\0",
        entry(Path("start.S"), ns=THEN_NS - SECOND_NS) + b"\0",
        entry(Path("start.S"), flags=ELSEWHERE) + b"\0",
        entry(Path("start.S"), flags=FROM_STAT) + b"\0",
        entry(Path("start.S"))[:-1],
        b"x",
        b"",
    ],
    ids=["size", "time", "elsewhere", "from stat", "cut", "damaged", "empty"],
)
def test_other_manifests_stay(content: bytes, source: Path, manifest: Path) -> None:
    manifest.write_bytes(content)

    renew(manifest.parents[1], source.parent)

    assert manifest.read_bytes() == content


def test_a_manifest_that_zig_uses_stays(source: Path, manifest: Path) -> None:
    manifest.write_bytes(entry(source) + b"\0")
    with manifest.open("rb") as used:
        fcntl.flock(used, fcntl.LOCK_SH)

        renew(manifest.parents[1], source.parent)

    assert stat_of(manifest) == (4, 1, THEN_NS)


def test_manifests_are_read_once_for_each_library(source: Path, manifest: Path) -> None:
    renew(manifest.parents[1], source.parent)
    manifest.write_bytes(entry(source) + b"\0")
    renew(manifest.parents[1], source.parent)
    assert stat_of(manifest) == (4, 1, THEN_NS)

    renamed = source.parent.rename(source.parent.with_name("unpacked"))
    renew(manifest.parents[1], renamed)
    assert stat_of(manifest)[1] == (renamed / source.name).stat().st_ino


def test_without_a_library_nothing_happens(manifest: Path, tmp_path: Path) -> None:
    renew(manifest.parents[1], tmp_path / "none")

    assert [path.name for path in manifest.parents[1].iterdir()] == ["h"]
