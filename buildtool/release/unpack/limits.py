"""The errors of unpacking, and the limits of size."""

from __future__ import annotations

from buildtool.core.errors import BuildtoolError
from buildtool.core.value import Value


class ArchiveError(BuildtoolError):
    """An archive cannot be read, or must not be unpacked."""

    code = "archive"


class DamagedArchiveError(ArchiveError):
    """The bytes are not an archive of its format, are incomplete, or other data follows them."""

    code = "archive-damaged"

    def __init__(self, message: str, *, why: str = "", remedy: str = "") -> None:
        remedy = remedy or "Copy or download the archive again, and compare its sha256."
        super().__init__(message, why=why, remedy=remedy)


class UnsafeArchiveError(ArchiveError):
    """An entry of the archive could write outside the directory, is ambiguous, or is a bomb."""

    code = "archive-unsafe"

    def __init__(self, message: str, *, why: str = "", remedy: str = "") -> None:
        remedy = remedy or "Do not unpack it with another program unless you trust its origin."
        super().__init__(message, why=why, remedy=remedy)


class ArchiveDigestError(ArchiveError):
    """The archive is not the one that was expected."""

    code = "archive-digest"


class Limits(Value):
    """The largest archive that is read.

    `entries` are files, links and directories, also those that are only part of a path; `names` is
    the total length of their paths in characters; `path` and `name` are the lengths in bytes of one
    path and of one part of it, `depth` the number of its parts; `size` is the total of the unpacked
    bytes.  After the first `free` bytes, the unpacked bytes are at most `ratio` times the packed
    ones.  `window` is the memory in bytes that decompression may require: `zstd -19` requires
    8 MiB, `xz -6` 9 MiB.
    """

    entries: int = 50_000
    names: int = 8 << 20
    path: int = 1024
    name: int = 255
    depth: int = 64
    size: int = 16 << 30
    ratio: int = 100
    free: int = 64 << 20
    window: int = 16 << 20


LIMITS = Limits()


def check_size(unpacked: int, packed: int, limits: Limits) -> None:
    """Raise `UnsafeArchiveError` when `packed` bytes that hold `unpacked` bytes are too much."""
    if unpacked > limits.size:
        raise UnsafeArchiveError(
            f"it unpacks to more than {limits.size:,} bytes", why="this is the limit of a release"
        )
    if unpacked > limits.free and unpacked > limits.ratio * packed:
        raise UnsafeArchiveError(
            f"{packed:,} bytes of it unpack to {unpacked:,} bytes",
            why=f"more than {limits.ratio} times the size is taken for an attack on the disk",
        )
