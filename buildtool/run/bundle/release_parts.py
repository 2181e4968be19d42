"""The archives in a bundle: the release that ran, so that it can run elsewhere, and the debug
information of its skels, so that crashes there have names and lines."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from buildtool.core.value import Value
from buildtool.release.slices import HOST, Release, slice_of
from buildtool.run.bundle.record import RunRecord
from buildtool.run.bundle.redact import Redactor

if TYPE_CHECKING:
    from buildtool.release.formats.entries import PackageEntry
    from buildtool.release.package import Ingredients

NAME, DEBUG_NAME = "release.tar.zst", "debug.tar.zst"
MAX_BYTES = 64 << 20
"""Bytes of the files that are included without being asked for."""
_INCLUDE = "buildtool capture --release includes it"


class Part(Value):
    """The files of an archive in the bundle, in its directory `top`, all with the time `epoch`."""

    entries: tuple[PackageEntry, ...]
    epoch: int
    top: str


class LeftOut(Value):
    """Why a bundle does not contain the release."""

    why: str


def release_parts(
    record: RunRecord, made_of: Ingredients, redact: Redactor, wanted: bool | None
) -> Mapping[str, Part] | LeftOut:
    """The archives by name, or why there are none.

    The default, None for `wanted`, leaves out a release that is large or contains the value of a
    secret: nothing can be replaced in programs.  Raises `BuildtoolError` and `OSError`.
    """
    from buildtool.release.package import package_of  # noqa: PLC0415 - not in most runs
    from buildtool.release.supply_chain.licences import check_redistribution  # noqa: PLC0415

    if wanted is False:
        return LeftOut("--no-release")
    check_redistribution(record.project, made_of.build.steps)
    package, debug = package_of(made_of), tuple(_debug_entries(made_of.release))
    if wanted is None:
        entries = [entry for entry in (*package.entries, *debug) if not entry.link]
        size = sum(entry.size for entry in entries)
        if size > MAX_BYTES:
            limit = MAX_BYTES >> 20
            return LeftOut(f"its files have {size:,} bytes, more than {limit} MiB; {_INCLUDE}")
        for entry in entries:
            with entry.stream() as stream:
                if redact.occurs_in(stream.read()):
                    return LeftOut(f"{entry.path} contains the value of a secret; {_INCLUDE}")
    parts = {NAME: Part(package.entries, package.epoch, package.stem)}
    return {**parts, DEBUG_NAME: Part(debug, package.epoch, "debug")} if debug else parts


def _debug_entries(release: Release) -> Iterator[PackageEntry]:
    """The debug files of the skels, by build-id, with links by the names of the skels."""
    from buildtool.release.formats.entries import PackageEntry  # noqa: PLC0415 - not in most runs

    skels = [file for file in release.files if file.build_id and slice_of(file.path) != HOST]
    paths = {f.path: f".build-id/{f.build_id[:2]}/{f.build_id[2:]}.debug" for f in skels}
    there = {place: path for place, path in paths.items() if (release.debug / path).is_file()}
    for path in sorted({*there.values()}):
        yield PackageEntry(path, 0o644, release.debug / path)
    for place, path in sorted(there.items()):
        target = os.path.relpath(path, os.path.dirname(place))  # noqa: PTH120 - of an archive
        yield PackageEntry(f"{place}.debug", 0o777, b"", target)
