"""The changes of a push on the device: the files to remove, and an archive of the files to add."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING, cast

from buildtool.core.value import Value
from buildtool.deploy.contents import Contents, Deployment, in_store
from buildtool.device.transports.transport import quote
from buildtool.release.slices import ReleaseFile

if TYPE_CHECKING:
    import tarfile

MAX_NAMES = 24 << 10
"""Bytes of the removed paths, as words of a shell: adb takes commands of less than 64 KiB."""
BLOCK = 1 << 18
"""Bytes that are read and written at once."""
WORTHWHILE = 0.8
"""Compression to less than this part of the size is worth its time."""
FAST = 1
"""Level of compression: a fast one, since the network is often faster than a high one."""


class Changes(Value):
    """How contents become other contents: paths to remove first, and paths to add.

    `differing` is the number of paths that differ.  With `more`, other paths are to be removed
    before anything is added.  `there` are the names of files in the device's store.
    """

    removed: tuple[str, ...]
    added: tuple[str, ...]
    differing: int
    there: frozenset[str]
    more: bool


def changes(have: Contents, wanted: Contents) -> Changes:
    """The changes that make `wanted` of `have`, or the first ones when many paths are removed.

    A file that differs is removed before it is added, so that other releases keep theirs: they may
    be links to the same file.
    """
    added = [path for path, state in wanted.items() if have.get(path) != state]
    folders = {folder for path in have for folder in folders_above(path)}
    outdated = {path for path, state in have.items() if wanted.get(path) != state}
    outdated |= folders.intersection(added)
    removed: list[str] = []
    size = 0
    for path in sorted(outdated):
        size += len(quote(path).encode("utf-8", "surrogateescape"))
        if removed and size > MAX_NAMES:
            break
        removed.append(path)
    differing = len(outdated.union(added))
    there = frozenset(filter(None, map(in_store, have.values())))
    more = len(removed) < len(outdated)
    return Changes(tuple(removed), () if more else tuple(sorted(added)), differing, there, more)


def write_archive(
    stream: IO[bytes],
    deployment: Deployment,
    contents: Contents,
    change: Changes,
    by: str,
    *,
    written: Callable[[int], object] = lambda _: None,
) -> None:
    """Write a tar archive of what `change` adds to a device, compressed for the program `by`.

    `written` gets the number of bytes so far, before compression.
    `contents` is what the deployment becomes there; `change.there` names the files in its store.
    Raises `OSError` when a file cannot be read or has become shorter, or the stream is closed.
    """
    import tarfile  # noqa: PLC0415 - most runs push nothing

    files = {file.path: file for file in deployment.files}
    folder = f"releases/{deployment.id}.partial"
    sent = set(change.there)
    with (
        _compressed(stream, by) as packed,
        # The GNU format is the one for long names that busybox and toybox read, too.
        tarfile.open(
            fileobj=cast("IO[bytes]", _Counted(packed, written)),
            mode="w|",
            format=tarfile.GNU_FORMAT,
            bufsize=BLOCK,
        ) as archive,
    ):
        archive.copybufsize = BLOCK  # type: ignore[attr-defined]  # not in the stubs
        for name in sorted({name for path in change.added for name in folders_above(path)}):
            entry = tarfile.TarInfo(f"{folder}/{name}")
            entry.type, entry.mode = tarfile.DIRTYPE, 0o755
            archive.addfile(entry)
        for path in change.added:
            state = contents[path]
            if not state.startswith("-> "):
                _add_file(archive, f"{folder}/{path}", deployment.directory, files[path])
                continue
            if (name := in_store(state)) and name not in sent:
                # Before its link: after a break, links show what has arrived.
                _add_file(archive, f"incoming/{name}", deployment.directory, files[path])
                sent.add(name)
            entry = tarfile.TarInfo(f"{folder}/{path}")
            entry.type, entry.linkname = tarfile.SYMTYPE, state[3:]
            archive.addfile(entry)


class _Counted:
    """A stream that tells how many bytes were written."""

    def __init__(self, stream: IO[bytes], written: Callable[[int], object]) -> None:
        self._stream = stream
        self._written = written
        self._size = 0

    def write(self, data: bytes) -> int:
        done = self._stream.write(data)
        self._size += len(data)
        self._written(self._size)
        return done


def _add_file(archive: tarfile.TarFile, name: str, directory: Path, file: ReleaseFile) -> None:
    entry = archive.tarinfo(name)
    entry.size, entry.mode = file.size, file.mode
    with Path(directory, file.path).open("rb") as source:
        entry.mtime = int(os.fstat(source.fileno()).st_mtime)
        archive.addfile(entry, source)


def unpacker(deployment: Deployment, change: Changes, program: str) -> str:
    """`program`, or "" when compressing for it is not worth while.  zstd is faster than most
    networks; gzip is not, and random data stays as large as it is."""
    sizes = {file.path: file.size for file in deployment.files}
    largest = max(change.added, key=lambda path: sizes.get(path, 0), default="")
    if program != "gzip" or sizes.get(largest, 0) < BLOCK:
        return program
    import zlib  # noqa: PLC0415 - for large files only

    with Path(deployment.directory, largest).open("rb") as stream:
        stream.seek(sizes[largest] // 2)
        sample = stream.read(BLOCK // 4)
    return program if len(zlib.compress(sample, FAST)) < len(sample) * WORTHWHILE else ""


@contextlib.contextmanager
def _compressed(stream: IO[bytes], by: str) -> Iterator[IO[bytes]]:
    if by == "gzip":
        import gzip  # noqa: PLC0415 - devices with zstd do not need it

        with gzip.GzipFile(fileobj=stream, mode="wb", compresslevel=FAST, mtime=0) as packed:
            yield packed  # type: ignore[misc]  # it is a writable binary file
    elif by == "zstd":
        import zstandard  # noqa: PLC0415 - only for devices that have it

        with zstandard.ZstdCompressor(FAST).stream_writer(stream, closefd=False) as writer:
            yield writer
    else:
        yield stream


def folders_above(path: str) -> Iterator[str]:
    """The directories above `path`, within the release."""
    parts = path.split("/")
    return ("/".join(parts[:count]) for count in range(1, len(parts)))
