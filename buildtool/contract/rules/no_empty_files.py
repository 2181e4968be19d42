"""No file is empty.

An empty file is usually the result of a copy or a link step that failed.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from buildtool.contract.finding import Finding, Rule
from buildtool.contract.subject import Subject

RULE = Rule("no-empty-files", __doc__)
_USUALLY_EMPTY = ("__init__.py", "py.typed")  # of Python packages


def check(subject: Subject) -> Iterator[Finding]:
    report = RULE.error if subject.is_release else RULE.warning
    for path, file in subject.files.items():
        name = posixpath.basename(path)
        if name not in _USUALLY_EMPTY and file.stat().st_size == 0:
            yield report(
                path,
                f"{name} is empty",
                why="it has no bytes: something that should have written it failed",
                remedy="Build it again, or do not ship it.",
            )
