"""Writes an export: the bundle that runs on a device, and the files of the service."""

from __future__ import annotations

import gzip
import io
import tarfile
import tempfile
from collections.abc import Iterable
from pathlib import Path

from buildtool.core.errors import UsageError
from buildtool.core.files import value_digest
from buildtool.core.trees import remove_tree, replace_directory
from buildtool.deploy.data.files import DataFile
from buildtool.release.formats.entries import PackageEntry
from buildtool.release.formats.zip_file import write_zip
from buildtool.release.slices import Release
from buildtool.testing.export.exported import FILE, Export, ExportedTest, write_list
from buildtool.testing.export.script import tests_script
from buildtool.testing.export.services import BUNDLE, RUN, SERVICES, TEMPLATES, filled

EPOCH = 315532800
"""1980, the first year of zip archives: equal exports are equal files."""
ID_DIGITS = 16


def make_export(
    tests: Iterable[ExportedTest],
    release: Release,
    platform: str,
    service: str,
    devices: tuple[str, ...],
) -> Export:
    """The export of `tests`, which run in `release`."""
    export = Export("", service, devices, release.target, platform, release.id, tuple(tests))
    return export._replace(id=value_digest(export)[:ID_DIGITS])


def check_directory(directory: Path) -> None:
    """Raise `UsageError` unless `directory` is new, empty, or an earlier export."""
    if directory.is_symlink() or (
        directory.exists() and not ((directory / FILE).is_file() or _is_empty(directory))
    ):
        raise UsageError(
            f"--export {directory}: it is not an export of tests",
            why="the export replaces the directory as a whole",
            remedy="Name a new directory.",
        )


def _is_empty(directory: Path) -> bool:
    return directory.is_dir() and not any(directory.iterdir())


def write_export(
    export: Export, release: Release, data: Iterable[DataFile], directory: Path, project: str
) -> None:
    """Write `export`, whose tests run in `release` with `data`, to `directory`, which becomes
    complete or stays as it is.  Raises `OSError`."""
    service = SERVICES[export.service]
    directory = directory.absolute()
    directory.parent.mkdir(parents=True, exist_ok=True)
    fresh = Path(tempfile.mkdtemp(dir=directory.parent, prefix=f".{directory.name}."))
    try:
        fresh.chmod(0o755)
        script = (TEMPLATES / RUN).read_bytes()
        if export.platform == "android":  # of which old releases have no /bin
            script = script.replace(b"#!/bin/sh", b"#!/system/bin/sh", 1)
        with (fresh / BUNDLE).open("wb") as stream:
            _write_tar_gz(stream, _bundle(export, release, data))
        if service.archive:
            entries = [
                PackageEntry(BUNDLE, 0o644, fresh / BUNDLE),
                PackageEntry(RUN, 0o755, script),
                *(
                    PackageEntry(name, 0o644, filled(name, export, project).encode())
                    for name in service.packed
                ),
            ]
            if service.archive.endswith(".zip"):
                write_zip(fresh / service.archive, entries, EPOCH, "")
            else:
                with (fresh / service.archive).open("wb") as stream:
                    _write_tar_gz(stream, entries)
            (fresh / BUNDLE).unlink()  # the archive has it
        else:
            (fresh / RUN).write_bytes(script)
        for name in service.files:
            (fresh / name).write_text(filled(name, export, project), encoding="utf-8")
        write_list(export, fresh)
        replace_directory(fresh, directory)
    except BaseException:
        remove_tree(fresh, ignore_errors=True)
        raise


def _bundle(export: Export, release: Release, data: Iterable[DataFile]) -> list[PackageEntry]:
    script = tests_script(export, release.archs).encode(errors="surrogateescape")
    return [
        PackageEntry("tests.sh", 0o755, script),
        *(
            PackageEntry(f"release/{file.path}", file.mode, release.directory / file.path)
            for file in release.files
        ),
        *(PackageEntry(f"release/{link.path}", 0o777, b"", link.target) for link in release.links),
        *(PackageEntry(f"release/{file.path}", 0o644, file.source) for file in data),
    ]


def _write_tar_gz(stream: io.BufferedWriter, entries: Iterable[PackageEntry]) -> None:
    """Write `entries` in the format for long names that busybox and toybox read, too."""
    with (
        gzip.GzipFile(filename="", mode="wb", fileobj=stream, mtime=0) as packed,
        tarfile.open(fileobj=packed, mode="w|", format=tarfile.GNU_FORMAT) as archive,
    ):
        for entry in entries:
            header = tarfile.TarInfo(entry.path)
            header.mode, header.mtime = entry.mode, EPOCH
            if entry.link:
                header.type, header.linkname = tarfile.SYMTYPE, entry.link
                archive.addfile(header)
                continue
            header.size = entry.size
            with entry.stream() as content:
                archive.addfile(header, content)
