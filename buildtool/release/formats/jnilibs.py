"""`.aar`: a library for Android apps, with the host libraries and the skels of a release.

Android extracts lib*.so of an app into one directory.  Skels lie there too if each has a name of
its own.  If two archs have skels of the same name, all skels are assets, which the app copies to a
directory of its own.  Source: Android Developers, "AAR file anatomy"; Android Tools, "AAR Format".

A text in an `.aar` says how an app uses it.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Sequence
from io import BytesIO
from pathlib import Path

from buildtool.core.files import filled
from buildtool.release.formats.entries import FormatError, Package, PackageEntry, write_zip

JNI = "jni/arm64-v8a"
ASSETS = "assets/dsp"
_LIBRARY = r"lib[^/]*\.so"
_TEMPLATES = Path(__file__).with_name("templates")
_JAR_MANIFEST = PackageEntry("META-INF/MANIFEST.MF", 0o644, b"Manifest-Version: 1.0\r\n\r\n")


def write(package: Package, path: Path) -> None:
    """Write the archive.  Raises `OSError`, and `FormatError` for libraries that Android would not
    install."""
    host = _host_libraries(package)
    skels = {
        entry: tuple(entry.path.split("/")[1:])
        for entry in package.entries
        if re.fullmatch(r"dsp/[^/]+/[^/]+", entry.path) and not entry.link
    }
    taken = [posixpath.basename(entry.path) for entry in host]
    are_assets = _must_be_assets([*taken, *(place[-1] for place in skels.values())])
    placed = [entry._replace(path=f"{JNI}/{posixpath.basename(entry.path)}") for entry in host]
    for entry, place in skels.items():
        folder = f"{ASSETS}/{place[0]}" if are_assets else JNI
        placed.append(entry._replace(path=f"{folder}/{place[-1]}"))
    # A valid name of a Java package, and no keyword.
    java_package = f"jnilibs.lib{re.sub(r'[^a-z0-9]', '_', package.name.lower())}"
    manifest = filled(_TEMPLATES / "aar_manifest.xml.in", PACKAGE=java_package, API=package.api)
    entries = [
        *placed,
        *(entry for entry in package.entries if entry.path.startswith("licenses/")),
        PackageEntry("AndroidManifest.xml", 0o644, manifest.encode()),
        # An AAR must have these, even if the library has neither code nor resources.
        PackageEntry("R.txt", 0o644, b""),
        PackageEntry("classes.jar", 0o644, _jar(package.epoch)),
        PackageEntry("res/", 0o755, b""),
        PackageEntry(
            "README.md", 0o644, readme(package, [e.path for e in placed], are_assets).encode()
        ),
    ]
    write_zip(path, sorted(entries, key=lambda entry: entry.path), package.epoch, "")


def _host_libraries(package: Package) -> list[PackageEntry]:
    """The libraries of lib/.  Raises `FormatError` for one that Android would not install."""
    found = []
    for entry in package.entries:
        top, _, name = entry.path.partition("/")
        if top != "lib" or ".so" not in posixpath.basename(name):
            continue
        if entry.link or not re.fullmatch(_LIBRARY, name):
            raise FormatError(
                f"an Android app cannot have the library {entry.path}",
                why="Android installs files called lib*.so, all in one directory, and no links",
                remedy="Build it without VERSION and SOVERSION, and install it to lib/.",
            )
        found.append(entry)
    return found


def _must_be_assets(names: Iterable[str]) -> bool:
    names = [*names]
    return len({*names}) < len(names) or not all(re.fullmatch(_LIBRARY, name) for name in names)


def _jar(epoch: int) -> bytes:
    """A JAR without classes."""
    out = BytesIO()
    write_zip(out, [_JAR_MANIFEST], epoch, "")
    return out.getvalue()


def readme(package: Package, libraries: Sequence[str], are_assets: bool) -> str:
    """The text; `libraries` are the paths in the archive of what Android installs, and of skels."""
    description = f"{package.description}\n\n" if package.description else ""
    text = filled(
        _TEMPLATES / "aar_readme.md.in",
        NAME=package.name,
        VERSION=package.version,
        API=package.api,
        STEM=package.stem,
        DESCRIPTION=description,
        CONTENTS="".join(f"- `{path}`\n" for path in sorted(libraries)),
    )
    if not package.archs:
        return text + "It has no skels, so there is nothing more to do.\n"
    if are_assets:
        archs = ", ".join(package.archs)
        return text + filled(_TEMPLATES / "aar_skels_as_assets.md.in", ARCHS=archs)
    names = {e.path.rpartition("/")[2] for e in package.entries if e.path.startswith("dsp/")}
    skels = ", ".join(f'"**/{name}"' for name in sorted(names))
    return text + filled(_TEMPLATES / "aar_skels_beside.md.in", SKELS=skels)
