"""`.deb`: a package for Debian and Ubuntu on ARM64.

The release lies as it is in /usr/lib/PACKAGE, and each program has a command in /usr/bin, which
starts it with the release's run.sh.  Source: deb(5), deb-control(5), Debian Policy Manual.

To the files of the release it adds commands, configuration and documents.
"""

from __future__ import annotations

import hashlib
import posixpath
import shlex
import stat
import struct
import tarfile
import zlib
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from email.utils import format_datetime
from pathlib import Path
from typing import BinaryIO

from buildtool.core.escape import is_control
from buildtool.core.files import filled
from buildtool.project.keys import HEXAGON_ARCHS, arch_number
from buildtool.release.formats import debian_control
from buildtool.release.formats.debian_control import Debian
from buildtool.release.formats.entries import FormatError, Package, PackageEntry, write_tar_zst

_MEMBER = "{name:<16}{epoch:<12}{owner:<6}{owner:<6}{mode:<8o}{size:<10}`\n"
_MAX_SIZE = 10**10  # the header of a member has ten digits


def write(package: Package, path: Path) -> None:
    """Write the package.  Raises `OSError`, and `FormatError` for what Debian cannot express."""
    debian = debian_control.describe(package)
    files = sorted(
        [
            *(_below(f"usr/lib/{debian.name}", entry) for entry in package.entries),
            *debian_files(package, debian),
            *_system_skels(package, debian),
        ],
        key=lambda entry: entry.path,
    )
    _check_names(files)
    whole = _with_directories(files)
    # In KiB, as dpkg-gencontrol computes it; source: deb-substvars(5).
    size = sum(1 if e.link or e.path.endswith("/") else -(-e.size // 1024) for e in whole)
    # dpkg does not overwrite these when a user has changed them.
    conffiles = "".join(f"/{e.path}\n" for e in files if e.path.startswith("etc/"))
    control = {
        "./conffiles": conffiles.encode(),
        "./control": debian_control.control(package, debian, size),
        "./md5sums": _md5sums(files),
    }
    top = PackageEntry("./", 0o755, b"")
    about = [top, *(PackageEntry(path, 0o644, data) for path, data in control.items() if data)]
    with path.open("wb") as out:
        out.write(b"!<arch>\n")
        out.write(_header("debian-binary", package.epoch, 4) + b"2.0\n")
        _tar_member(out, "control.tar.zst", package.epoch, about)
        _tar_member(out, "data.tar.zst", package.epoch, [_below(".", entry) for entry in whole])


def _below(folder: str, entry: PackageEntry) -> PackageEntry:
    return entry._replace(path=f"{folder}/{entry.path}")


def _system_skels(package: Package, debian: Debian) -> Iterator[PackageEntry]:
    """Links to the skels for each arch, where libcdsprpc looks for those of its DSP's arch alone:
    an arch that the release has no skels for gets the newest older ones.  Source: qualcomm/fastrpc
    at 05e12fa7, build_dsp_search_path_cache_for_domain in src/fastrpc_apps_user.c."""
    if not package.deb_skels:
        return
    for arch in HEXAGON_ARCHS:
        older = [each for each in package.archs if arch_number(each) <= arch_number(arch)]
        newest = f"dsp/{max(older, key=arch_number)}/" if older else "/"
        for entry in package.entries:
            if entry.path.startswith(newest):
                name = entry.path.removeprefix(newest)
                path = f"{package.deb_skels.lstrip('/')}/hexagon/{arch}/{name}"
                to = f"usr/lib/{debian.name}/{entry.path}"
                link = posixpath.relpath(to, posixpath.dirname(path))
                yield PackageEntry(path, 0o777, b"", link)


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


_TEMPLATES = Path(__file__).with_name("templates")
_BLOCK = 0xFFFF


def debian_files(package: Package, debian: Debian) -> Iterator[PackageEntry]:
    """The files, with paths relative to the root directory."""
    name = debian.name
    for program in debian.programs:
        path = shlex.quote(f"bin/{program}")
        command = _filled("command.sh", PROGRAM=program, PACKAGE=name, PATH=path)
        yield PackageEntry(f"usr/bin/{program}", 0o755, command)
        manual = _filled(
            "manual.1",
            UPPER=_roff(program.upper()),
            PROGRAM=_roff(program),
            NAME=_roff(name),
            VERSION=debian.version,
            SYNOPSIS=_roff(debian.synopsis),
        )
        yield PackageEntry(f"usr/share/man/man1/{program}.1.gz", 0o644, stored_gzip(manual))
    overrides = _filled("overrides", NAME=name)
    if package.archs:
        archs, comment = " ".join(package.archs), "#" if len(package.archs) > 1 else ""
        text = _filled("device.env", ARCHS=archs, COMMENT=comment, ARCH=package.archs[0])
        yield PackageEntry(f"etc/{name}/device.env", 0o644, text)
        overrides += _filled("skel_overrides", NAME=name)
    yield PackageEntry(f"usr/share/lintian/overrides/{name}", 0o644, overrides)
    yield PackageEntry(f"usr/share/doc/{name}/copyright", 0o644, _copyright(package))
    changelog = _filled(
        "changelog",
        NAME=name,
        VERSION=debian.version,
        PROJECT=package.name,
        PROJECT_VERSION=package.version,
        TARGET=package.target,
        MAINTAINER=debian.maintainer,
        DATE=format_datetime(datetime.fromtimestamp(package.epoch, UTC)),
    )
    path = f"usr/share/doc/{name}/changelog.Debian.gz"
    yield PackageEntry(path, 0o644, stored_gzip(changelog))


def _filled(template: str, **values: str) -> bytes:
    return filled(_TEMPLATES / f"deb_{template}.in", **values).encode()


def stored_gzip(data: bytes) -> bytes:
    """`data`, which is not empty, as a gzip file without compression.

    Compressed bytes would depend on the version of zlib.  The header says maximum compression,
    which Debian asks for.  Source: RFC 1951, section 3.2.4; RFC 1952.
    """
    stored = b""
    for at in range(0, len(data), _BLOCK):
        block = data[at : at + _BLOCK]
        is_last = at + _BLOCK >= len(data)
        stored += struct.pack("<BHH", is_last, len(block), len(block) ^ _BLOCK) + block
    check = struct.pack("<II", zlib.crc32(data), len(data))
    return b"\x1f\x8b\x08\0\0\0\0\0\x02\x03" + stored + check


def _copyright(package: Package) -> bytes:
    """The licences of the project; those of what it contains lie in the release."""
    folder = f"licenses/{package.name}/"
    parts = [
        f"{package.name} {package.version}\nCopyright the authors of {package.name}\n".encode()
    ]
    for entry in package.entries:
        if entry.path.startswith(folder) and not entry.link:
            with entry.stream() as stream:
                parts += [f"\n{entry.path.removeprefix(folder)}:\n\n".encode(), stream.read()]
    if len(parts) == 1:
        parts.append(b"\nIts sources have no licence file.\n")
    return b"".join(parts)


def _roff(text: str) -> str:
    """Text as roff prints it, in which `-` is the character of commands."""
    return text.replace("\\", r"\e").replace("-", r"\-").replace("'", r"\(aq")
