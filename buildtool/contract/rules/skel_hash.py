"""A skel has a SYSV hash table.

DSP loaders use it to look up symbols.  For v75 and newer, vendors also ship
skels with a GNU hash table only.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from buildtool.contract.finding import Finding, Rule
from buildtool.contract.subject import Subject

RULE = Rule("skel-hash", __doc__, code="skel")
GNU_IS_ENOUGH = 0x75
"""The oldest arch, as in e_flags, whose loaders read GNU hash tables: onnxruntime-qnn 2.7.0 has
such a skel for v75."""


def check(subject: Subject) -> Iterator[Finding]:
    for path, _, elf in subject.skels():
        if elf.kind != "DYN" or "DT_HASH" in elf.dynamic_tags:
            continue
        gnu = "DT_GNU_HASH" in elf.dynamic_tags
        if gnu and elf.flags & 0x3FF >= GNU_IS_ENOUGH:
            continue
        yield (RULE.warning if gnu else RULE.error)(
            path,
            f"{posixpath.basename(path)} has no SYSV hash table, which DSP loaders use to look"
            " up symbols",
            why="loaders that do not read its GNU hash table find no symbol of the skel"
            if gnu
            else "without it no symbol of the skel is found, not even its entry",
            remedy="Link with -Wl,--hash-style=sysv, as the hexagon profile does.",
        )
