"""Every ELF file is complete and readable.

A file that was cut off or damaged does not load, and nothing else can be checked about it.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator

from buildtool.contract.finding import Finding, Rule
from buildtool.contract.subject import Subject

RULE = Rule("valid-elf", __doc__, code="elf")
_LIBRARY = re.compile(r"\.so(\.\d+)*")


def check(subject: Subject) -> Iterator[Finding]:
    for path, damage in subject.damaged.items():
        yield RULE.error(
            path,
            f"{posixpath.basename(path)} {damage.what}",
            why=damage.why,
            remedy=damage.remedy,
        )
    for path in subject.files:
        library = _LIBRARY.search(posixpath.basename(path))
        if library and subject.dsp_arch(path) and path not in {**subject.elves, **subject.damaged}:
            yield RULE.error(
                path,
                f"{posixpath.basename(path)} is not an ELF file",
                why="it is where the DSP searches for libraries, and has the name of one",
                remedy="Ship the library itself, or give the file another name.",
            )
