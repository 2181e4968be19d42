"""A skel calls malloc, calloc, free, realloc and memalign by their wrapped names.

No DSP shell exports the plain names: it exports __wrap_malloc and so on, which the linker option
--wrap makes of them.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from buildtool.contract.finding import Finding, Rule
from buildtool.contract.shell_symbols import ALLOCATION, unresolved
from buildtool.contract.subject import Subject

RULE = Rule("wrapped-malloc", __doc__, code="skel")


def check(subject: Subject) -> Iterator[Finding]:
    for path, arch, elf in subject.skels():
        lacking = unresolved(subject, path, arch, elf)
        if names := sorted(lacking.everywhere & ALLOCATION):
            yield RULE.error(
                path,
                f"{posixpath.basename(path)} needs {', '.join(names)}, which {lacking.shell}",
                why="the DSP would not load it: error 0x80000406",
                remedy="Link with -Wl,--wrap=malloc (and calloc, free, realloc, memalign).",
            )
