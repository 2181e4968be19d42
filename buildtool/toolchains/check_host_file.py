"""Checks that a file of the ARM64 side runs on its platform."""

from __future__ import annotations

import re

from buildtool.core.elf import Elf
from buildtool.core.elf_machine import EM_AARCH64
from buildtool.core.errors import BuildtoolError
from buildtool.sdk.tool_search import version_numbers
from buildtool.toolchains.android import check_pages
from buildtool.toolchains.profile import Profile

_NUMBERS = re.compile(r"2(\.\d{1,3}){1,2}")
# Symbol versions without a number, and the glibc that introduced them.  Source: glibc's NEWS.
_ABI_VERSIONS = {"GLIBC_ABI_DT_RELR": "2.36"}


class HostFileError(BuildtoolError):
    """A file of the ARM64 side would not run on its platform."""

    code = "host"


def check_host_file(elf: Elf, profile: Profile) -> None:
    """Check a program, library or object that ships on the ARM64 side.

    Raises `HostFileError` or `PageSizeError` for the first problem.
    """
    if elf.machine != EM_AARCH64 or elf.bits != 64:
        raise HostFileError(
            f"{elf.path.name} is not an ARM64 file",
            why=f"its ELF machine is {elf.machine}, ARM64's is {EM_AARCH64} ({elf.path})",
            remedy=f"Build it with {profile.name}: it was compiled for another machine.",
        )
    if profile.platform == "android":
        check_pages(elf)
    else:
        _check_glibc(elf, profile)


def _check_glibc(elf: Elf, profile: Profile) -> None:
    """Check that the target's oldest glibc has all symbol versions that the file needs."""
    floor = profile.settings.get("GLIBC", "")
    too_new = [
        (since, need)
        for need in elf.version_needs
        if floor and need.version.startswith("GLIBC_") and not need.weak
        if not (since := _glibc_with_version(need.version))
        or version_numbers(since) > version_numbers(floor)
    ]
    if not too_new:
        return
    since, need = max(too_new, key=lambda row: (not row[0], version_numbers(row[0])))
    symbols = ", ".join(need.symbols[:8]) + (", …" if len(need.symbols) > 8 else "")
    why = f"for {symbols or 'the version itself'} of {need.library} ({elf.path})"
    if not since:
        raise HostFileError(
            f"{elf.path.name} needs {need.version}, which not every glibc {floor} has",
            why=why,
            remedy="Rebuild it from source for this target.",
        )
    pinned = profile.compiler.c[1:2] == ("cc",)  # zig links the symbols of that glibc only
    raise HostFileError(
        f"{elf.path.name} needs glibc {since}, but the target is for glibc {floor} and newer",
        why=why,
        remedy=f'Set glibc = "{since}" in the target, if its devices have that version. '
        + (
            "Or rebuild the file for an older glibc: another compiler than the target's built it."
            if pinned
            else 'Or set toolchain = "zig", which compiles for the glibc of the target.'
        ),
    )


def _glibc_with_version(version: str) -> str:
    """The first glibc with a symbol version ("2.36"), or "" if it is unknown."""
    number = _ABI_VERSIONS.get(version, version.removeprefix("GLIBC_"))
    return number if _NUMBERS.fullmatch(number) else ""
