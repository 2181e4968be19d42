"""Whether the ARM64 side starts on the devices: their system, and its oldest release."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection, Iterator

from buildtool.contract.finding import Finding, rule
from buildtool.contract.subject import Subject
from buildtool.core.elf.read import Elf
from buildtool.core.elf.symbols import VersionNeed
from buildtool.core.value import Value
from buildtool.sdk.tool_search import version_numbers
from buildtool.toolchains.arm64 import ALIGNED_CXX, PAGE
from buildtool.toolchains.system_libraries import ANDROID, SHARED_STL

ANDROID_SYSTEM, GLIBC, MUSL = "Android", "Linux with glibc", "Linux with musl"
OF_PLATFORM = {"android": ANDROID_SYSTEM, "ubuntu-aarch64": GLIBC}
# The FastRPC libraries have a version in their names on Linux only.
_NAMES = (
    (r"libc\.so\.6|ld-linux-aarch64\.so\.1|lib[as]dsprpc\.so\.1", (GLIBC,)),
    (r"libc\.musl-.*|ld-musl-.*", (MUSL,)),
    (r"libc\.so", (ANDROID_SYSTEM, MUSL)),
    (r"lib[as]dsprpc\.so", (ANDROID_SYSTEM,)),
)
_LOADERS = (
    ("/system/", ANDROID_SYSTEM, "libc.so"),
    ("/lib/ld-musl", MUSL, "libc.so"),
    ("/lib/ld-linux", GLIBC, "libc.so.6"),
)


class _Evidence(Value):
    """The systems that a file may be for, and what in the file shows it."""

    systems: tuple[str, ...]
    shown_by: str


@rule("host-platform", code="host")
def host_platform(subject: Subject) -> Iterator[Finding]:
    """The ARM64 side is built for the system of the target: Linux with glibc, or Android.

    A library for the other system does not load, even if every library that it names is there.
    Prebuilt libraries are checked as well. Which system a file is for is read from its loader, its
    notes, its symbol versions, and the names of the C library and the FastRPC library that it
    needs.
    """
    known = {posixpath.basename(place) for place in subject.places}
    known |= subject.promise.system_libraries
    for path, elf in subject.host():
        if found := other_system(path, elf, subject.promise.platform, known):
            yield found


def other_system(path: str, elf: Elf, platform: str, known: Collection[str]) -> Finding | None:
    """The error of a file that is built for another system than that of `platform`, or None.

    Libraries that are `known` are no evidence: they ship, or are on the devices.
    """
    system = OF_PLATFORM.get(platform)
    wrong = [row for row in _shown_by(elf, known) if system and system not in row.systems]
    if not wrong:
        return None
    name = posixpath.basename(path)
    return host_platform.error(
        path,
        f"{name} is built for {' or '.join(wrong[0].systems)}, not for {system}",
        why=f"{'; '.join(row.shown_by for row in wrong)}; it would not load on a device",
        remedy=f"Ship a build of {name} for {system}, or remove it from this target.",
    )


def _shown_by(elf: Elf, known: Collection[str]) -> Iterator[_Evidence]:
    if elf.android_api:
        yield _Evidence((ANDROID_SYSTEM,), f"it is linked for Android API level {elf.android_api}")
    for start, system, libc in _LOADERS:
        if elf.interpreter.startswith(start) and libc not in known:
            yield _Evidence((system,), f"its loader is {elf.interpreter}")
    for need in elf.needed:
        for pattern, systems in _NAMES if need not in known else ():
            if re.fullmatch(pattern, need):
                yield _Evidence(systems, f"it needs {need}")
    versions = [need.version for need in elf.version_needs if need.version.startswith("GLIBC_")]
    if versions and "libc.so.6" not in known:
        yield _Evidence((GLIBC,), f"it needs symbols of the version {versions[0]}")


_NUMBERS = re.compile(r"2(\.\d{1,3}){1,2}")
# Symbol versions without a number, and the glibc that introduced them.  Source: glibc's NEWS.
_ABI_VERSIONS = {"GLIBC_ABI_DT_RELR": "2.36"}


@rule("glibc-floor", code="host")
def glibc_floor(subject: Subject) -> Iterator[Finding]:
    """The ARM64 side needs no newer glibc than the oldest one of the target's devices.

    With an older glibc than it was linked for, a program does not start.
    """
    floor = subject.promise.glibc
    for path, elf in subject.host() if floor else ():
        if newest := _newest_need(elf, floor):
            yield _too_new(path, *newest, subject)


def needed_glibc(elf: Elf) -> str:
    """The oldest glibc that the file runs with ("2.34"); "" if it needs no version of glibc."""
    versions = (need.version for need in elf.version_needs if not need.weak)
    numbers = (_glibc_with_version(v) for v in versions if v.startswith("GLIBC_"))
    return max(filter(None, numbers), key=version_numbers, default="")


def _newest_need(elf: Elf, floor: str) -> tuple[str, VersionNeed] | None:
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


def _too_new(path: str, since: str, need: VersionNeed, subject: Subject) -> Finding:
    name, floor = posixpath.basename(path), subject.promise.glibc
    symbols = ", ".join(need.symbols[:8]) + (", …" if len(need.symbols) > 8 else "")
    why = f"for {symbols or 'the version itself'} of {need.library}"
    if not since:
        return glibc_floor.error(
            path,
            f"{name} needs {need.version}, which not every glibc {floor} has",
            why=why,
            remedy="Rebuild it from source for this target.",
        )
    own = f'Set glibc = "{since}" in the target, if its devices have that version. Or rebuild'
    return glibc_floor.error(
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


# The letters of symbol versions such as LIBC_R.  Source: Android, libc.map.txt.
_LEVELS = {
    **{"L": 21, "M": 23, "N": 24, "O": 26, "P": 28, "Q": 29, "R": 30},
    **{"S": 31, "T": 33, "U": 34, "V": 35},
}
_VERSION = re.compile(r"LIB[A-Z0-9]+_(?:([L-V])|(\d\d))")


@rule("android-api", code="host")
def android_api(subject: Subject) -> Iterator[Finding]:
    """The ARM64 side needs no newer Android than the target's API level.

    Checked are the API level that the NDK noted in each file, the system libraries that it needs,
    and the symbols of libraries with symbol versions, such as libc. The symbols of other libraries
    have no version, so that a newer one among them is not found.
    """
    level = subject.promise.api
    for path, elf in subject.host() if level else ():
        needs = sorted(needed for needed in _needs(elf) if needed[0] > level)
        if needs:
            newest, why = needs[-1]
            yield android_api.error(
                path,
                f"{posixpath.basename(path)} needs Android API level {newest}, but the target is"
                f" for {level} and newer",
                why=why,
                remedy=f"Build it for API level {level}"
                + (f", or set api = {newest} in the target." if subject.promise.own else "."),
            )


def _needs(elf: Elf) -> Iterator[tuple[int, str]]:
    """The API levels that the file needs, each with what needs it."""
    yield elf.android_api, "the NDK linked it for that level"
    for name in elf.needed:
        yield ANDROID.get(name, 0), f"that level introduced {name}"
    for need in elf.version_needs:
        found = _VERSION.fullmatch(need.version)
        symbols = [name for name in need.symbols if name in elf.imports]
        if found and symbols:
            level = _LEVELS.get(found[1], 0) if found[1] else int(found[2])
            yield level, f"that level introduced {', '.join(symbols[:8])} of {need.library}"


@rule("android-pages", code="page-size")
def android_pages(subject: Subject) -> Iterator[Finding]:
    """On Android the ARM64 side can be loaded on devices with pages of 16 KiB.

    Android 15 and newer run on such devices. They load a file only if its LOAD segments are aligned
    to 16 KiB.
    """
    for path, elf in subject.host() if subject.platform == "android" else ():
        smallest = min(elf.load_alignments, default=PAGE)
        if smallest >= PAGE:
            continue
        name = posixpath.basename(path)
        if name == SHARED_STL:
            remedy = f'Use NDK r{ALIGNED_CXX} or newer, or set stl = "c++_static".'
        else:
            remedy = (
                f"Link it with -Wl,-z,max-page-size={PAGE}; a prebuilt library must be rebuilt."
            )
        yield android_pages.error(
            path,
            f"{name} cannot be loaded on devices with 16 KiB pages",
            why=f"one of its LOAD segments is aligned to {smallest} bytes, not {PAGE}",
            remedy=remedy,
        )
