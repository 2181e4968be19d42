"""Variables of the environment that scripts and programs set."""

from __future__ import annotations

from collections.abc import Iterator

from buildtool.lint.c_code.expressions import literal
from buildtool.lint.finding import Place
from buildtool.lint.subject import Subject


def assignments(subject: Subject) -> Iterator[tuple[str, str, Place]]:
    """Name and value, as far as it is known, of what scripts assign and of setenv with literals."""
    for assignment, place in subject.assignments:
        yield assignment.name, assignment.value, place
    for function, call in subject.calls("setenv"):
        if len(call.arguments) > 1:
            name, value = (literal(function.text(span)) for span in call.arguments[:2])
            if name and value:
                yield name, value, function.code.place(call.at)
