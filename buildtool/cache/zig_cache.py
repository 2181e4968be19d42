"""Eviction, verification and repair of zig's cache.

h/<32 hex>   a manifest: the files that a compilation read; its name is the digest of the command
o/<32 hex>/  the outputs; the name is the digest of the manifest's name and of the files in it
z/<32 hex>   a parsed source file of zig's library
tmp/         temporary files: zig leaves an empty directory for each object that it compiles with a
             dependency file, two for each preprocessed file, and all files of a failed compilation

zig fails each time that it finds a manifest without its outputs, so both are deleted together.  It
locks the manifest while it uses the outputs.  Source: zig 0.17, lib/std/Build/Cache.zig.  Manifests
and outputs of another version of zig do not match, and are deleted as one entry.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import time
from collections.abc import Collection, Sequence
from functools import partial
from pathlib import Path

from buildtool.cache.eviction import Evictable
from buildtool.cache.siphash import siphash
from buildtool.core import own_directory
from buildtool.core.cache import cache_dir
from buildtool.core.lock import try_lock
from buildtool.core.trees import remove_tree
from buildtool.core.unwritable import as_unwritable_error

NAME = "zig"
FOLDERS = ("b", "h", "o", "tmp", "z")
HOUR_NS = 3600 * 10**9
RECENT_NS = HOUR_NS
"""Outputs and manifests that were used within this time are kept."""
UNLOCKED_NS = 24 * HOUR_NS
"""The same for files that zig does not lock while it uses them."""
STALE_NS = HOUR_NS
"""The age at which files in `tmp` are deleted: no process writes to them any more."""
# The key of zig's hash function, which changes with the format of manifests.
_KEY = bytes.fromhex("02e9fafee0958155f55a15cb4af40009")
_DIGEST, FLAGS, _PATH = slice(24, 40), 40, 41  # in the entry of a file in a manifest
_NAME = re.compile(r"[0-9a-f]{32}")
_MANIFEST = re.compile(r"[0-9a-f]{32}(\.txt)?")  # with .txt until 0.16
_OUTPUT = re.compile(r"\bo/([0-9a-f]{32})/")
_TEMPORARY = re.compile(r"[0-9a-f]{16}(-.*)?")


def make_ready() -> Path:
    """Create zig's cache directory, and make it writable; returns it.

    Raises `UnwritableError` when this user may not write there, and other `OSError`s.
    """
    directory = cache_dir() / NAME
    own_directory.make_directory(directory)
    for folder in (directory, *(directory / name for name in FOLDERS)):
        if os.path.lexists(folder):
            own_directory.make_directory(folder)
            if not os.access(folder, os.W_OK | os.X_OK):
                denied = PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(folder))
                raise as_unwritable_error(denied) or denied
    return directory


def entries(directory: Path) -> list[Evictable]:
    """What can be evicted now from the cache in `directory`: pairs of a manifest and its outputs,
    parsed sources, and as one entry all manifests and outputs that have no counterpart."""
    now = time.time_ns()
    outputs = {path.name: path for path in _inside(directory / "o", _NAME)}
    found: list[Evictable] = []
    unmatched: list[Path] = []
    for manifest in _inside(directory / "h", _MANIFEST):
        output = outputs.pop(output_of(manifest.name, _read(manifest)), None)
        if not output:
            unmatched.append(manifest)
        elif now - (used := _used(manifest)) > RECENT_NS:
            delete = partial(_delete_pair, manifest, used, output)
            found.append(Evictable(NAME, _size(manifest) + _size(output), used, delete))
    for path in _inside(directory / "z", _NAME):
        found.append(Evictable(NAME, _size(path), _used(path), partial(_delete_file, path)))
    stale = [path for path in unmatched if now - _used(path) > UNLOCKED_NS]
    stale += [path for path in outputs.values() if now - _last_added(path) > UNLOCKED_NS]
    if stale:
        delete = partial(_delete_unmatched, unmatched, [*outputs.values()])
        found.append(Evictable(NAME, sum(map(_size, stale)), 0, delete))
    return found


def sweep(directory: Path) -> None:
    """Delete old temporary files."""
    for path in _inside(directory / "tmp", _TEMPORARY):
        with contextlib.suppress(OSError):
            if time.time_ns() - _last_added(path) > STALE_NS:
                remove_tree(path)


def repair(directory: Path, message: str) -> bool:
    """Delete the manifests of missing outputs that `message`, the output of a tool, names.

    Returns whether there were any: then the tool may succeed when it is run again.
    """
    named = {match[1] for match in _OUTPUT.finditer(message)}
    broken = {name for name in named if not _is_whole(directory / "o" / name)}
    found = _forget(directory, broken) if broken else []
    own_directory.repairs.extend(f"deleted {path}, which was incomplete" for path in found)
    return bool(found)


def verify(directory: Path) -> list[Path]:
    """Delete the manifests of outputs that are missing or empty; returns the outputs' paths."""
    # Manifests first: zig, which may be running, writes them after their outputs.
    known = {output_of(path.name, _read(path)) for path in manifests(directory)}
    broken = {name for name in known if name and not _is_whole(directory / "o" / name)}
    return _forget(directory, broken)


