"""The libraries of dsp/ARCH/ are 32-bit Hexagon shared objects.

The DSP loads nothing else from that directory.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from buildtool.contract.finding import Finding, Rule
from buildtool.contract.subject import Subject
from buildtool.core.elf.machine import EM_HEXAGON, machine_name

RULE = Rule("hexagon-machine", __doc__, code="skel")


def check(subject: Subject) -> Iterator[Finding]:
    for path, elf in subject.elves.items():
        arch, name = subject.dsp_arch(path), posixpath.basename(path)
        if not arch:
            continue
        if elf.machine != EM_HEXAGON or elf.bits != 32:
            yield RULE.error(
                path,
                f"{name} is not a Hexagon file",
                why=f"its ELF machine is {elf.machine} ({machine_name(elf.machine)}, {elf.bits}"
                f" bits), Hexagon's is {EM_HEXAGON}",
                remedy="It was compiled for another machine: build it with a Hexagon compiler, for"
                f" example with the profile hexagon-{arch}.",
            )
        elif elf.kind != "DYN":
            yield RULE.error(
                path,
                f"{name} is not a shared object",
                why=f"its ELF type is {elf.kind}",
                remedy="Link it with -shared; in CMake: add_library(… SHARED …).",
            )
