"""What a push changes on the device: the files to remove, and an archive of the files to add."""

from __future__ import annotations

import contextlib
import os
import tarfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO

from buildtool.core.value import Value
from buildtool.deploy.push.contents import Contents, Deployment
from buildtool.deploy.transports.transport import quote

MAX_NAMES = 24 << 10
"""Bytes of the removed paths, as words of a shell: adb takes commands of less than 64 KiB."""
FAST = 1
"""Level of compression: a fast one, since the network is often faster than a high one."""


class Changes(Value):
    """How contents become other contents: paths to remove first, and paths to add.

    `differing` is the number of paths that differ; some may be left for another time.
    """

    removed: tuple[str, ...]
    added: tuple[str, ...]
    differing: int


def changes(have: Contents, wanted: Contents) -> Changes:
    """The changes that make `wanted` of `have`, or part of them when too many paths are removed.

    A file that differs is removed before it is added, so that other releases keep theirs: they may
    be links to the same file.
    """
    added = [path for path, state in wanted.items() if have.get(path) != state]
    folders = {folder for path in have for folder in _folders(path)}
    outdated = {path for path, state in have.items() if wanted.get(path) != state}
    outdated |= folders.intersection(added)
    removed = []
    size = 0
    for path in sorted(outdated):
        size += len(quote(path).encode("utf-8", "surrogateescape"))
        if size > MAX_NAMES:
            break
        removed.append(path)
    left = outdated.difference(removed)
    differing = len(outdated.union(added))
    added = [path for path in added if not left.intersection((path, *_folders(path)))]
    return Changes(tuple(removed), tuple(sorted(added)), differing)


def write_archive(stream: IO[bytes], deployment: Deployment, added: Iterable[str], by: str) -> None:
    """Write a tar archive of the files and links `added`, compressed for the program `by`.

    Raises `OSError` when a file cannot be read or has become shorter, or the stream is closed.
    """
    files = {file.path: file for file in deployment.files}
    links = {link.path: link.target for link in deployment.links}
    with (
        _compressed(stream, by) as packed,
        # The GNU format is the one for long names that busybox and toybox read, too.
        tarfile.open(fileobj=packed, mode="w|", format=tarfile.GNU_FORMAT) as archive,
    ):
        for folder in sorted({folder for path in added for folder in _folders(path)}):
            entry = tarfile.TarInfo(folder)
            entry.type, entry.mode = tarfile.DIRTYPE, 0o755
            archive.addfile(entry)
        for path in added:
            entry = tarfile.TarInfo(path)
            if path in links:
                entry.type, entry.linkname = tarfile.SYMTYPE, links[path]
                archive.addfile(entry)
                continue
            entry.size, entry.mode = files[path].size, files[path].mode
            with Path(deployment.directory, path).open("rb") as source:
                entry.mtime = int(os.fstat(source.fileno()).st_mtime)
                archive.addfile(entry, source)


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


def _folders(path: str) -> Iterator[str]:
    """The directories above `path`, within the release."""
    parts = path.split("/")
    return ("/".join(parts[:count]) for count in range(1, len(parts)))
