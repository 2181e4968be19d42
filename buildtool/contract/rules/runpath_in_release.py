"""RPATH and RUNPATH name directories of the release only, relative to $ORIGIN.

On a device other directories hold something else, or can be written by somebody else. An empty
entry is the current directory.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from buildtool.contract.finding import Finding, Rule
from buildtool.contract.libraries import directory_in_release
from buildtool.contract.subject import Subject

RULE = Rule("runpath-in-release", __doc__, code="library")


def check(subject: Subject) -> Iterator[Finding]:
    report = RULE.error if subject.is_release else RULE.warning
    for path, elf in subject.elves.items():
        folder = posixpath.dirname(path) if subject.whole else "bin"
        for entry in elf.runpath:
            if directory_in_release(entry, folder) is None:
                yield report(
                    path,
                    f"{posixpath.basename(path)} has a RUNPATH that points outside the release:"
                    f" {entry or 'an empty entry'}",
                    why="on a device the release has no files there",
                    remedy="Link it without -Wl,-rpath: libraries in lib/ are found without it."
                    " $ORIGIN/../lib stays in the release. In CMake: CMAKE_SKIP_RPATH=true.",
                )
