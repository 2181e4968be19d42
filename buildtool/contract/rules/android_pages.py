"""On Android the ARM64 side can be loaded on devices with pages of 16 KiB.

Android 15 and newer run on such devices. They load a file only if its LOAD segments are aligned to
16 KiB.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from buildtool.contract.finding import Finding, Rule
from buildtool.contract.subject import Subject
from buildtool.toolchains.android import ALIGNED_CXX, PAGE
from buildtool.toolchains.system_libraries import SHARED_STL

RULE = Rule("android-pages", __doc__, code="page-size")


def check(subject: Subject) -> Iterator[Finding]:
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
        yield RULE.error(
            path,
            f"{name} cannot be loaded on devices with 16 KiB pages",
            why=f"one of its LOAD segments is aligned to {smallest} bytes, not {PAGE}",
            remedy=remedy,
        )
