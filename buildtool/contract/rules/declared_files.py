"""A release has every file and link that its release.json lists.

A program or a skel that is missing is otherwise only noticed on the device.
"""

from __future__ import annotations

from collections.abc import Iterator

from buildtool.contract.finding import Finding, Rule
from buildtool.contract.subject import Subject

RULE = Rule("declared-files", __doc__)


def check(subject: Subject) -> Iterator[Finding]:
    there = {*subject.files, *subject.links}
    for path in sorted({*(subject.promise.files or ()), *subject.promise.links} - there):
        yield RULE.error(
            path,
            f"{path} is missing",
            why="the release declares it",
            remedy="Make the release again, or copy all of it.",
        )
