"""Every ELF file is stripped of its symbol table and debug information.

Devices do not need them. They are large, and contain paths and names of the sources.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from buildtool.contract.finding import Finding, Rule
from buildtool.contract.subject import Subject

RULE = Rule("stripped", __doc__)


def check(subject: Subject) -> Iterator[Finding]:
    report = RULE.error if subject.is_release else RULE.warning
    for path, elf in subject.elves.items():
        if elf.debug_sections and elf.kind in ("DYN", "EXEC"):
            yield report(
                path,
                f"{posixpath.basename(path)} is not stripped",
                why=f"it has the sections {', '.join(elf.debug_sections)}",
                remedy="Strip it with the strip or objcopy of its toolchain, for example"
                " llvm-strip FILE.",
            )