def output_of(name: str, manifest: bytes) -> str:
    """The name of the directory in `o` with the outputs of the manifest `name`; "" for none."""
    if not manifest or not _NAME.fullmatch(name):
        return ""
    files = files_of(manifest)
    if files is None:
        return ""
    digests = (manifest[at + _DIGEST.start : at + _DIGEST.stop] for at, _ in files)
    return siphash(_KEY, b"".join((bytes.fromhex(name), *digests))).hex()


def files_of(manifest: bytes) -> list[tuple[int, bytes]] | None:
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


def manifests(directory: Path) -> list[Path]:
    """The manifests in the cache in `directory` that this version of zig reads."""
    return _inside(directory / "h", _NAME)


def _forget(directory: Path, broken: Collection[str]) -> list[Path]:
    found = []
    for manifest in manifests(directory):
        output = output_of(manifest.name, _read(manifest))
        if output in broken and _delete_pair(manifest, _used(manifest), directory / "o" / output):
            found.append(directory / "o" / output)
    return found


def _is_whole(output: Path) -> bool:
    """Whether it has files, none of them empty: zig writes no empty output."""
    try:
        return min((file.lstat().st_size for file in output.iterdir()), default=0) > 0
    except OSError:
        return False


def _delete_pair(manifest: Path, used: int, output: Path) -> bool:
    with try_lock(manifest) as handle:
        if handle is None or _used(manifest) != used:
            return False
        os.ftruncate(handle, 0)  # a process that waits for the lock finds an empty manifest
        remove_tree(output)
        remove_tree(manifest)
        return True


def _delete_unmatched(manifests: Sequence[Path], outputs: Sequence[Path]) -> bool:
    """Delete what has no counterpart, except outputs as long as there is a manifest that they may
    belong to."""
    now = time.time_ns()
    for manifest in manifests:
        with try_lock(manifest) as handle:
            if handle is not None and now - _used(manifest) > UNLOCKED_NS:
                os.ftruncate(handle, 0)
                remove_tree(manifest)
            elif handle is None or os.fstat(handle).st_size:
                return False
    for output in outputs:
        if now - _last_added(output) > UNLOCKED_NS:
            remove_tree(output)
    return True


def _delete_file(path: Path) -> bool:
    remove_tree(path)
    return True


def _read(manifest: Path) -> bytes:
    """The bytes of a manifest; where the system allows, reading does not count as use."""
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    for more in (os.O_NOATIME, 0):
        with (
            contextlib.suppress(OSError),
            os.fdopen(os.open(manifest, flags | more), "rb") as stream,
        ):
            return stream.read()
    return b""


def _inside(folder: Path, name: re.Pattern[str]) -> list[Path]:
    """The entries of a folder whose names match; none if the folder is a link."""
    if folder.is_symlink() or not folder.is_dir():
        return []
    return [path for path in folder.iterdir() if name.fullmatch(path.name)]


def _used(path: Path) -> int:
    """The time of the last use, in ns since the epoch; 0 when it is missing."""
    try:
        status = path.lstat()
    except OSError:
        return 0
    return max(status.st_atime_ns, status.st_mtime_ns)


def _last_added(directory: Path) -> int:
    """When an entry was last added to a directory, in ns; its time of access changes when it is
    listed."""
    try:
        return directory.lstat().st_mtime_ns
    except OSError:
        return 0


def _size(path: Path) -> int:
    """The bytes of a file, or of the files in a directory; 0 when it is missing."""
    try:
        files = [*path.iterdir()] if path.is_dir() else [path]
        return sum(file.lstat().st_size for file in files)
    except OSError:
        return 0
