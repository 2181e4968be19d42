"""The LOAD segments of a skel are aligned to 4 KiB.

Skels that the Hexagon SDK links are aligned so. It is not known whether every DSP loads others.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from buildtool.contract.finding import Finding, Rule
from buildtool.contract.subject import Subject

RULE = Rule("skel-alignment", __doc__, code="skel")
PAGE = 0x1000


def check(subject: Subject) -> Iterator[Finding]:
    for path, _, elf in subject.skels():
        if any(alignment != PAGE for alignment in elf.load_alignments):
            yield RULE.error(
                path,
                f"{posixpath.basename(path)} has segments that are not aligned to 4 KiB",
                why=f"alignments: {', '.join(hex(a) for a in elf.load_alignments)}",
                remedy="Link with -Wl,-z,max-page-size=4096, as the hexagon profile does.",
            )
