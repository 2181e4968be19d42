"""The list of an archive's entries, checked entry by entry and then as a whole.

Names that differ only in case or in the Unicode form of the same characters are refused as
duplicates: some file systems (Android's shared storage, macOS, Windows) take them for one file, so
that what is there after unpacking would depend on the device.
"""

from __future__ import annotations

import unicodedata
from typing import Literal

from buildtool.release.unpack.entry import ArchiveEntry, Limits, UnsafeArchiveError, link_target

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
