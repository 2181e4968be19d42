"""The ARM64 side needs no newer Android than the target's API level.

Checked are the API level that the NDK noted in each file, the system libraries that it needs, and
the symbols of libraries with symbol versions, such as libc. The symbols of other libraries have no
version, so that a newer one among them is not found.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator

from buildtool.contract.finding import Finding, Rule
from buildtool.contract.subject import Subject
from buildtool.core.elf.read import Elf
from buildtool.toolchains.system_libraries import ANDROID

RULE = Rule("android-api", __doc__, code="host")
# The letters of symbol versions such as LIBC_R.  Source: Android, libc.map.txt.
_LEVELS = {
    **{"L": 21, "M": 23, "N": 24, "O": 26, "P": 28, "Q": 29, "R": 30},
    **{"S": 31, "T": 33, "U": 34, "V": 35},
}
_VERSION = re.compile(r"LIB[A-Z0-9]+_(?:([L-V])|(\d\d))")


def check(subject: Subject) -> Iterator[Finding]:
    level = subject.promise.api
    for path, elf in subject.host() if level else ():
        needs = sorted(needed for needed in _needs(elf) if needed[0] > level)
        if needs:
            newest, why = needs[-1]
            yield RULE.error(
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
