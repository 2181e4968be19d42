"""The contents of an archive."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import BinaryIO

from buildtool.core.errors import BuildtoolError
from buildtool.core.files import open_regular
from buildtool.core.value import Value


class FormatError(BuildtoolError):
    """A release cannot be an archive of a certain format."""

    code = "format"


class PackageEntry(Value):
    """A file or link of an archive.

    `path` is relative to the top of the release; `mode` 0o755 or 0o644.  The content is a file or
    bytes; a link has its target in `link` instead.  A path that ends in `/` is a directory.
    """

    path: str
    mode: int
    content: Path | bytes
    link: str = ""

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


_PIECE = 1 << 20


class Package(Value):
    """Everything that an archive is made of.

    `name` is the project's, `target` that of the project file; `entries` are sorted by path;
    `epoch` is the time of every file, in seconds since 1970.  `archs` are the DSP archs that it has
    skels for, `idl` the files that describe the interfaces of the skels.  `wheel_build` tells the
    wheel from that of another target, "" if that has another name anyway.  The other fields are
    the project file's.
    """

    name: str
    version: str
    target: str
    platform: str
    glibc: str
    api: int
    epoch: int
    entries: tuple[PackageEntry, ...]
    idl: tuple[Path, ...] = ()
    archs: tuple[str, ...] = ()
    description: str = ""
    maintainer: str = ""
    programs: tuple[str, ...] = ()
    deb_depends: tuple[str, ...] = ()
    wheel_build: str = ""

    @property
    def stem(self) -> str:
        """The name of archives without their suffix, and of the directory in them."""
        return f"{self.name}-{self.version}-{self.target}"
