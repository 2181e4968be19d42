"""The ARM64 side needs no newer glibc than the oldest one of the target's devices.

With an older glibc than it was linked for, a program does not start.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator

from buildtool.contract.finding import Finding, Rule
from buildtool.contract.subject import Subject
from buildtool.core.elf.read import Elf
from buildtool.core.elf.versions import VersionNeed
from buildtool.sdk.tool_search import version_numbers

RULE = Rule("glibc-floor", __doc__, code="host")
_NUMBERS = re.compile(r"2(\.\d{1,3}){1,2}")
# Symbol versions without a number, and the glibc that introduced them.  Source: glibc's NEWS.
_ABI_VERSIONS = {"GLIBC_ABI_DT_RELR": "2.36"}


def check(subject: Subject) -> Iterator[Finding]:
    floor = subject.promise.glibc
    for path, elf in subject.host() if floor else ():
        if newest := _newest(elf, floor):
            yield _finding(path, *newest, subject)


def needed_glibc(elf: Elf) -> str:
    """The oldest glibc that the file runs with ("2.34"); "" if it needs no version of glibc."""
    versions = (need.version for need in elf.version_needs if not need.weak)
    numbers = (_glibc_with_version(v) for v in versions if v.startswith("GLIBC_"))
    return max(filter(None, numbers), key=version_numbers, default="")


def _newest(elf: Elf, floor: str) -> tuple[str, VersionNeed] | None:
    """The first glibc with the newest symbol version that the file needs and glibc `floor` lacks,
    "" if unknown, and the need for this version; None if there is none."""
    too_new = [
        (since, need)
        for need in elf.version_needs
        if need.version.startswith("GLIBC_") and not need.weak
        if not (since := _glibc_with_version(need.version))
        or version_numbers(since) > version_numbers(floor)
    ]
    return max(too_new, key=lambda row: (not row[0], version_numbers(row[0])), default=None)


def _finding(path: str, since: str, need: VersionNeed, subject: Subject) -> Finding:
    name, floor = posixpath.basename(path), subject.promise.glibc
    symbols = ", ".join(need.symbols[:8]) + (", …" if len(need.symbols) > 8 else "")
    why = f"for {symbols or 'the version itself'} of {need.library}"
    if not since:
        return RULE.error(
            path,
            f"{name} needs {need.version}, which not every glibc {floor} has",
            why=why,
            remedy="Rebuild it from source for this target.",
        )
    own = f'Set glibc = "{since}" in the target, if its devices have that version. Or rebuild'
    return RULE.error(
        path,
        f"{name} needs glibc {since}, but the target is for glibc {floor} and newer",
        why=why,
        remedy=f"{own if subject.promise.own else 'Rebuild'} the file for glibc {floor}: the"
        ' compiler of toolchain = "zig" links the symbols of the target\'s glibc only.',
    )


def _glibc_with_version(version: str) -> str:
    """The first glibc with a symbol version ("2.36"), or "" if it is unknown."""
    number = _ABI_VERSIONS.get(version, version.removeprefix("GLIBC_"))
    return number if _NUMBERS.fullmatch(number) else ""
