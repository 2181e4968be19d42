"""No file asks for an executable stack.

It makes attacks easier, and newer systems refuse to load such a file.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from buildtool.contract.finding import Finding, Rule
from buildtool.contract.subject import Subject

RULE = Rule("no-executable-stack", __doc__)
_EXECUTABLE = 1  # PF_X


def check(subject: Subject) -> Iterator[Finding]:
    for path, elf in subject.elves.items():
        if elf.stack_flags is not None and elf.stack_flags & _EXECUTABLE:
            yield RULE.error(
                path,
                f"{posixpath.basename(path)} asks for an executable stack",
                why="its segment PT_GNU_STACK is executable",
                remedy="Link it with -Wl,-z,noexecstack; assembly sources need the section"
                " .note.GNU-stack.",
            )
