"""A release has files, and links to files of the release, only.

A device, socket or pipe cannot be shipped. A link that leads nowhere or out of the release means
something else on each device.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from buildtool.contract.finding import Finding, Rule
from buildtool.contract.subject import Subject

RULE = Rule("plain-files", __doc__)


def check(subject: Subject) -> Iterator[Finding]:
    report = RULE.error if subject.is_release else RULE.warning
    for path in subject.special:
        yield report(
            path,
            f"{posixpath.basename(path)} is neither a file nor a link",
            why="it is a device, a socket or a pipe",
            remedy="Remove it.",
        )
    for path, target in subject.links.items():
        if path not in subject.places:
            yield report(
                path,
                f"{posixpath.basename(path)} is a link to {target}, which is not in the release",
                why="it leads to nothing, or to a file of the device",
                remedy="Ship the file that it should point to, with a relative link.",
            )
