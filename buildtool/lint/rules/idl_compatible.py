"""A change that breaks an interface has a newer IDL_VERSION.

Methods are called by their number, and arguments have no names. A program with the stub of the
last release calls another method, or passes other data. With IDL_VERSION, a skel that is older than
the program is refused when it is opened, with 0x80000594. A newer skel is not: keep the methods of
the last release as they are, and append new ones.
"""

from __future__ import annotations

from collections.abc import Iterator

from buildtool.lint.changes import changes, needed_version, version_numbers
from buildtool.lint.finding import LintFinding, LintRule
from buildtool.lint.interfaces import place
from buildtool.lint.subject import Subject

RULE = LintRule(
    "idl-compatible",
    __doc__,
    source=("docs/idl.md", "qualcomm/fastrpc inc/AEEStdErr.h"),
    remedy="Append methods and keep the others, or raise IDL_VERSION.",
    condition="idl-mismatch",
    language="idl",
    wrong="""\
#include "remote.idl"
const string IDL_VERSION = "1.0.0";
interface calc : remote_handle64 {
    long product(in sequence<long> values, rout long result);
    long sum(in sequence<long> values, rout long result);
};
""",
    right="""\
#include "remote.idl"
const string IDL_VERSION = "1.1.0";
interface calc : remote_handle64 {
    long sum(in sequence<long> values, rout long result);
    long product(in sequence<long> values, rout long result);
};
""",
)


def check(subject: Subject) -> Iterator[LintFinding]:
    for interface in subject.interfaces:
        released = interface.released
        if released is None:
            continue
        found = changes(released, interface.unit)
        breaks = any(change.breaks for change in found)
        needed = needed_version(released.idl_version, breaks=breaks)
        if version_numbers(interface.unit.idl_version) >= version_numbers(needed):
            continue
        for change in found:
            if breaks and not change.breaks:
                continue
            yield RULE.at(
                place(interface, change.location),
                change.text,
                "programs and skels of the last release"
                f" ({released.idl_version or 'no version'}) and of this one do not fit together",
                f"Append methods and keep the others, or set IDL_VERSION to {needed}."
                if change.breaks
                else f"Set IDL_VERSION to {needed}.",
            )
