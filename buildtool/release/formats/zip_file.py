"""`.zip`, without compression.

Compressed bytes depend on the version of zlib, which differs from machine to machine; `.tar.zst` is
compressed by a library whose version is pinned.
"""

from __future__ import annotations

import stat
import time
import zipfile
from collections.abc import Iterable
from io import BytesIO
from pathlib import Path

from buildtool.release.formats.entries import Package, PackageEntry

SUFFIX = ".zip"
_UNIX = 3  # the system of the attributes


def file_name(package: Package) -> str:
    """The name of the archive."""
    return f"{package.stem}{SUFFIX}"


def write(package: Package, path: Path) -> None:
    """Write the archive, with everything below one directory.  Raises `OSError`."""
    write_zip(path, package.entries, package.epoch, f"{package.stem}/")


def write_zip(
    path: Path | BytesIO, entries: Iterable[PackageEntry], epoch: int, prefix: str
) -> None:
    """Write `entries`, all with the time `epoch`, below `prefix`."""
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
