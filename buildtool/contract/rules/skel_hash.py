"""A skel has a SYSV hash table.

DSP loaders use it to look up symbols.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from buildtool.contract.finding import Finding, Rule
from buildtool.contract.subject import Subject

RULE = Rule("skel-hash", __doc__, code="skel")


def check(subject: Subject) -> Iterator[Finding]:
    for path, _, elf in subject.skels():
        if elf.kind == "DYN" and "DT_HASH" not in elf.dynamic_tags:
            yield RULE.error(
                path,
                f"{posixpath.basename(path)} has no SYSV hash table, which DSP loaders use to look"
                " up symbols",
                why="without it no symbol of the skel is found, not even its entry",
                remedy="Link with -Wl,--hash-style=sysv, as the hexagon profile does.",
            )
