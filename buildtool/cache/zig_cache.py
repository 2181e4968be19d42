"""zig's cache: what it compiled without dependency files, which are mostly its own libraries.

h/    manifests: the files that a compilation read; zig fails for one whose outputs are missing
o/    outputs
z/    parsed source files of zig's library
tmp/  temporary files: zig leaves an empty directory for each object that it compiles with a
      dependency file, two for each preprocessed file, and all files of a failed compilation

The format of what is in them changes with each version of zig, so all of it is evicted at once.

Keep zig's cache usable after an archive of the cache was unpacked, as at the start of a CI job.

A manifest has the size, inode and time of modification of each file that a compilation read.
Unpacking changes the inodes, and some archives round the times.  zig 0.17 then compiles its C and
C++ libraries again, although the sources are the same: `checkInputPath` in lib/std/Build/Cache.zig
compares the digest of a source whose inode has changed with one that it has not computed.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import struct
import time
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path

from buildtool.cache.eviction import Evictable, disk_usage
from buildtool.core.cache import cache_dir
from buildtool.core.files import has_content, write_if_changed
from buildtool.core.lock import try_lock
from buildtool.core.trees import as_unwritable_error, make_directory, remove_tree

NAME = "zig"
FOLDERS = ("b", "h", "o", "tmp", "z")
HOUR_NS = 3600 * 10**9
DAY_NS = 24 * HOUR_NS
"""A cache that was used within this time is kept: zig may be running."""
FIRST_NOTE = (
    "zig compiles its C and C++ libraries first, once for all projects of this user. It takes some"
    " minutes."
)
_OUTPUT = re.compile(rf"\b{NAME}/o/([0-9a-f]{{32}})/")
_TEMPORARY = re.compile(r"[0-9a-f]{16}(-.*)?")


def make_ready() -> Path:
    """Create zig's cache directory, check that it is writable, and record its use; returns it.

    Raises `UnwritableError` when this user may not write there, and other `OSError`s.
    """
    directory = cache_dir() / NAME
    make_directory(directory)
    for folder in (directory, *(directory / name for name in FOLDERS)):
        if os.path.lexists(folder):
            make_directory(folder)
            if not os.access(folder, os.W_OK | os.X_OK):
                denied = PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(folder))
                raise as_unwritable_error(denied) or denied
    if time.time_ns() - _used(directory) > HOUR_NS:
        with contextlib.suppress(OSError):
            os.utime(directory)
    return directory


def has_library(name: str) -> bool:
    """Whether zig has compiled its library `name`, such as `libc++.a`, for any target."""
    return any((cache_dir() / NAME / "o").glob(f"*/{name}"))


def entries(directory: Path) -> Iterator[Evictable]:
    """The cache in `directory`, if it can be evicted now."""
    used = _used(directory)
    if used and time.time_ns() - used > DAY_NS:
        yield Evictable(NAME, disk_usage(directory).bytes, used, partial(_delete, directory, used))


def sweep(directory: Path) -> None:
    """Delete temporary files that are older than an hour: no process writes to them any more."""
    folder = directory / "tmp"
    if folder.is_symlink() or not folder.is_dir():
        return
    for path in folder.iterdir():
        with contextlib.suppress(OSError):
            if _TEMPORARY.fullmatch(path.name) and time.time_ns() - _used(path) > HOUR_NS:
                remove_tree(path)


def repair(directory: Path, message: str) -> bool:
    """Delete all manifests if `message`, the output of a tool, names outputs that are missing.

    Returns whether it did: then the tool may succeed when it is run again.
    """
    named = {match[1] for match in _OUTPUT.finditer(message)}
    if all(any((directory / "o" / name).glob("*")) for name in named):
        return False
    for manifest in (directory / "h").glob("*"):
        remove_tree(manifest)
    return True


def _delete(directory: Path, used: int) -> bool:
    if _used(directory) != used:
        return False
    for name in FOLDERS:
        remove_tree(directory / name)
    return True


def _used(path: Path) -> int:
    """The time of modification in ns since the epoch, for a link that of its target; 0 when the
    path is missing."""
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0


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
