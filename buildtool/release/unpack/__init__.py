"""Reads and unpacks archives that are not trusted: .tar.zst, .tar.gz, .zip, .whl, .aar and .deb.

The whole archive is read and checked before the first file is written.  Memory is bounded by
`Limits`, whatever the archive declares.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedReader
from pathlib import Path

from buildtool.core.files import open_regular, stamp_of
from buildtool.core.trees import remove_tree
from buildtool.release.unpack.entry import (
    LIMITS,
    ArchiveDigestError,
    ArchiveEntry,
    ArchiveError,
    ArchiveListing,
    DamagedArchiveError,
    Limits,
)
from buildtool.release.unpack.formats import Member, deb_members, tar_members, zip_members
from buildtool.release.unpack.streams import Packed, Unpacked, gzip, zstd

__all__ = ["ArchiveEntry", "ArchiveError", "entries", "members", "unpack"]

FORMATS = (".tar.zst", ".tar.gz", ".tgz", ".zip", ".whl", ".aar", ".deb")
"""The suffixes of the archives that are read."""


CHANGED = "it changed while it was unpacked"


def entries(
    archive: Path, *, sha256: str = "", limits: Limits = LIMITS
) -> tuple[ArchiveEntry, ...]:
    """All entries of an archive, checked as `unpack` checks them.

    With `sha256`, nothing is parsed unless the file has this digest.  Raises `ArchiveError`, and
    `OSError` when the file cannot be read.
    """
    with _opened(archive) as file:
        _check_digest(file, sha256)
        return _checked(file, archive.name, limits)


def members(file: BufferedReader, archive: Path, *, limits: Limits = LIMITS) -> Iterator[Member]:
    """The entries of the archive `file`, which is open and has the path `archive`, with the pieces
    of their content, which can be left unread.

    All checks have passed when the iterator ends.  Raises as `entries` does.
    """
    with _named(archive):
        yield from _listed(file, archive.name, ArchiveListing(limits), limits)


def unpack(archive: Path, into: Path, *, sha256: str = "", limits: Limits = LIMITS) -> None:
    """Unpack an archive to the directory `into`, which is created; it may exist if it is empty.

    With `sha256`, nothing is parsed unless the file has this digest.  Files get the mode 0755 or
    0644, and directories 0755.  `into` appears complete or not at all.  Raises `ArchiveError`, and
    `OSError` when a file cannot be read or written.
    """
    if os.path.lexists(into) and (into.is_symlink() or not into.is_dir() or any(into.iterdir())):
        raise ArchiveError(
            f"{archive} is not unpacked: {into} exists",
            why="files of an earlier release would be mixed with those of this one",
            remedy="Delete it, or name another directory.",
        )
    with _opened(archive) as file:
        stamp = stamp_of(os.fstat(file.fileno()))
        _check_digest(file, sha256)
        expected = _checked(file, archive.name, limits)
        into.parent.mkdir(parents=True, exist_ok=True)
        fresh = Path(tempfile.mkdtemp(prefix=f".{into.name}.", dir=into.parent))
        try:
            file.seek(0)
            _write(_listed(file, archive.name, ArchiveListing(limits), limits), expected, fresh)
            if stamp_of(os.fstat(file.fileno())) != stamp:
                raise DamagedArchiveError(CHANGED)
            fresh.chmod(0o755)
            fresh.rename(into)
        finally:
            remove_tree(fresh, ignore_errors=True)


def is_archive(path: Path) -> bool:
    """Whether the name of a file is that of an archive."""
    return path.name.endswith(FORMATS)


@contextmanager
def _opened(archive: Path) -> Iterator[BufferedReader]:
    """The file for the block; adds its name to the messages of errors."""
    with _named(archive), open_regular(archive, follow=True) as file:
        yield file


@contextmanager
def _named(archive: Path) -> Iterator[None]:
    try:
        yield
    except ArchiveError as error:
        error.message = f"{archive}: {error.message}"
        raise


def _check_digest(file: BufferedReader, sha256: str) -> None:
    if not sha256:
        return
    found = hashlib.file_digest(file, "sha256").hexdigest()
    if found != sha256:
        raise ArchiveDigestError(
            "it is not the expected archive",
            why=f"its sha256 is {found}, expected is {sha256}",
            remedy="Copy or download it again.",
        )
    file.seek(0)


def _checked(file: BufferedReader, name: str, limits: Limits) -> tuple[ArchiveEntry, ...]:
    return tuple(entry for entry, _ in _listed(file, name, ArchiveListing(limits), limits))


def _listed(
    file: BufferedReader, name: str, listing: ArchiveListing, limits: Limits
) -> Iterator[Member]:
    """The members, each checked against those before it, and all of them at the end."""
    for entry, content in _members(file, name, limits):
        listing.add(entry)
        yield entry, content
    listing.finish()


def _members(file: BufferedReader, name: str, limits: Limits) -> Iterator[Member]:
    size = os.fstat(file.fileno()).st_size
    if name.endswith((".zip", ".whl", ".aar")):
        return zip_members(file, size, limits)
    if name.endswith(".deb"):
        return deb_members(file, size, limits)
    packed = Packed(file, size)
    if name.endswith(".tar.zst"):
        return tar_members(Unpacked(zstd(packed, limits), packed, limits), limits)
    if name.endswith((".tar.gz", ".tgz")):
        return tar_members(Unpacked(gzip(packed, limits), packed, limits), limits)
    raise ArchiveError(
        "its name has no known suffix of an archive", why=f"known: {' '.join(FORMATS)}"
    )


def _write(found: Iterator[Member], expected: tuple[ArchiveEntry, ...], into: Path) -> None:
    """Write the members, which must be those of `expected`: the file may change between readings.

    Links are written last, so nothing is written through one.
    """
    changed = DamagedArchiveError(CHANGED)
    written = 0
    for entry, content in found:
        if written == len(expected) or expected[written] != entry:
            raise changed
        written += 1
        path = into / entry.path
        if entry.kind == "directory":
            path.mkdir(parents=True, exist_ok=True)
        elif entry.kind == "file":
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("xb") as file:
                file.writelines(content)
            path.chmod(entry.written_mode)
    if written != len(expected):
        raise changed
    for entry in expected:
        if entry.kind == "link":
            path = into / entry.path
            path.parent.mkdir(parents=True, exist_ok=True)
            path.symlink_to(entry.target)
    for folder, _, _ in os.walk(into):
        os.chmod(folder, 0o755)  # noqa: PTH101 - whatever the umask is
