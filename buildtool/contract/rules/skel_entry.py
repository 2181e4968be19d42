"""A skel exports its entry: NAME_skel_handle_invoke or NAME_skel_invoke.

FastRPC looks that function up when a program opens the skel. Without it opening fails with
ENOSUCHSYMBOL 0x80000442.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from buildtool.contract.finding import Finding, Rule
from buildtool.contract.subject import Subject, entries

RULE = Rule("skel-entry", __doc__, code="skel")


def check(subject: Subject) -> Iterator[Finding]:
    for path, _, elf in subject.skels():
        if not entries(elf):
            yield RULE.error(
                path,
                f"{posixpath.basename(path)} has no entry point",
                why="it exports neither NAME_skel_handle_invoke nor NAME_skel_invoke, so opening it"
                " on the DSP fails with ENOSUCHSYMBOL 0x80000442",
                remedy="Link the generated NAME_skel.c into it, and do not hide its symbols.",
            )
