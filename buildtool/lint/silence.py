"""Comments that silence a rule at one place: `buildtool-lint: ignore RULE`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from buildtool.core.value import Value
from buildtool.lint.c_code.tokens import Comment
from buildtool.lint.finding import LintFinding, Place

MARKER = "buildtool-lint:"
_COMMENT = r"\bbuildtool-lint:[ \t]*(\w*)[ \t]*([\w\-, \t]*)"


class Silence(Value):
    """The rules that a comment silences in line `line` of a file; `written_in` is its own line."""

    path: str
    line: int
    rules: tuple[str, ...]
    written_in: int
    action: str


def silences(path: str, comments: Iterable[Comment]) -> Sequence[Silence]:
    """A comment after code is for its line, one alone in its lines for the next line."""
    found = []
    for comment in comments:
        if MARKER not in comment.text:
            continue
        for match in re.finditer(_COMMENT, comment.text):
            line = comment.last_line + 1 if comment.alone else comment.first_line
            rules = tuple(match[2].replace(",", " ").split())
            found.append(Silence(path, line, rules, comment.first_line, match[1]))
    return found


def without_silenced(
    findings: Iterable[LintFinding], silenced: Iterable[Silence]
) -> list[LintFinding]:
    """The findings that no comment silences."""
    places = {(each.path, each.line, rule) for each in silenced for rule in each.rules}
    return [f for f in findings if (f.place.path, f.place.line, f.rule) not in places]


def place_of(silence: Silence) -> Place:
    return Place(silence.path, silence.written_in, 1)
