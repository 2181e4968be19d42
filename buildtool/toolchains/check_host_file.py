"""What makes a file one that the ARM64 side of a platform runs."""

from __future__ import annotations

import re

from buildtool.core.elf import Elf
from buildtool.core.elf_machine import EM_AARCH64
from buildtool.core.errors import BuildtoolError
from buildtool.sdk.tool_search import version_numbers
from buildtool.toolchains.android import check_pages
from buildtool.toolchains.profile import Profile

_NUMBERS = re.compile(r"2(\.\d{1,3}){1,2}")
# What a glibc promises to its loader's clients has no number.  Source: glibc's release notes.
_ABI_VERSIONS = {"GLIBC_ABI_DT_RELR": "2.36"}


class HostFileError(BuildtoolError):
    """A file of the ARM64 side would not run on the platform that it is built for."""

    code = "host"


def check_host_file(elf: Elf, profile: Profile) -> None:
    """Check a program, library or object that ships on the ARM64 side.

    Raises `HostFileError` or `PageSizeError` with the first thing that is wrong.
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
    """Whether the oldest glibc that the target is for has all that the file needs of one."""
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
            remedy="Build it again from its source for this target.",
        )
    pinned = profile.compiler.c[1:2] == ("cc",)  # zig's: it has the symbols of that glibc only
    raise HostFileError(
        f"{elf.path.name} needs glibc {since}, the target is for {floor} and newer",
        why=why,
        remedy=f'Raise it, if the device has that: glibc = "{since}". '
        + (
            "Or build the file for an older one: it was not compiled by this target's compiler."
            if pinned
            else 'Or compile against an older one: toolchain = "zig" takes the one of the target.'
        ),
    )


def _glibc_with_version(version: str) -> str:
    """The glibc that first had a version of its symbols: "2.36"; "" when no number tells."""
    number = _ABI_VERSIONS.get(version, version.removeprefix("GLIBC_"))
    return number if _NUMBERS.fullmatch(number) else ""
