"""The control file of a Debian package: its names, and what it depends on.

Source: Debian Policy Manual, chapter 5; deb-version(7).
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from pathlib import Path

from buildtool.core.elf.read import is_elf, read_dynamic
from buildtool.core.value import Value
from buildtool.release.formats.entries import FormatError, Package
from buildtool.toolchains.cdsprpc import is_cdsprpc
from buildtool.toolchains.system_libraries import UBUNTU

REVISION = "1"
"""The revision of a package, as opposed to that of what is in it."""
NO_MAINTAINER = "Unknown maintainer <unknown@example.org>"
_NAME = r"[a-z0-9][a-z0-9+.-]+"
_VERSION = r"[0-9][A-Za-z0-9.+~]*"
_PRE_RELEASE = r"-(?=[A-Za-z])"
_MAX_SYNOPSIS, _LINE = 80, 78
_GCC = {"libgcc_s.so.1": "libgcc-s1", "libstdc++.so.6": "libstdc++6"}
_CDSPRPC = "libfastrpc1 | qcom-fastrpc1"  # Debian's package, Ubuntu's package
_DSP = "dsp/"


class Debian(Value):
    """The metadata of a Debian package: `version` has a revision; `programs` are its commands."""

    name: str
    version: str
    maintainer: str
    synopsis: str
    programs: tuple[str, ...]


def describe(package: Package) -> Debian:
    """The Debian package of a release.

    Raises `FormatError` for a name or version that Debian does not allow, and for a program that is
    not in the release.
    """
    return Debian(
        name=_name(package.name),
        version=f"{_version(package.version)}-{REVISION}",
        maintainer=package.maintainer or NO_MAINTAINER,
        synopsis=_synopsis(package),
        programs=programs(package),
    )


def control(package: Package, debian: Debian, installed_size: int) -> bytes:
    """The control file; `installed_size` is in KiB.

    Raises `FormatError` for a library in an unknown package.
    """
    depends, recommends = _depends(package)
    fields = {
        "Package": debian.name,
        "Version": debian.version,
        "Architecture": "arm64",
        "Maintainer": debian.maintainer,
        "Installed-Size": str(installed_size),
        "Depends": ", ".join(depends),
        "Recommends": ", ".join(recommends),
        "Section": "misc",
        "Priority": "optional",
        "Description": f"{debian.synopsis}\n{_details(package)}",
    }
    return "".join(f"{name}: {value}\n" for name, value in fields.items() if value).encode()


def programs(package: Package) -> tuple[str, ...]:
    """The programs that get commands: by default all that lie in bin/.

    Raises `FormatError` for one that is not in the release.
    """
    there = {
        name: entry
        for entry in package.entries
        for folder, _, name in (entry.path.rpartition("/"),)
        if folder == "bin" and (entry.link or entry.mode & 0o100)
    }
    for name in package.programs:
        if name not in there:
            raise FormatError(
                f"the release has no program bin/{name}",
                why=f"'programs' in [target.{package.target}] names it",
                remedy=f"It has: {', '.join(there) or 'none'}.",
            )
    return tuple(sorted(package.programs or there))


def _name(name: str) -> str:
    """Lower case, with `-` for `_`, which are the only differences from a project's name."""
    text = name.lower().replace("_", "-")
    if not re.fullmatch(_NAME, text):
        raise FormatError(
            f"a Debian package cannot have the name {text!r}",
            why="it must have two characters or more: letters, digits, '+', '-', '.'",
            remedy="Change 'name' in [project].",
        )
    return text


def _version(version: str) -> str:
    """With `~` for the `-` of a pre-release, which Debian sorts after the release."""
    text = re.sub(_PRE_RELEASE, "~", version, count=1)
    if not re.fullmatch(_VERSION, text):
        raise FormatError(
            f"a Debian package cannot have the version {version!r}",
            why="it must begin with a digit, and have only letters, digits, '.', '+', '~', and a"
            " '-' in front of the name of a pre-release",
            remedy='Change \'version\' in [project]: "1.2", "1.2-rc1", "1.2+3.gabc".',
        )
    return text


def _synopsis(package: Package) -> str:
    text = package.description or f"program for Hexagon DSPs ({package.name})"
    return text if len(text) < _MAX_SYNOPSIS else f"{text[: _MAX_SYNOPSIS - 2]}…"


def _details(package: Package) -> str:
    skels = f" It has DSP code for Hexagon {', '.join(package.archs)}." if package.archs else ""
    text = f"This is {package.name} {package.version} for ARM64.{skels}"
    return textwrap.indent(textwrap.fill(text, _LINE), " ")


def _depends(package: Package) -> tuple[list[str], list[str]]:
    """The packages that have what the ARM64 side needs; first those that it cannot do without."""
    ours = {Path(entry.path).name for entry in package.entries}
    required, unknown = set[str](), ""
    needs_cdsprpc = False
    for user, library in _needed(package):
        if is_cdsprpc(library):
            needs_cdsprpc = True
        elif library in _GCC:
            required.add(_GCC[library])
        elif library in UBUNTU:
            required.add(f"libc6 (>= {package.glibc})")
        elif library not in ours:
            unknown = f"{user} needs {library}"
    if unknown and not package.deb_depends:
        raise FormatError(
            "the packages that a .deb depends on are not all known",
            why=f"{unknown}, which is a library of the system",
            remedy="Name the package, which `dpkg -S LIBRARY` prints on the device: deb-depends ="
            f' ["PACKAGE"] in [target.{package.target}].',
        )
    if needs_cdsprpc:
        required.add(_CDSPRPC)
    suggested = [_CDSPRPC] if package.archs and not needs_cdsprpc else []
    return [*sorted(required), *package.deb_depends], suggested


def _needed(package: Package) -> Iterator[tuple[str, str]]:
    """The files of the ARM64 side with each library that they need."""
    for entry in package.entries:
        content = entry.content
        if isinstance(content, Path) and not entry.path.startswith(_DSP) and is_elf(content):
            for library in read_dynamic(content).needed if not entry.link else ():
                yield entry.path, library
