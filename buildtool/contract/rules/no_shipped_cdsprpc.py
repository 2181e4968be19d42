"""A release ships no libcdsprpc, libadsprpc or libsdsprpc.

These libraries belong to the device's system. Another copy that is loaded instead breaks every
session.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator

from buildtool.contract.finding import Finding, Rule
from buildtool.contract.subject import Subject

RULE = Rule("no-shipped-cdsprpc", __doc__)
_NAME = re.compile(r"lib[acs]dsprpc(_system)?\.(so|a)\b")


def check(subject: Subject) -> Iterator[Finding]:
    report = RULE.error if subject.is_release else RULE.warning
    for path in (*subject.files, *subject.links):
        name = posixpath.basename(path)
        others = [posixpath.basename(subject.links.get(path, ""))]
        if path in subject.elves:
            others.append(subject.elves[path].soname)
        called = next(filter(_NAME.match, (name, *others)), "")
        if called:
            yield report(
                path,
                f"{name} is a FastRPC library of the system"
                + ("" if called == name else f": {called}"),
                why="it belongs to the device: another copy that is loaded instead breaks every"
                " session",
                remedy="Do not ship it: programs use the library of the device.",
            )
