"""The contents of an archive, and the formats that hold them as they are: tar.zst, zip, and Conan.

A Conan package is a recipe, the release that it packages, and the profile to do that with.  The
archive is unpacked, and Conan makes a package of it in its cache: `conan export-pkg`.  Archives
that Conan itself makes (`conan cache save`) have time stamps and random names of directories.
"""

from __future__ import annotations

import os
import re
import stat
import tarfile
import time
import zipfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO, Literal

from buildtool.core.errors import BuildtoolError
from buildtool.core.files import open_regular
from buildtool.core.value import Value

CONAN = ".conan.tar.zst"
"""The suffix of archives for Conan."""
LEVEL = 3  # of Zstandard
MAX_THREADS = 4  # each needs 10 to 20 MB
_BLOCK = 512
_PIECE = 1 << 20  # bytes that are read and written at once
_UNIX = 3  # the system of the attributes in a zip file


class FormatError(BuildtoolError):
    """A release cannot be an archive of a certain format."""

    code = "format"


class PackageEntry(Value):
    """A file or link of an archive."""

    path: str  # relative to the top of the release; of a directory with `/` at the end
    mode: int  # 0o755 or 0o644
    content: Path | bytes  # a file or bytes
    link: str = ""  # the target of a link

    @property
    def size(self) -> int:
        """The number of bytes."""
        return len(self.content) if isinstance(self.content, bytes) else self.content.stat().st_size

    @contextmanager
    def stream(self) -> Iterator[BinaryIO]:
        """The content as a stream for the block."""
        if isinstance(self.content, bytes):
            yield BytesIO(self.content)
        else:
            with open_regular(self.content) as stream:
                yield stream

    def copy_to(self, write: Callable[[memoryview], object]) -> int:
        """Call `write` with the content, piece by piece; returns the number of bytes."""
        buffer = memoryview(bytearray(_PIECE))
        size = 0
        with self.stream() as stream:
            while count := stream.readinto(buffer):  # type: ignore[attr-defined]
                write(buffer[:count])
                size += count
        return size

    def copy_exactly(self, size: int, write: Callable[[memoryview], object]) -> None:
        """Pass the content to `write`; raises `OSError` unless it has `size` bytes."""
        if self.copy_to(write) != size:
            raise OSError(0, "it changed while it was packed", str(self.content))


class Package(Value):
    """Everything that an archive is made of."""

    name: str  # the project's
    version: str
    target: str  # its name in the project file
    platform: str
    glibc: str
    api: int
    epoch: int  # the time of every file, in seconds since 1970
    entries: tuple[PackageEntry, ...]  # sorted by path
    idl: tuple[Path, ...] = ()  # the files that describe the interfaces of the skels
    archs: tuple[str, ...] = ()  # the DSP archs that it has skels for
    description: str = ""
    maintainer: str = ""
    programs: tuple[str, ...] = ()
    deb_depends: tuple[str, ...] = ()
    deb_skels: str = ""  # where libcdsprpc has directories of archs
    wheel_build: str = ""  # tells the wheel from that of another target, "" if its name does

    @property
    def stem(self) -> str:
        """The name of archives without their suffix, and of the directory in them."""
        return f"{self.name}-{self.version}-{self.target}"


def write_tar_archive(package: Package, path: Path) -> None:
    """Write the archive, with everything below one directory.  Raises `OSError`."""
    with path.open("wb") as out:
        write_tar_zst(out, package.entries, package.epoch, f"{package.stem}/")


def write_tar_zst(
    out: BinaryIO,
    entries: Iterable[PackageEntry],
    epoch: int,
    prefix: str,
    tar_format: Literal[1, 2] = tarfile.PAX_FORMAT,
) -> None:
    """Write `entries`, all with the time `epoch` and owned by root, below `prefix`.

    The output does not depend on the number of threads: Zstandard cuts the input into jobs by
    size, if there is at least one thread.
    """
    import zstandard  # noqa: PLC0415 - most commands compress nothing

    threads = max(1, min(os.cpu_count() or 1, MAX_THREADS))
    compressor = zstandard.ZstdCompressor(level=LEVEL, threads=threads, write_checksum=True)
    with compressor.stream_writer(out, closefd=False, write_size=_PIECE) as stream:
        for entry in entries:
            header = tarfile.TarInfo(prefix + entry.path)
            header.mode, header.mtime = entry.mode, epoch
            _add_to_tar(entry, header, tar_format, stream)
        stream.write(bytes(2 * _BLOCK))


