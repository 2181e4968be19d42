"""Keep zig's cache usable after an archive of the cache was unpacked, as at the start of a CI job.

A manifest has the size, inode and time of modification of each file that a compilation read.
Unpacking changes the inodes, and some archives round the times.  zig 0.17 then compiles its C and
C++ libraries again, although the sources are the same: `checkInputPath` in lib/std/Build/Cache.zig
compares the digest of a source whose inode has changed with one that it has not computed.
"""

from __future__ import annotations

import contextlib
import os
import struct
from collections.abc import Callable
from functools import cache
from pathlib import Path

from buildtool.core.files import has_content, write_if_changed
from buildtool.core.lock import try_lock

NOTE = "library"
"""The file in zig's cache that says which library its manifests are about."""
_STAT = struct.Struct("<QQq")  # size, inode, time in ns: the start of a file's entry in a manifest
_FLAGS, _PATH = 40, 41  # in the entry of a file; source: zig 0.17, lib/std/Build/Cache.zig
_IN_LIBRARY = 1 << 2  # the flags of a file whose path is relative to zig's library
_SECOND_NS = 10**9

Stat = tuple[int, int, int]


def renew(directory: Path, library: Path) -> None:
    """Write the inodes and times of the files in `library`, zig's library, into the manifests of
    the cache in `directory`, once for each library that is unpacked.

    A file counts as unchanged if its size is the same, and its time to the second: the library of
    a version of zig does not change.  Does nothing about a manifest that is locked, and about all
    if the cache cannot be written or `library` does not exist.
    """
    with contextlib.suppress(OSError):
        status = library.stat()
        note = f"{status.st_ino} {status.st_ctime_ns}"
        if has_content(directory / NOTE, note.encode()):
            return
        stat = cache(lambda name: _stat(library / os.fsdecode(name)))
        for manifest in (directory / "h").iterdir():
            _renew(manifest, stat)
        write_if_changed(directory / NOTE, note)


def _renew(manifest: Path, stat: Callable[[bytes], Stat | None]) -> None:
    with try_lock(manifest) as handle:
        if handle is None:
            return
        status = os.fstat(handle)
        data = bytearray(os.pread(handle, status.st_size, 0))
        before = bytes(data)
        for at, name in _files_of(before) or ():
            known, found = _STAT.unpack_from(data, at), stat(name)
            if data[at + _FLAGS] == _IN_LIBRARY and found and _is_same(known, found):
                _STAT.pack_into(data, at, *found)
        if data != before:
            os.pwrite(handle, data, 0)
            os.utime(handle, ns=(status.st_atime_ns, status.st_mtime_ns))  # this is no use of it


def _files_of(manifest: bytes) -> list[tuple[int, bytes]] | None:
    """The files in a manifest: where the entry of each starts, and its path; None if the manifest
    is damaged."""
    files, at = [], 0
    while at + 1 < len(manifest):
        end = manifest.find(b"\0", at + _PATH)
        if end < 0:
            return None
        files.append((at, manifest[at + _PATH : end]))
        at = end + 1
    return files


def _is_same(known: Stat, found: Stat) -> bool:
    return known[0] == found[0] and known[2] // _SECOND_NS == found[2] // _SECOND_NS


def _stat(path: Path) -> Stat | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_size, status.st_ino, status.st_mtime_ns
