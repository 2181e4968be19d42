"""Opens a bundle to repeat its run: reads `replay.json`, and verifies and unpacks the release.

A bundle comes from somebody else: nothing in it is used before it is checked.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from buildtool.contract.release_json import promise_of
from buildtool.contract.subject import Promise
from buildtool.core.errors import BuildtoolError
from buildtool.core.files import open_regular
from buildtool.core.held_temporary import held_temporary_directory
from buildtool.core.value import Value
from buildtool.project.model import Header, Project, Target
from buildtool.release.document import NAME as RELEASE_FILE
from buildtool.release.slices import Release, ReleaseFile, ReleaseLink, in_slices
from buildtool.release.supply_chain.verify import MAX_DOCUMENT, parse_document, verify_archive
from buildtool.release.unpack import entries, is_archive, members, unpack
from buildtool.run.bundle.release_parts import DEBUG_NAME
from buildtool.run.bundle.release_parts import NAME as RELEASE_PART
from buildtool.run.bundle.replay_file import MAX_BYTES, NAME, ReplayError, ReplayFile, parse_replay

PREFIX = "buildtool-replay-"
LIMITS = {NAME: MAX_BYTES, RELEASE_FILE: MAX_DOCUMENT, RELEASE_PART: 0, DEBUG_NAME: 0}
"""The files of a bundle that are read, and the bytes that they may have; 0 for any number."""


class Replay(Value):
    """The run of the bundle `path`: `file` says what is repeated.

    `project` and `release` are for it alone; both are None for a bundle without the release.
    `listed` are the files of the release: path → digest, or target of a link; empty if the bundle
    does not list them.
    """

    path: Path
    file: ReplayFile
    project: Project | None
    release: Release | None
    listed: dict[str, str]


@contextmanager
def opened_replay(path: Path) -> Iterator[Replay]:
    """The run of the bundle `path`, or of an unpacked one whose `replay.json` is `path`, for the
    block.

    Raises `ReplayError`, `VerifyError`, `ArchiveError`, and `OSError` if it cannot be read.
    """
    with held_temporary_directory(PREFIX) as folder:
        try:
            replay = _opened(path, folder)
        except BuildtoolError as error:  # the place of the release here says nothing
            error.message = error.message.replace(str(folder), str(path))
            raise
        yield replay


def _opened(path: Path, folder: Path) -> Replay:
    directory, place = path.parent, path
    if is_archive(path):
        _extract(path, folder)
        directory, place = folder, folder / NAME
    if not place.is_file():
        raise _no_replay(path)
    file = parse_replay(_read(place, MAX_BYTES), str(path))
    archive = directory / RELEASE_PART
    if not archive.is_file():
        return Replay(path, file, None, None, _listed(directory / RELEASE_FILE))
    found = verify_archive(archive, None)
    unpacked = folder / "unpacked"
    unpack(archive, unpacked, sha256=found.sha256)
    (top, *others) = unpacked.iterdir()
    if others or not (top / RELEASE_FILE).is_file():
        raise ReplayError(f"{archive} does not have its files in one directory")
    promise = promise_of(found.release)
    debug = folder / "debug"
    if (directory / DEBUG_NAME).is_file():
        unpack(directory / DEBUG_NAME, debug)
    release = _release(promise, file, top, debug / "debug")
    if release.id != file.release:
        raise ReplayError(
            f"{path} has another release than the one that ran",
            why=f"the id of its files is {release.id}, {NAME} names {file.release}",
            remedy="Do not use it. Get the archive again from who captured the run.",
        )
    return Replay(path, file, _project(promise, file, folder), release, {})


def _no_replay(path: Path) -> ReplayError:
    if is_archive(path):
        return ReplayError(
            f"{path} has no {NAME}",
            why="nothing was built before the run failed, or it is not a bundle of a run",
            remedy="Its README.txt says what happened.",
        )
    return ReplayError(
        f"{path} is not a file",
        remedy=f"Name an archive of buildtool capture or run --bundle, or its file {NAME}.",
    )


def _read(file: Path, limit: int) -> bytes:
    """At most one byte more than `limit`."""
    with open_regular(file, follow=True) as stream:
        return stream.read(limit + 1)


def _extract(bundle: Path, folder: Path) -> None:
    """Write the files of `LIMITS` from the archive `bundle` to `folder`; raises `ArchiveError`."""
    entries(bundle)  # checks all of it before anything is written
    with open_regular(bundle, follow=True) as stream:
        for entry, content in members(stream, bundle):
            _, _, name = entry.path.partition("/")
            if entry.kind != "file" or name not in LIMITS:
                continue
            if LIMITS[name] and entry.size > LIMITS[name]:
                raise ReplayError(f"{name} in {bundle} has {entry.size:,} bytes, which is too much")
            with (folder / name).open("xb") as file:
                file.writelines(content)


def _listed(file: Path) -> dict[str, str]:
    """The files in `release.json`; empty if there is none, or if secrets were replaced in it."""
    if not file.is_file():
        return {}
    document: Any = parse_document(file, _read(file, MAX_DOCUMENT))
    try:
        promise = promise_of(document)
    except (ValueError, LookupError, TypeError, AttributeError):
        return {}
    return {path: row.sha256 for path, row in (promise.files or {}).items()} | dict(promise.links)


def _release(promise: Promise, file: ReplayFile, directory: Path, debug: Path) -> Release:
    files = [
        ReleaseFile(path, int(row.mode, 8), (directory / path).stat().st_size, row.sha256, row.step)
        for path, row in (promise.files or {}).items()
    ]
    links = [ReleaseLink(path, target) for path, target in promise.links.items()]
    return Release(file.target, directory, debug, in_slices(files, links, promise.archs or ()))


def _project(promise: Promise, file: ReplayFile, folder: Path) -> Project:
    """A project with nothing but the target of the release."""
    target = Target(platform=promise.platform, archs=promise.archs or ())
    if promise.glibc:
        target = target._replace(glibc=promise.glibc)
    target = target._replace(api=promise.api or target.api)
    header = Header(name=file.project, default_target=file.target)
    return Project(folder / "project", header, {}, {}, {file.target: target})