def _add_to_tar(
    entry: PackageEntry, header: tarfile.TarInfo, tar_format: Literal[1, 2], stream: Any
) -> None:
    """Write one member.  Raises `OSError` if the file has changed its size meanwhile."""
    if entry.link:
        header.type, header.linkname, header.mode = tarfile.SYMTYPE, entry.link, 0o777
    elif entry.path.endswith("/"):
        header.type = tarfile.DIRTYPE
    else:
        header.size = entry.size
    # Both formats of tarfile that have names of any length write them in UTF-8.
    stream.write(header.tobuf(tar_format, "utf-8", "surrogateescape"))
    if not header.isreg():
        return
    entry.copy_exactly(header.size, stream.write)
    stream.write(bytes(-header.size % _BLOCK))


def write_zip_archive(package: Package, path: Path) -> None:
    """Write the archive, with everything below one directory.  Raises `OSError`."""
    write_zip(path, package.entries, package.epoch, f"{package.stem}/")


def write_zip(
    path: Path | BytesIO, entries: Iterable[PackageEntry], epoch: int, prefix: str
) -> None:
    """Write `entries`, all with the time `epoch`, below `prefix`.

    Nothing is compressed: the bytes would depend on the version of zlib, which differs from machine
    to machine.
    """
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        for entry in entries:
            info = zipfile.ZipInfo(prefix + entry.path, time.gmtime(epoch)[:6])
            info.create_system = _UNIX
            is_directory = entry.path.endswith("/")
            kind = stat.S_IFLNK if entry.link else stat.S_IFDIR if is_directory else stat.S_IFREG
            info.external_attr = (kind | (0o777 if entry.link else entry.mode)) << 16
            if entry.link or is_directory:
                archive.writestr(info, entry.link)
                continue
            size = info.file_size = entry.size
            with archive.open(info, "w") as member:
                entry.copy_exactly(size, member.write)


RECIPE = Path(__file__).with_name("conan_recipe.py")
_NO_IDENTITY = "= {}\n"
_CONAN_PROFILES = {
    "ubuntu-aarch64": b"[settings]\nos=Linux\narch=armv8\n",
    "android": b"[settings]\nos=Android\narch=armv8\n",
}
_CONAN_NAME = r"[a-z0-9_][a-z0-9_+.-]{1,100}"


def write_conan(package: Package, path: Path) -> None:
    """Write the archive.  Raises `OSError`, and `FormatError` for what Conan cannot express."""
    entries = [
        PackageEntry("conanfile.py", 0o644, _conan_recipe(package)),
        PackageEntry("profile", 0o644, _CONAN_PROFILES[package.platform]),
        *(entry._replace(path=f"release/{entry.path}") for entry in package.entries),
    ]
    with path.open("wb") as out:
        write_tar_zst(out, entries, package.epoch, f"{package.stem}-conan/")


def _conan_recipe(package: Package) -> bytes:
    """The recipe.  It is the same for all targets of a project: they are packages of one recipe."""
    identity = {
        "name": _checked("name", package.name.lower()),
        "version": _checked("version", package.version.lower()),
        "description": package.description or package.name,
    }
    text = RECIPE.read_text(encoding="utf-8").replace(_NO_IDENTITY, f"= {identity!r}\n", 1)
    return text.encode()


def _checked(what: str, text: str) -> str:
    if not re.fullmatch(_CONAN_NAME, text):
        raise FormatError(
            f"a Conan package cannot have the {what} {text!r}",
            why="it must have 2 to 101 characters: letters, digits, '_', '+', '.', '-', the first"
            " a letter, digit or '_'",
            remedy=f"Change '{what}' in [project].",
        )
    return text
