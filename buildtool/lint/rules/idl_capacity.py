"""A method that fills a sequence without knowing its size says how much of it is filled.

The length of a `rout` sequence is its capacity. It is sent to the DSP, and not back: the caller
cannot tell the elements that were written from those that were not.
"""

from __future__ import annotations

from collections.abc import Iterator

from buildtool.idl.layout.types import strip_typedefs
from buildtool.idl.model import Direction, Sequence
from buildtool.lint.finding import LintFinding, LintRule
from buildtool.lint.interfaces import methods, place
from buildtool.lint.subject import Subject

RULE = LintRule(
    "idl-capacity",
    __doc__,
    source=("docs/idl.md",),
    remedy="Add a parameter with the number of elements: rout long count.",
    language="idl",
    wrong="""\
interface journal {
    long read_entries(rout sequence<octet> entries);
};
""",
    right="""\
interface journal {
    long read_entries(rout sequence<octet> entries, rout long count);
};
""",
)


def check(subject: Subject) -> Iterator[LintFinding]:
    for interface, method in methods(subject):
        sequences = [
            each
            for each in method.parameters
            if each.direction is Direction.ROUT and isinstance(strip_typedefs(each.type), Sequence)
        ]
        # With any other parameter the number of elements may follow from that.
        if sequences and len(sequences) == len(method.parameters):
            yield RULE.at(
                place(interface, sequences[0].location),
                f"{method.name} fills `{sequences[0].name}` and does not say how far",
                "the caller gets its own capacity back, not the number of elements",
            )
