"""Good archives are unpacked, complete or not at all."""

from __future__ import annotations

import hashlib
import os
import stat
import tarfile
from pathlib import Path

import pytest

from buildtool.release.unpack import ArchiveError, entries, members, unpack
from tests.limits import file_size_limit
from tests.unit.unpack.archives import (
    GOOD,
    LINK,
    deb,
    every_format,
    file,
    good_parts,
    link,
    tar,
    write,
    zst,
)


def tree(folder: Path) -> dict[str, tuple[int, bytes] | str]:
    """Mode and content of each file, and the targets of links, by path."""
    found: dict[str, tuple[int, bytes] | str] = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_symlink():
            found[name] = str(path.readlink())
        elif path.is_file():
            found[name] = (stat.S_IMODE(path.stat().st_mode), path.read_bytes())
    return found


@pytest.mark.parametrize("number", range(7))
def test_every_format_has_the_same_content(tmp_path: Path, number: int) -> None:
    archive = every_format(tmp_path)[number]
    into = tmp_path / "new" / "into"
    before = os.umask(0o077)
    try:
        unpack(archive, into)
    finally:
        os.umask(before)

    assert tree(into) == {**GOOD, LINK[0]: LINK[1]}
    assert {stat.S_IMODE(p.stat().st_mode) for p in (into, into / "lib")} == {0o755}
    assert [p.name for p in into.parent.iterdir()] == ["into"]
    found = {entry.path: entry for entry in entries(archive) if entry.kind != "directory"}
    assert {*found} == {*GOOD, LINK[0]}
    for path, (mode, data) in GOOD.items():
        assert (found[path].mode, found[path].size) == (mode, len(data))
    assert found[LINK[0]].target == LINK[1]


def test_contents_can_be_read_without_unpacking(tmp_path: Path) -> None:
    for archive in every_format(tmp_path):
        with archive.open("rb") as opened:
            read = {entry.path: b"".join(content) for entry, content in members(opened, archive)}
            opened.seek(0)
            unread = [entry.path for entry, _ in members(opened, archive)]

        assert {path: read[path] for path in GOOD} == {p: data for p, (_, data) in GOOD.items()}
        assert unread == [*read]


def test_the_top_directory_may_be_an_entry(tmp_path: Path) -> None:
    top = tarfile.TarInfo("./")
    top.type = tarfile.DIRTYPE
    archive = write(tmp_path / "a.deb", deb(zst(tar((top, b""), file("./usr/lib/x")))))

    assert [entry.path for entry in entries(archive)] == ["usr/lib/x"]


def test_modes_become_0755_or_0644(tmp_path: Path) -> None:
    parts = [file(f"f{mode:o}", mode=mode) for mode in (0o600, 0o666, 0o700, 0o551, 0o000)]
    unpack(write(tmp_path / "a.tar.gz", parts), tmp_path / "into")

    assert tree(tmp_path / "into") == {
        **dict.fromkeys(("f600", "f666", "f0"), (0o644, b"data")),
        **dict.fromkeys(("f700", "f551"), (0o755, b"data")),
    }


def test_an_empty_directory_is_filled_and_any_other_is_kept(tmp_path: Path) -> None:
    archive = write(tmp_path / "a.tar.zst", good_parts())
    empty, full, other = tmp_path / "empty", tmp_path / "full", tmp_path / "other"
    empty.mkdir()
    full.mkdir()
    (full / "mine").touch()
    other.symlink_to("empty")

    unpack(archive, empty)
    for place in (full, other, archive):
        with pytest.raises(ArchiveError, match="exists"):
            unpack(archive, place)

    assert (empty / "bin" / "demo").is_file()
    assert [p.name for p in full.iterdir()] == ["mine"]


def test_nothing_is_parsed_before_the_digest_is_checked(tmp_path: Path) -> None:
    good = write(tmp_path / "a.tar.zst", good_parts())
    digest = hashlib.sha256(good.read_bytes()).hexdigest()
    bad = write(tmp_path / "b.tar.zst", b"not an archive at all")

    unpack(good, tmp_path / "into", sha256=digest)
    with pytest.raises(ArchiveError) as error:
        unpack(bad, tmp_path / "other", sha256=digest)
    with pytest.raises(ArchiveError) as listed:
        entries(bad, sha256=digest)

    assert error.value.code == listed.value.code == "archive-digest"
    assert digest in error.value.why
    assert not (tmp_path / "other").exists()


def test_a_full_disk_leaves_nothing(tmp_path: Path) -> None:
    archive = write(tmp_path / "a.tar.zst", [file("big", b"x" * 100_000)])
    into = tmp_path / "into"
    into.mkdir()

    with file_size_limit(1000), pytest.raises(OSError, match="File too large"):
        unpack(archive, into / "here")

    assert list(into.iterdir()) == []


def test_links_may_come_before_their_targets_and_lead_to_directories(tmp_path: Path) -> None:
    parts = [link("a/b/up", "../c/file"), link("here", "a/b"), file("a/c/file"), file("a/b/x")]
    unpack(write(tmp_path / "a.tar.zst", parts), tmp_path / "into")

    assert (tmp_path / "into" / "here" / "up").read_bytes() == b"data"


@pytest.mark.parametrize("name", ["a.rar", "a.tar", "zip", "a.tar.zst.txt"])
def test_other_formats_are_refused_by_name(tmp_path: Path, name: str) -> None:
    with pytest.raises(ArchiveError, match="no known suffix"):
        entries(write(tmp_path / name, b""))


def test_a_named_pipe_and_a_missing_file_do_not_block(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.zip")
    for name in ("a.zip", "missing.zip"):
        with pytest.raises(OSError, match=name):
            unpack(tmp_path / name, tmp_path / "into")
