"""A release has a file of every component that ships something, for each of its archs.

A component whose files are missing is otherwise only noticed on the device.
"""

from __future__ import annotations

from collections.abc import Iterator

from buildtool.contract.finding import Finding, Rule
from buildtool.contract.subject import Subject

RULE = Rule("declared-components", __doc__)


def check(subject: Subject) -> Iterator[Finding]:
    files = subject.promise.files or {}
    shipped = {promised.step for path, promised in files.items() if path in subject.files}
    for step in subject.promise.steps:
        if step.name not in shipped:
            kind = "skel" if step.arch else "host"
            yield RULE.error(
                "",
                f"the component {step.component} has no file in the release"
                + (f" for {step.arch}" if step.arch else ""),
                why=f"the step {step.name} ships nothing",
                remedy=f"Install its programs and libraries, or name them in the artifacts of"
                f" [{kind}.{step.component}].",
            )
