"""No library of a release has the name of a library of the device's system.

run.sh lets the loader search the release first, so that the system's own libraries, such as
libcdsprpc, would be given the copy, too.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from buildtool.contract.finding import Finding, Rule
from buildtool.contract.libraries import device_libraries
from buildtool.contract.subject import Subject
from buildtool.toolchains.cdsprpc import is_cdsprpc

RULE = Rule("no-shadowed-library", __doc__)


def check(subject: Subject) -> Iterator[Finding]:
    report = RULE.error if subject.is_release else RULE.warning
    known = device_libraries(subject)
    for path in (*subject.files, *subject.links):
        name = posixpath.basename(path)
        soname = subject.elves[path].soname if path in subject.elves else ""
        shadowed = next((n for n in (name, soname) if n in known), "")
        if shadowed and not subject.dsp_arch(path) and not is_cdsprpc(shadowed):
            yield report(
                path,
                f"{name} shadows {shadowed} of the device",
                why="the loader searches the release first, also for the system's own libraries,"
                " which need theirs",
                remedy="Do not ship it: every device has it. Where a newer one is needed, link it"
                " statically.",
            )
