"""No file has relocations in its code.

The loader would have to make the code writable: Android refuses such files, and so may the DSP.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from buildtool.contract.finding import Finding, Rule
from buildtool.contract.subject import Subject

RULE = Rule("no-text-relocations", __doc__)


def check(subject: Subject) -> Iterator[Finding]:
    for path, elf in subject.elves.items():
        if elf.text_relocations:
            yield RULE.error(
                path,
                f"{posixpath.basename(path)} has text relocations",
                why="it has DT_TEXTREL: loaders have to write into its code, which some refuse",
                remedy="Compile all of its objects with -fPIC, and link without -Wl,-z,notext.",
            )
