"""The programs and libraries of bin/ and lib/ are 64-bit ARM64 files.

Those directories are for the board's ARM64 processor, which runs nothing else.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from buildtool.contract.finding import Finding, Rule
from buildtool.contract.subject import Subject
from buildtool.core.elf.machine import EM_AARCH64, machine_name

RULE = Rule("arm64-machine", __doc__, code="host")


def check(subject: Subject) -> Iterator[Finding]:
    for path, elf in subject.elves.items():
        if subject.must_be_host(path) and (elf.machine != EM_AARCH64 or elf.bits != 64):
            yield RULE.error(
                path,
                f"{posixpath.basename(path)} is not an ARM64 file",
                why=f"its ELF machine is {elf.machine} ({machine_name(elf.machine)}, {elf.bits}"
                f" bits), ARM64's is {EM_AARCH64}",
                remedy="It was compiled for another machine: build it for the target's platform,"
                " or ship a build of it for ARM64. Skels ship in dsp/<arch>/.",
            )
