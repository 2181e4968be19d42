"""Installs an SDK from its vendor's archive: the digest is checked before anything is unpacked.

`archives.toml` has the archives that `buildtool sdk install` knows.
"""

from __future__ import annotations

import os
import re
import secrets
import shutil
import stat
import tomllib
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from buildtool.core.cache import cache_dir
from buildtool.core.errors import BuildtoolError, UsageError
from buildtool.core.events import Listener, Work, open_step, work
from buildtool.core.files import file_digest
from buildtool.core.trees import make_directory
from buildtool.core.value import Value

MAX_ENTRIES = 1_000_000
MAX_BYTES = 64 << 30
MAX_TARGET = 4096


class SdkArchive(Value):
    """An archive of the SDK `name` in the version `version`."""

    name: str
    version: str
    url: str
    licence: str  # where the vendor's terms are
    sha256: str  # of the archive, "" if it is not known
    size: int  # in bytes, 0 if it is not known
    directory: Path  # where the SDK is installed


def known_archives() -> Mapping[str, Any]:
    """The table `archives.toml`: kind of SDK → what is known of its archives."""
    text = Path(__file__).with_name("archives.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def known_versions(kind: str) -> tuple[str, ...]:
    """The versions of the SDK `kind` in the table, newest last; raises `UsageError` for another."""
    table = known_archives()
    if kind not in table:
        raise UsageError(f"{kind!r} is not an SDK", remedy=f"Take one of: {', '.join(table)}.")
    return tuple(table[kind]["versions"])


def find_archive(kind: str, version: str) -> SdkArchive:
    """The archive of `kind` ("hexagon", "ndk") in `version`, which need not be in the table.

    Raises `UsageError` for another kind, and for a text that cannot be a version.
    """
    known = known_versions(kind)
    sdk = known_archives()[kind]
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9.]{0,30}", version, re.ASCII):
        raise UsageError(
            f"{version!r} is not a version of the {sdk['name']}",
            remedy=f"Known versions: {', '.join(known)}.",
        )
    found = sdk["versions"].get(version, {})
    return SdkArchive(
        name=sdk["name"],
        version=version,
        url=found.get("url", sdk["url"]).format(version=version),
        licence=sdk["licence"],
        sha256=found.get("sha256", ""),
        size=found.get("size", 0),
        directory=Path.home() / sdk["folder"] / found.get("revision", version),
    )


class SdkArchiveError(BuildtoolError):
    """The archive of an SDK is not the expected one, or cannot be unpacked."""

    code = "sdk-archive"


def install_sdk(archive: SdkArchive, source: str, listener: Listener) -> None:
    """Install the SDK of `archive` from `source`, a URL or a file, in `archive.directory`.

    Raises `SdkArchiveError`, `DownloadError`, `UsageError` and `OSError`; the directory is complete
    or absent.
    """
    if archive.directory.exists():
        raise UsageError(
            f"{archive.directory} exists",
            why=f"the {archive.name} {archive.version} would be installed there",
            remedy="Use what is there, or remove it first.",
        )
    downloaded = _is_address(source)
    file = _download(archive, source, listener) if downloaded else Path(source)
    with work(f"checking {file.name}", listener):
        _check_digest(archive, file, downloaded=downloaded)
    fresh = archive.directory.with_name(f".{archive.directory.name}.new")
    shutil.rmtree(fresh, ignore_errors=True)
    with open_step(str(archive.directory), "unpacking", listener) as step:
        try:
            with work(f"unpacking {file.name}", listener) as shown:
                _unpack(file, fresh / "archive", shown)
            # No link can lead out and back in: none knows this name.
            staged = fresh / secrets.token_hex(16)
            _top_directory(fresh / "archive").replace(staged)
            _check_links(staged, file)
            staged.replace(archive.directory)
            step.outcome = "installed"
        finally:
            shutil.rmtree(fresh, ignore_errors=True)
    if downloaded:
        file.unlink()


def _is_address(source: str) -> bool:
    """Whether `source` is a URL; raises `UsageError` if it is no file either."""
    try:
        scheme = urlsplit(source).scheme
    except ValueError as error:
        raise UsageError(f"{source} is not an address", why=str(error)) from None
    if scheme not in ("", "https", "http"):
        raise UsageError(f"{source} is not an address of http or https")
    if not scheme and not Path(source).is_file():
        raise UsageError(f"{source} is not a file", remedy="--from takes a file or a URL.")
    return bool(scheme)


