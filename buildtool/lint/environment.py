"""Variables of the environment that scripts and programs set."""

from __future__ import annotations

from collections.abc import Iterator

from buildtool.lint.c_code.expressions import literal
from buildtool.lint.finding import Place
from buildtool.lint.shell import Assignment
from buildtool.lint.subject import Subject

PROGRAM = "program"
"""Where an assignment is that `setenv` makes."""


def assignments(subject: Subject) -> Iterator[tuple[Assignment, Place]]:
    """What scripts assign, and setenv with literals."""
    yield from subject.assignments
    for function, call in subject.calls("setenv"):
        if len(call.arguments) > 1:
            name, value = (literal(function.text(span)) for span in call.arguments[:2])
            if name and value:
                yield Assignment(name, value, 0, PROGRAM), function.code.place(call.at)
