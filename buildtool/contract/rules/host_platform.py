"""The ARM64 side is built for the system of the target: Linux with glibc, or Android.

A library for the other system does not load, even if every library that it names is there. Prebuilt
libraries are checked as well. Which system a file is for is read from its loader, its notes, its
symbol versions, and the names of the C library and the FastRPC library that it needs.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection, Iterator

from buildtool.contract.finding import Finding, Rule
from buildtool.contract.subject import Subject
from buildtool.core.elf.read import Elf
from buildtool.core.value import Value

RULE = Rule("host-platform", __doc__, code="host")
ANDROID, GLIBC, MUSL = "Android", "Linux with glibc", "Linux with musl"
OF_PLATFORM = {"android": ANDROID, "ubuntu-aarch64": GLIBC}
# The FastRPC libraries have a version in their names on Linux only.
_NAMES = (
    (r"libc\.so\.6|ld-linux-aarch64\.so\.1|lib[as]dsprpc\.so\.1", (GLIBC,)),
    (r"libc\.musl-.*|ld-musl-.*", (MUSL,)),
    (r"libc\.so", (ANDROID, MUSL)),
    (r"lib[as]dsprpc\.so", (ANDROID,)),
)
_LOADERS = (
    ("/system/", ANDROID, "libc.so"),
    ("/lib/ld-musl", MUSL, "libc.so"),
    ("/lib/ld-linux", GLIBC, "libc.so.6"),
)


class _Evidence(Value):
    """The systems that a file may be for, and what in the file shows it."""

    systems: tuple[str, ...]
    shown_by: str


def check(subject: Subject) -> Iterator[Finding]:
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
    return RULE.error(
        path,
        f"{name} is built for {' or '.join(wrong[0].systems)}, not for {system}",
        why=f"{'; '.join(row.shown_by for row in wrong)}; it would not load on a device",
        remedy=f"Ship a build of {name} for {system}, or remove it from this target.",
    )


def _shown_by(elf: Elf, known: Collection[str]) -> Iterator[_Evidence]:
    if elf.android_api:
        yield _Evidence((ANDROID,), f"it is linked for Android API level {elf.android_api}")
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
