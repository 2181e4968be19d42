"""A release has no file and no link that its release.json does not list.

Somebody added it after the release was made, and nothing is known about it.
"""

from __future__ import annotations

from collections.abc import Iterator

from buildtool.contract.finding import Finding, Rule
from buildtool.contract.subject import Subject

RULE = Rule("no-undeclared-files", __doc__)


def check(subject: Subject) -> Iterator[Finding]:
    if subject.promise.files is None:
        return
    declared = {*subject.promise.files, *subject.promise.links}
    for path in sorted({*subject.files, *subject.links, *subject.special} - declared):
        yield RULE.error(
            path,
            f"{path} is not part of the release",
            why="the release does not declare it",
            remedy="Remove it; to ship it, install it in a component.",
        )
