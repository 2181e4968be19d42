"""`.deb`: a package for Debian and Ubuntu on ARM64.

The release lies as it is in /usr/lib/PACKAGE, and each program has a command in /usr/bin, which
starts it with the release's run.sh.  Source: deb(5), deb-control(5), Debian Policy Manual.
"""

from __future__ import annotations

import hashlib
import posixpath
import stat
import tarfile
from collections.abc import Iterable
from pathlib import Path
from typing import BinaryIO

from buildtool.core.escape import is_control
from buildtool.release.formats import debian_control, debian_files
from buildtool.release.formats.entries import FormatError, Package, PackageEntry
from buildtool.release.formats.tar_zst import write_tar_zst

SUFFIX = ".deb"
_MEMBER = "{name:<16}{epoch:<12}{owner:<6}{owner:<6}{mode:<8o}{size:<10}`\n"
_MAX_SIZE = 10**10  # the header of a member has ten digits


def file_name(package: Package) -> str:
    """The name of the archive."""
    return f"{package.stem}{SUFFIX}"


def write(package: Package, path: Path) -> None:
    """Write the package.  Raises `OSError`, and `FormatError` for what Debian cannot express."""
    debian = debian_control.describe(package)
    files = sorted(
        [
            *(_below(f"usr/lib/{debian.name}", entry) for entry in package.entries),
            *debian_files.files(package, debian),
        ],
        key=lambda entry: entry.path,
    )
    _check_names(files)
    control = [
        PackageEntry("./", 0o755, b""),
        PackageEntry("./conffiles", 0o644, _conffiles(files)),
        PackageEntry(
            "./control", 0o644, debian_control.control(package, debian, _installed_size(files))
        ),
        PackageEntry("./md5sums", 0o644, _md5sums(files)),
    ]
    data = [_below(".", entry) for entry in _with_directories(files)]
    with path.open("wb") as out:
        out.write(b"!<arch>\n")
        _member(out, "debian-binary", package.epoch, b"2.0\n")
        _tar_member(out, "control.tar.zst", package.epoch, (e for e in control if _is_needed(e)))
        _tar_member(out, "data.tar.zst", package.epoch, data)


def _below(folder: str, entry: PackageEntry) -> PackageEntry:
    return entry._replace(path=f"{folder}/{entry.path}")


def _is_needed(entry: PackageEntry) -> bool:
    return entry.path.endswith("/") or bool(entry.content)


def _check_names(files: Iterable[PackageEntry]) -> None:
    for entry in files:
        if any(is_control(character) or character == "\\" for character in entry.path):
            raise FormatError(
                f"a .deb cannot hold {entry.path!r}",
                why="its list of digests has one line for each file",
                remedy="Rename the file.",
            )


def _with_directories(files: Iterable[PackageEntry]) -> list[PackageEntry]:
    """`files`, each after its directories: dpkg creates only those that the archive has."""
    folders = {""}
    entries = [PackageEntry("", 0o755, b"")]
    for entry in files:
        parents = posixpath.dirname(entry.path).split("/")
        for end in range(1, len(parents) + 1):
            folder = "/".join(parents[:end]) + "/"
            if folder not in folders:
                folders.add(folder)
                entries.append(PackageEntry(folder, 0o755, b""))
        entries.append(entry)
    return entries


def _conffiles(files: Iterable[PackageEntry]) -> bytes:
    """The files that dpkg does not overwrite when a user has changed them."""
    return b"".join(f"/{e.path}\n".encode() for e in files if e.path.startswith("etc/"))


def _installed_size(files: Iterable[PackageEntry]) -> int:
    """The size in KiB as dpkg-gencontrol computes it; source: deb-substvars(5)."""
    return sum(
        1 if entry.link or entry.path.endswith("/") else -(-entry.size // 1024)
        for entry in _with_directories(files)
    )


def _md5sums(files: Iterable[PackageEntry]) -> bytes:
    """The digests that `dpkg --verify` compares.  They protect against damage, nothing else."""
    lines = []
    for entry in files:
        if not entry.link and not entry.path.startswith("etc/"):
            digest = hashlib.md5(usedforsecurity=False)
            entry.copy_to(digest.update)
            lines.append(f"{digest.hexdigest()}  {entry.path}\n")
    return "".join(lines).encode()


def _header(name: str, epoch: int, size: int) -> bytes:
    text = _MEMBER.format(name=name, epoch=epoch, owner=0, mode=stat.S_IFREG | 0o644, size=size)
    return text.encode()


def _member(out: BinaryIO, name: str, epoch: int, content: bytes) -> None:
    out.write(_header(name, epoch, len(content)) + content)


def _tar_member(out: BinaryIO, name: str, epoch: int, entries: Iterable[PackageEntry]) -> None:
    """Write a member of yet unknown size, and then its header."""
    start = out.tell()
    out.write(_header(name, epoch, 0))
    # dpkg does not read pax headers.
    write_tar_zst(out, entries, epoch, "", tarfile.GNU_FORMAT)
    end = out.tell()
    size = end - start - len(_header(name, epoch, 0))
    if size >= _MAX_SIZE:
        raise FormatError(
            f"a .deb cannot hold {size:,} bytes",
            why="the size of a member has at most ten digits",
            remedy="Take another format: tar.zst.",
        )
    out.seek(start)
    out.write(_header(name, epoch, size))
    out.seek(end)
    if size % 2:
        out.write(b"\n")
