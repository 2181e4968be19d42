"""A skel has a SYSV hash table.

DSP loaders use it to look up symbols.  Skels with a GNU hash table only exist too.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from buildtool.contract.finding import Finding, Rule
from buildtool.contract.subject import Subject

RULE = Rule("skel-hash", __doc__, code="skel")


def check(subject: Subject) -> Iterator[Finding]:
    for path, _, elf in subject.skels():
        if elf.kind != "DYN" or "DT_HASH" in elf.dynamic_tags:
            continue
        gnu = "DT_GNU_HASH" in elf.dynamic_tags
        yield (RULE.warning if gnu else RULE.error)(
            path,
            f"{posixpath.basename(path)} has no SYSV hash table, which DSP loaders use to look"
            " up symbols",
            why="loaders that do not read its GNU hash table find no symbol of the skel"
            if gnu
            else "without it no symbol of the skel is found, not even its entry",
            remedy="Link with -Wl,--hash-style=sysv, as the hexagon profile does.",
        )
