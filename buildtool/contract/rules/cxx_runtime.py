"""The C++ runtime that a skel needs is beside it.

From v68 on no DSP shell exports libc++ and libc++abi. Some devices have them, others do not.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from buildtool.contract.finding import Finding, Rule
from buildtool.contract.subject import Subject

RULE = Rule("cxx-runtime", __doc__)
RUNTIME = ("libc++.so.1", "libc++abi.so.1")


def check(subject: Subject) -> Iterator[Finding]:
    for path, arch, elf in subject.dsp() if subject.whole else ():
        for name in elf.needed:
            if name in RUNTIME and name not in subject.beside(path):
                yield RULE.error(
                    path,
                    f"{posixpath.basename(path)} needs {name}, which is not beside it",
                    why="no DSP shell has the C++ runtime, and some devices have no library of it",
                    remedy=f"Ship {name} of the Hexagon SDK for {arch} in the same directory.",
                )
