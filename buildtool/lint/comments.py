"""Comments that silence a rule at one place, and the rule that finds mistakes in them.

The text of such a comment: `buildtool-lint: ignore RULE`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from buildtool.core.value import Value
from buildtool.lint.c_code.tokens import Comment
from buildtool.lint.finding import LintFinding, Place, rule

if TYPE_CHECKING:
    from buildtool.lint.subject import Subject


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


@rule(
    "lint-comment",
    source=("docs/lint.md",),
    remedy="Write: buildtool-lint: ignore RULE; `buildtool lint --list` has the rules.",
    wrong="""\
/* buildtool-lint: ignore static-maps */
""",
    right="""\
/* buildtool-lint: ignore static-map */
""",
)
def lint_comment(subject: Subject) -> Iterator[LintFinding]:
    """A comment that silences a rule names one that exists.

    A misspelled name silences nothing, and nobody notices.
    """
    from buildtool.lint.check import RULES  # noqa: PLC0415 - it imports this module

    names = [each.name for each in RULES]
    for silence in subject.silences:
        if silence.action != "ignore" or not silence.rules:
            message, close = "the comment silences nothing", ""
        elif unknown := [name for name in silence.rules if name not in names]:
            message, close = f"there is no rule {unknown[0]!r}", _closest(unknown[0], names)
        else:
            continue
        place = Place(silence.path, silence.written_in, 1)
        remedy = f"Did you mean {close}?" if close else lint_comment.remedy
        yield lint_comment.at(place, message, "so no finding is silenced here", remedy)


def _closest(name: str, names: list[str]) -> str:
    import difflib  # noqa: PLC0415 - rarely needed

    return next(iter(difflib.get_close_matches(name[:64], names, 1)), "")
