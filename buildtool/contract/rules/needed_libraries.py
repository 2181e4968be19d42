"""Every library that the ARM64 side needs is in the release, or on every device of the platform.

Otherwise the program does not start. Loaders search lib/, and the directories of RUNPATH with
$ORIGIN. On an unknown platform, and for files that are not a release, a missing library is a
warning or is not reported.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from buildtool.contract.finding import Finding, Rule
from buildtool.contract.libraries import LIBRARIES, device_libraries, directory_in_release
from buildtool.contract.subject import Subject
from buildtool.toolchains.cdsprpc import is_cdsprpc

RULE = Rule("needed-libraries", __doc__, code="library")


def check(subject: Subject) -> Iterator[Finding]:
    report = RULE.error if subject.is_release else RULE.warning
    device = device_libraries(subject)
    names = {posixpath.basename(place): place for place in sorted(subject.places)}
    searched = {LIBRARIES}
    for path, elf in subject.host():
        folder = posixpath.dirname(path)
        if not subject.is_release:
            searched.add(folder)
        searched |= {d for e in elf.runpath if (d := directory_in_release(e, folder))}
    for path, elf in subject.host() if subject.whole and subject.platform else ():
        program = posixpath.basename(path)
        for name in elf.needed:
            if "/" in name:
                yield report(
                    path,
                    f"{program} needs {name} by its path, which a device does not have",
                    why="a library without a SONAME was linked by its path",
                    remedy="Give the library a SONAME (-Wl,-soname,NAME), or set"
                    " IMPORTED_NO_SONAME in CMake if it is an imported library.",
                )
            elif name not in device and not is_cdsprpc(name):
                places = {posixpath.normpath(f"{folder}/{name}") for folder in searched}
                if not places & subject.places:
                    found = names.get(name)
                    yield report(
                        path,
                        f"{program} needs {name}, which is neither in the release nor on every"
                        " device",
                        why=f"loaders search {LIBRARIES}/ and the RUNPATHs; it is {found}"
                        if found
                        else f"no file of the release has that name, and {subject.platform} does"
                        " not have the library",
                        remedy=f"Ship it in {LIBRARIES}/, or link it statically. If the devices"
                        f' have it: system-libraries = ["{name}"] in the target.',
                    )
