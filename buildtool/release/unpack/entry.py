"""The entries of an archive, the names that they may have, and the limits of unpacking.

Entries are checked one by one and then as a whole.  Names that differ only in case or in the
Unicode form of the same characters are refused as duplicates: some file systems (shared storage of
Android, macOS, Windows) take them for one file, so that what is there after unpacking would depend
on the device.
"""

from __future__ import annotations

import unicodedata
from typing import Literal

from buildtool.core.errors import BuildtoolError
from buildtool.core.escape import is_control
from buildtool.core.value import Value

MAX_TARGET = 1024
"""The longest target of a link in bytes."""


class ArchiveEntry(Value):
    """One entry: its path without `./` and a closing slash, its permission bits as the archive has
    them, the size of a file in bytes, and the target of a link."""

    path: str
    kind: Literal["file", "link", "directory"]
    mode: int = 0o644
    size: int = 0
    target: str = ""

    @property
    def written_mode(self) -> int:
        """The permission bits of the unpacked file: 0755 or 0644."""
        return 0o755 if self.mode & 0o111 else 0o644


def entry_path(name: str, limits: Limits, *, directory: bool = False) -> str:
    """The path of an entry with this name; "" for the archive's own top directory.

    Raises `UnsafeArchiveError` for a name that could lead out of the directory, or that programs
    read in different ways.
    """
    _check_text(name, "an entry", limits)
    path = name.removeprefix("./")
    if directory:
        path = path.removesuffix("/")
        if path in ("", "."):
            return ""
    if name.startswith("/"):
        raise UnsafeArchiveError(f"the entry {name!r} has an absolute path")
    parts = path.split("/")
    if len(parts) > limits.depth:
        raise UnsafeArchiveError(
            f"the entry {name[:80]!r}… is deeper than {limits.depth} directories"
        )
    for part in parts:
        if part == "..":
            raise UnsafeArchiveError(f"the entry {name!r} leads out of the directory")
        if part in ("", "."):
            raise UnsafeArchiveError(
                f"the entry {name!r} has an empty part or '.' in its path",
                why="another name of the same file could hide a second entry",
            )
        if len(part.encode()) > limits.name:
            raise UnsafeArchiveError(
                f"the entry {name[:80]!r}… has a name of more than {limits.name:,} bytes"
            )
    return path


def link_target(path: str, target: str, limits: Limits) -> str:
    """The path in the archive to which the link `path` leads.

    Raises `UnsafeArchiveError` when it leads elsewhere.
    """
    _check_text(target, f"the link {path!r}", limits._replace(path=MAX_TARGET))
    parts = path.split("/")[:-1]
    names = target.split("/")
    while names[0] == ".." and parts and len(names) > 1:
        del names[0], parts[-1]
    if target.startswith("/") or names[0] == "..":
        raise UnsafeArchiveError(
            f"the link {path!r} leads out of the directory", why=f"its target is {target!r}"
        )
    if {"", ".", ".."} & {*names}:
        raise UnsafeArchiveError(
            f"the link {path!r} has an empty part, '.' or a late '..' in its target",
            why=f"its target is {target!r}, which could lead through another link",
            remedy="Make the link lead directly to its file.",
        )
    return "/".join([*parts, *names])


def check_mode(path: str, mode: int) -> int:
    """The permission bits of a file; raises `UnsafeArchiveError` for setuid, setgid and sticky."""
    if mode & 0o7000:
        raise UnsafeArchiveError(
            f"the file {path!r} has the mode {mode:04o}",
            why="a release has no setuid, setgid or sticky files",
        )
    return mode


