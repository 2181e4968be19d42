"""`.whl`: a Python package with host libraries and skels, and the Python interfaces of the skels.

The package has the release's directories except `bin/`.  Wheels have no links, so a library that a
link points to is there under both names.  The files are not compressed: compressed bytes depend
on the version of zlib, which differs from machine to machine.
"""

from __future__ import annotations

import base64
import csv
import hashlib
import io
from collections.abc import Iterable, Iterator
from pathlib import Path

from buildtool import __version__
from buildtool.release.formats.entries import FormatError, Package, PackageEntry
from buildtool.release.formats.wheel_package_files import WheelNames, package_files, wheel_names
from buildtool.release.formats.zip_file import write_zip
from buildtool.release.supply_chain.licences import FOLDER

SUFFIX = ".whl"
PYTHON = "3.9"
LICENCES = f"{FOLDER}/"
NOT_IN_PACKAGE = ("bin/", "run.sh", "release.json", LICENCES)
"""Programs need the environment that run.sh sets, and a wheel is used from Python; licences have a
place of their own."""


def file_name(package: Package) -> str:
    """The name of the wheel.  Raises `FormatError` for a name or version that none can have."""
    names = wheel_names(package)
    build = f"-{package.wheel_build}" if package.wheel_build else ""
    return f"{names.distribution}-{names.version}{build}-{names.tag}{SUFFIX}"


def write(package: Package, path: Path) -> None:
    """Write the wheel.

    Raises `OSError`, `FormatError` for a release that a wheel cannot hold, and what reading the
    libraries and interfaces raises.
    """
    names = wheel_names(package)
    info = f"{names.distribution}-{names.version}.dist-info"
    shipped = list(_without_links(package.entries))
    files = [
        entry._replace(path=f"{names.module}/{entry.path}")
        for entry in shipped
        if not entry.path.startswith(NOT_IN_PACKAGE)
    ]
    files += package_files(package, names)
    licences = [entry for entry in shipped if entry.path.startswith(LICENCES)]
    texts = [entry.path.removeprefix(LICENCES) for entry in licences]
    files += [
        PackageEntry(f"{info}/METADATA", 0o644, _metadata(package, names, texts)),
        PackageEntry(f"{info}/WHEEL", 0o644, _wheel(names, package.wheel_build)),
        *(entry._replace(path=f"{info}/{entry.path}") for entry in licences),
    ]
    files.sort(key=lambda entry: (entry.path.startswith(info), entry.path))
    files.append(PackageEntry(f"{info}/RECORD", 0o644, _record(files, f"{info}/RECORD")))
    write_zip(path, files, package.epoch, "")


def _without_links(entries: Iterable[PackageEntry]) -> Iterator[PackageEntry]:
    """The files, and for each link copies of what it points to.  Raises `FormatError`."""
    by_path = {entry.path: entry for entry in entries}
    for path, entry in by_path.items():
        try:
            path.encode()
        except UnicodeEncodeError as error:
            raise FormatError(
                f"the name {path!a} cannot be in a wheel",
                why="names in a wheel are UTF-8",
                remedy="Give the file another name.",
            ) from error
        target = _target(entry)
        if not target:
            yield entry
            continue
        found = [other for other in by_path.values() if _is_below(other.path, target)]
        for other in found:
            if not other.link:
                yield other._replace(path=path + other.path[len(target) :])


def _target(entry: PackageEntry) -> str:
    """The path in the release that a link points to; "" for files."""
    if not entry.link:
        return ""
    parts = entry.path.split("/")[:-1]
    for part in entry.link.split("/"):
        if part == "..":
            del parts[-1:]
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)


def _is_below(path: str, top: str) -> bool:
    return path == top or path.startswith(f"{top}/")


def _metadata(package: Package, names: WheelNames, licences: list[str]) -> bytes:
    """Source: packaging.python.org, "Core metadata specifications"."""
    archs = f", skels for {', '.join(names.archs)}" if names.archs else ""
    summary = package.description or f"{package.name}: libraries for {package.platform}{archs}"
    lines = [
        "Metadata-Version: 2.4",
        f"Name: {package.name}",
        f"Version: {names.version}",
        f"Summary: {' '.join(summary.split())}",
        *([f"Maintainer-email: {' '.join(package.maintainer.split())}"] * bool(package.maintainer)),
        f"Requires-Python: >={PYTHON}",
        *(f"License-File: {path}" for path in licences),
    ]
    return "".join(f"{line}\n" for line in lines).encode()


def _wheel(names: WheelNames, build: str) -> bytes:
    """Source: packaging.python.org, "Binary distribution format"."""
    lines = [
        "Wheel-Version: 1.0",
        f"Generator: buildtool {__version__}",
        "Root-Is-Purelib: false",
        f"Tag: {names.tag}",
        *([f"Build: {build}"] if build else []),
    ]
    return "".join(f"{line}\n" for line in lines).encode()


def _record(files: Iterable[PackageEntry], own: str) -> bytes:
    """The list of all files with their digests; its own row has none."""
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    for entry in files:
        sha256 = hashlib.sha256()
        size = entry.copy_to(sha256.update)
        digest = base64.urlsafe_b64encode(sha256.digest()).decode().rstrip("=")
        rows.writerow((entry.path, f"sha256={digest}", size))
    rows.writerow((own, "", ""))
    return text.getvalue().encode()
