"""The skels of dsp/ARCH/ are compiled for that arch, and its other libraries for no newer one.

A DSP refuses code for a newer DSP. A skel for an older one loads, but it is not what was to be
shipped for this arch.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from buildtool.contract.finding import Finding, Rule
from buildtool.contract.subject import Subject
from buildtool.core.elf.machine import EM_HEXAGON
from buildtool.project.archs import arch_number

RULE = Rule("dsp-arch", __doc__, code="skel")


def check(subject: Subject) -> Iterator[Finding]:
    skels = {path for path, _, _ in subject.skels()}
    for path, elf in subject.elves.items():
        arch, name = subject.dsp_arch(path), posixpath.basename(path)
        if not arch or elf.machine != EM_HEXAGON:
            continue
        tiny = elf.hexagon_arch.endswith("t")
        why = f"the arch in its e_flags is 0x{elf.flags & 0x83FF:x}"
        if tiny:
            why += (
                ", a tiny core; linkers write this too when some of the objects are for it and"
                " others for a newer arch"
            )
        if path in skels and elf.hexagon_arch != arch:
            yield RULE.error(
                path,
                f"{name} is built for {elf.hexagon_arch}, not for {arch}",
                why=why,
                remedy="Remove -mcpu from the project's flags: the profile sets it. Of a prebuilt"
                f" file, ship one for {arch}."
                if subject.promise.own
                else f"Ship a file that is built for {arch}, or ship this one for"
                f" {elf.hexagon_arch}.",
            )
        elif tiny or arch_number(elf.hexagon_arch) > arch_number(arch):
            relation = "which is no older arch than" if tiny else "newer than"
            yield RULE.error(
                path,
                f"{name} is built for {elf.hexagon_arch}, {relation} {arch}",
                why=why,
                remedy=f"Build it for {arch} or older.",
            )
