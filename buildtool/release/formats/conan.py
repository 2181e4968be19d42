"""A Conan package: a recipe, the release that it packages, and the profile to do that with.

The archive is unpacked, and Conan makes a package of it in its cache: `conan export-pkg`.  Conan's
own archives of a cache (`conan cache save`) have time stamps and random names of directories.
"""

from __future__ import annotations

import re
from pathlib import Path

from buildtool.release.formats.entries import FormatError, Package, PackageEntry, write_tar_zst

RECIPE = Path(__file__).with_name("conan_recipe.py")
_NO_IDENTITY = "= {}\n"
_OS = {"ubuntu-aarch64": "Linux", "android": "Android"}
_NAME = r"[a-z0-9_][a-z0-9_+.-]{1,100}"
_PROFILE = "[settings]\nos={os}\narch=armv8\n"


def write(package: Package, path: Path) -> None:
    """Write the archive.  Raises `OSError`, and `FormatError` for what Conan cannot express."""
    entries = [
        PackageEntry("conanfile.py", 0o644, _recipe(package)),
        PackageEntry("profile", 0o644, _PROFILE.format(os=_OS[package.platform]).encode()),
        *(entry._replace(path=f"release/{entry.path}") for entry in package.entries),
    ]
    with path.open("wb") as out:
        write_tar_zst(out, entries, package.epoch, f"{package.stem}-conan/")


def _recipe(package: Package) -> bytes:
    """The recipe.  It is the same for all targets of a project: they are packages of one recipe."""
    identity = {
        "name": _checked("name", package.name.lower()),
        "version": _checked("version", package.version.lower()),
        "description": package.description or package.name,
    }
    text = RECIPE.read_text(encoding="utf-8").replace(_NO_IDENTITY, f"= {identity!r}\n", 1)
    return text.encode()


def _checked(what: str, text: str) -> str:
    if not re.fullmatch(_NAME, text):
        raise FormatError(
            f"a Conan package cannot have the {what} {text!r}",
            why="it must have 2 to 101 characters: letters, digits, '_', '+', '.', '-', the first"
            " a letter, digit or '_'",
            remedy=f"Change '{what}' in [project].",
        )
    return text
