"""A comment that silences a rule names one that exists.

A misspelled name silences nothing, and nobody notices.
"""

from __future__ import annotations

from collections.abc import Iterator

from buildtool.lint.finding import LintFinding, LintRule
from buildtool.lint.silence import place_of
from buildtool.lint.subject import Subject

RULE = LintRule(
    "lint-comment",
    __doc__,
    source=("docs/lint.md",),
    remedy="Write: buildtool-lint: ignore RULE; `buildtool lint --list` has the rules.",
    wrong="""\
/* buildtool-lint: ignore static-maps */
""",
    right="""\
/* buildtool-lint: ignore static-map */
""",
)


def check(subject: Subject) -> Iterator[LintFinding]:
    from buildtool.lint.check import RULES  # noqa: PLC0415 - it imports this module

    names = [module.RULE.name for module in RULES]
    for silence in subject.silences:
        if silence.action != "ignore" or not silence.rules:
            message, close = "the comment silences nothing", ""
        elif unknown := [name for name in silence.rules if name not in names]:
            message, close = f"there is no rule {unknown[0]!r}", _closest(unknown[0], names)
        else:
            continue
        remedy = f"Did you mean {close}?" if close else RULE.remedy
        yield RULE.at(place_of(silence), message, "so no finding is silenced here", remedy)


def _closest(name: str, names: list[str]) -> str:
    import difflib  # noqa: PLC0415 - only for mistakes

    return next(iter(difflib.get_close_matches(name[:64], names, 1)), "")
