"""`.tar.zst`: a tar file compressed with Zstandard."""

from __future__ import annotations

import os
import tarfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any, BinaryIO, Literal

from buildtool.release.formats.entries import Package, PackageEntry

SUFFIX = ".tar.zst"
LEVEL = 3
MAX_THREADS = 4  # each needs 10 to 20 MB
_BLOCK = 512
_PIECE = 1 << 20  # bytes that are written at once


def file_name(package: Package) -> str:
    """The name of the archive."""
    return f"{package.stem}{SUFFIX}"


def write(package: Package, path: Path) -> None:
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
            _add(entry, header, tar_format, stream)
        stream.write(bytes(2 * _BLOCK))


def _add(
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