def _check_text(text: str, what: str, limits: Limits) -> None:
    if not text.isprintable() and any(map(is_control, text)):
        raise UnsafeArchiveError(
            f"{what} has control characters or bytes that are not UTF-8: {text[:80]!r}"
        )
    if "\\" in text:
        raise UnsafeArchiveError(
            f"{what} has a backslash: {text[:80]!r}",
            why="some programs take it for a separator of directories",
        )
    if len(text.encode()) > limits.path:
        raise UnsafeArchiveError(f"{what} has more than {limits.path:,} bytes: {text[:80]!r}…")


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
    """The largest archive that is read."""

    entries: int = 50_000  # files, links and directories, also those that are only part of a path
    names: int = 8 << 20  # the total length of their paths in characters
    path: int = 1024  # the length of one path in bytes
    name: int = 255  # the length of one part of a path in bytes
    depth: int = 64  # the number of parts of a path
    size: int = 16 << 30  # the total of the unpacked bytes
    ratio: int = 100  # of unpacked to packed bytes, after the first `free` ones
    free: int = 64 << 20
    window: int = 16 << 20  # bytes that decompression may need: `zstd -19` 8 MiB, `xz -6` 9 MiB


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


Kind = Literal["file", "link", "directory", "implied directory"]


class ArchiveListing:
    """The entries so far.  `add` and `finish` raise `UnsafeArchiveError`."""

    def __init__(self, limits: Limits) -> None:
        self.entries: list[ArchiveEntry] = []
        self._limits = limits
        self._kinds: dict[str, Kind] = {}
        self._spellings: dict[str, str] = {}
        self._names = 0

    def add(self, entry: ArchiveEntry) -> None:
        """Check `entry` against those before it, and add it."""
        for end, character in enumerate(entry.path):
            if character == "/":
                self._add_parent(entry.path[:end])
        known = self._kinds.get(entry.path)
        if known and (known != "implied directory" or entry.kind != "directory"):
            raise UnsafeArchiveError(
                f"the archive has two entries {entry.path!r}",
                why=f"one is a {known}, the other a {entry.kind}",
            )
        self._remember(entry.path, entry.kind)
        self.entries.append(entry)

    def finish(self) -> None:
        """Check the links, whose targets may come after them."""
        for entry in self.entries:
            if entry.kind == "link":
                self._check_link(entry)

    def _add_parent(self, path: str) -> None:
        known = self._kinds.get(path)
        if known is None:
            self._remember(path, "implied directory")
        elif known in ("file", "link"):
            raise UnsafeArchiveError(
                f"the entry {path!r} is a {known}, and has entries below it",
                why="what is written there would go through it",
            )

    def _remember(self, path: str, kind: Kind) -> None:
        # Canonical caseless matching; source: The Unicode Standard, section 3.13, D145.
        folded = unicodedata.normalize("NFD", unicodedata.normalize("NFD", path).casefold())
        other = self._spellings.setdefault(folded, path)
        if other != path:
            raise UnsafeArchiveError(
                f"the entries {other!r} and {path!r} have the same name on some file systems",
                why="they differ only in case, or in how Unicode characters are composed",
            )
        if path not in self._kinds:
            self._names += len(path)
        self._kinds[path] = kind
        if len(self._kinds) > self._limits.entries or self._names > self._limits.names:
            raise UnsafeArchiveError(
                f"the archive has more than {self._limits.entries:,} files and directories,"
                f" or {self._limits.names:,} characters in their paths"
            )

    def _check_link(self, entry: ArchiveEntry) -> None:
        found = link_target(entry.path, entry.target, self._limits)
        parts = found.split("/")
        before = ["/".join(parts[:end]) for end in range(1, len(parts) + 1)]
        for place in before:
            if self._kinds.get(place) == "link":
                raise UnsafeArchiveError(
                    f"the link {entry.path!r} leads to or through the link {place!r}",
                    remedy="Make each link lead directly to its file.",
                )
        if found not in self._kinds or entry.path.startswith(f"{found}/"):
            raise UnsafeArchiveError(
                f"the link {entry.path!r} leads to nothing in the archive, or to a directory above"
                " itself",
                why=f"its target is {entry.target!r}",
                remedy="Make the link lead to a file of the archive.",
            )