def _download(archive: SdkArchive, source: str, listener: Listener) -> Path:
    from buildtool.sdk.download import download  # noqa: PLC0415 - imports urllib3

    folder = cache_dir() / "sdk-archives"
    make_directory(folder)
    name = f"{archive.name} {archive.version}.zip".replace(" ", "-").lower()
    if not (folder / name).is_file():
        download(source, folder / name, f"{archive.name} {archive.version}", listener, archive.size)
    return folder / name


def _check_digest(archive: SdkArchive, file: Path, *, downloaded: bool) -> None:
    digest = file_digest(file)
    if not archive.sha256:
        raise SdkArchiveError(
            f"nothing says which sha256 the archive of the {archive.name} {archive.version} has",
            why=f"the one in {file} has {digest}",
            remedy="If you trust it, or others have the same digest, repeat the command with"
            f" --sha256 {digest}",
        )
    if digest != archive.sha256:
        if downloaded:
            file.unlink()
        raise SdkArchiveError(
            f"{file} is not the archive of the {archive.name} {archive.version}",
            why=f"its sha256 is {digest}, not {archive.sha256}",
            remedy="It was removed. Repeat the command, or name another source with --from."
            if downloaded
            else "Do not use it. Download it again.",
        )


def _unpack(file: Path, folder: Path, shown: Work) -> None:
    """Unpack a zip archive with modes and links into the new directory `folder`."""
    try:
        with zipfile.ZipFile(file) as archive:
            entries = archive.infolist()
            _check(entries, file)
            folder.mkdir(parents=True)
            links = []
            for number, entry in enumerate(entries, 1):
                shown.count(number, len(entries), "files")
                mode = entry.external_attr >> 16
                place = folder / entry.filename
                if stat.S_ISLNK(mode):
                    links.append((place, archive.read(entry).decode("utf-8")))
                    continue
                if entry.is_dir():
                    place.mkdir(parents=True, exist_ok=True)
                    continue
                place.parent.mkdir(parents=True, exist_ok=True)
                with archive.open(entry) as source, place.open("xb") as stream:
                    shutil.copyfileobj(source, stream, 1 << 20)
                place.chmod(0o755 if mode & 0o100 else 0o644)
            # Links last: no file is written through one.
            for place, target in links:
                _check_link(place, target, folder, file)
                place.parent.mkdir(parents=True, exist_ok=True)
                place.symlink_to(target)
    except (
        zipfile.BadZipFile,
        zlib.error,
        EOFError,
        FileExistsError,
        RuntimeError,
        ValueError,
    ) as error:
        raise SdkArchiveError(f"{file} cannot be unpacked", why=str(error)) from None


def _check(entries: list[zipfile.ZipInfo], file: Path) -> None:
    """Refuse an archive that could write elsewhere, or is far too large."""
    if len(entries) > MAX_ENTRIES or sum(entry.file_size for entry in entries) > MAX_BYTES:
        raise SdkArchiveError(f"{file} is too large to be unpacked")
    for entry in entries:
        parts = entry.filename.rstrip("/").split("/")
        if entry.filename.startswith("/") or not parts or {"", ".", ".."} & {*parts}:
            raise SdkArchiveError(
                f"{file} has the entry {entry.filename!r}", why="it is not below one directory"
            )
        if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise SdkArchiveError(
                f"{file} has the entry {entry.filename!r}", why="it is not compressed by deflate"
            )
        if stat.S_ISLNK(entry.external_attr >> 16) and entry.file_size > MAX_TARGET:
            raise SdkArchiveError(f"{file} has the link {entry.filename!r} with a long target")


def _check_link(place: Path, target: str, folder: Path, file: Path) -> None:
    """Refuse a link that is or leads outside of `folder`, as the kernel follows links."""
    top = os.path.realpath(folder)
    ends = [Path(os.path.realpath(path)) for path in (place.parent, place.parent / target)]
    if target.startswith("/") or not all(end.is_relative_to(top) for end in ends):
        raise SdkArchiveError(
            f"{file} has the link {place.relative_to(folder)}",
            why=f"it leads out of the archive, to {target!r}",
        )


def _check_links(folder: Path, file: Path) -> None:
    """Check all links of an SDK, which may lead through each other."""
    for top, folders, names in os.walk(folder):
        for place in (Path(top, name) for name in (*folders, *names)):
            if place.is_symlink():
                _check_link(place, str(place.readlink()), folder, file)


def _top_directory(folder: Path) -> Path:
    """The SDK in an unpacked archive: below directories that contain nothing else."""
    inside = [*folder.iterdir()]
    while len(inside) == 1 and inside[0].is_dir() and not inside[0].is_symlink():
        folder = inside[0]
        inside = [*folder.iterdir()]
    return folder
