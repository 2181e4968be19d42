"""Checks that the names in a release can be in archives, by the rules for unpacking."""

from __future__ import annotations

from collections.abc import Iterable

from buildtool.release.formats.entries import FormatError, PackageEntry
from buildtool.release.unpack.entry import ArchiveEntry, entry_path
from buildtool.release.unpack.limits import LIMITS, UnsafeArchiveError
from buildtool.release.unpack.listing import ArchiveListing


def check_packable(entries: Iterable[PackageEntry], top: str) -> None:
    """Raises `FormatError` for entries that `inspect` and `verify` would refuse in an archive with
    the directory `top`: names that some file systems do not have, or that are not unique there."""
    listing = ArchiveListing(LIMITS)
    try:
        for entry in entries:
            path = entry_path(f"{top}/{entry.path}", LIMITS)
            listing.add(ArchiveEntry(path, "link" if entry.link else "file", target=entry.link))
        listing.finish()
    except UnsafeArchiveError as error:
        raise FormatError(
            "archives of this release could not be unpacked everywhere",
            why="\n".join(filter(None, (error.message, error.why))),
            remedy="Install the file under another name, or do not install it.",
        ) from error
