"""Whether each file is for its place: the processor and the arch, stubs and skels."""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from collections.abc import Iterator

from buildtool.contract.finding import Finding, rule
from buildtool.contract.subject import Subject
from buildtool.core.elf.machine import EM_AARCH64, EM_HEXAGON, machine_name
from buildtool.project.archs import arch_number

_LIBRARY = re.compile(r"\.so(\.\d+)*")


@rule("valid-elf", code="elf")
def valid_elf(subject: Subject) -> Iterator[Finding]:
    """Every ELF file is complete and readable.

    A file that was cut off or damaged does not load, and nothing else can be checked about it.
    """
    for path, damage in subject.damaged.items():
        yield valid_elf.error(
            path,
            f"{posixpath.basename(path)} {damage.what}",
            why=damage.why,
            remedy=damage.remedy,
        )
    for path in subject.files:
        library = _LIBRARY.search(posixpath.basename(path))
        if library and subject.dsp_arch(path) and path not in {**subject.elves, **subject.damaged}:
            yield valid_elf.error(
                path,
                f"{posixpath.basename(path)} is not an ELF file",
                why="it is where the DSP searches for libraries, and has the name of one",
                remedy="Ship the library itself, or give the file another name.",
            )


@rule("arm64-machine", code="host")
def arm64_machine(subject: Subject) -> Iterator[Finding]:
    """The programs and libraries of bin/ and lib/ are 64-bit ARM64 files.

    Those directories are for the board's ARM64 processor, which runs nothing else.
    """
    for path, elf in subject.elves.items():
        if subject.must_be_host(path) and (elf.machine != EM_AARCH64 or elf.bits != 64):
            yield arm64_machine.error(
                path,
                f"{posixpath.basename(path)} is not an ARM64 file",
                why=f"its ELF machine is {elf.machine} ({machine_name(elf.machine)}, {elf.bits}"
                f" bits), ARM64's is {EM_AARCH64}",
                remedy="It was compiled for another machine: build it for the target's platform,"
                " or ship a build of it for ARM64. Skels ship in dsp/<arch>/.",
            )


@rule("hexagon-machine", code="skel")
def hexagon_machine(subject: Subject) -> Iterator[Finding]:
    """The libraries of dsp/ARCH/ are 32-bit Hexagon shared objects.

    The DSP loads nothing else from that directory.
    """
    for path, elf in subject.elves.items():
        arch, name = subject.dsp_arch(path), posixpath.basename(path)
        if not arch:
            continue
        if elf.machine != EM_HEXAGON or elf.bits != 32:
            yield hexagon_machine.error(
                path,
                f"{name} is not a Hexagon file",
                why=f"its ELF machine is {elf.machine} ({machine_name(elf.machine)}, {elf.bits}"
                f" bits), Hexagon's is {EM_HEXAGON}",
                remedy="It was compiled for another machine: build it with a Hexagon compiler, for"
                f" example with the profile hexagon-{arch}.",
            )
        elif elf.kind != "DYN":
            yield hexagon_machine.error(
                path,
                f"{name} is not a shared object",
                why=f"its ELF type is {elf.kind}",
                remedy="Link it with -shared; in CMake: add_library(… SHARED …).",
            )


@rule("dsp-arch", code="skel")
def dsp_arch(subject: Subject) -> Iterator[Finding]:
    """The skels of dsp/ARCH/ are compiled for that arch, and its other libraries for no newer one.

    A DSP refuses code for a newer DSP. A skel for an older one loads, but it is not what was to be
    shipped for this arch.
    """
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
            yield dsp_arch.error(
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
            yield dsp_arch.error(
                path,
                f"{name} is built for {elf.hexagon_arch}, {relation} {arch}",
                why=why,
                remedy=f"Build it for {arch} or older.",
            )


@rule("idl-digest")
def idl_digest(subject: Subject) -> Iterator[Finding]:
    """A stub and the skels that it calls are generated from the same IDL.

    Otherwise calls fail with 0x8000040e or 0x80000414, or pass wrong data. Files that this
    project's IDL compiler generates carry a digest of their IDL; others are not checked.
    """
    stubs = {digest: path for path, elf in subject.host() for digest in elf.notes}
    by_arch: dict[str, set[str]] = defaultdict(set)
    different = set()
    for path, arch, elf in subject.skels():
        by_arch[arch].update(elf.notes)
        for digest in elf.notes if stubs else ():
            if digest not in stubs:
                different.add(arch)
                others = ", ".join(f"{short(d)} in {p}" for d, p in sorted(stubs.items()))
                yield idl_digest.error(
                    path,
                    f"{posixpath.basename(path)} and the stub are generated from different IDL",
                    why=f"the digest of the IDL is {short(digest)}, but {others}",
                    remedy="Build both from the same revision of the IDL file.",
                )
    called = set().union(*by_arch.values()) & stubs.keys()
    for arch, digests in by_arch.items():
        for digest in sorted(called - digests) if arch not in different else ():
            yield idl_digest.error(
                f"dsp/{arch}",
                f"dsp/{arch} has no skel for the stub in {stubs[digest]}",
                why=f"skels of other archs are generated from its IDL (digest {short(digest)})",
                remedy=f"Ship the skel for {arch}, too.",
            )


def short(digest: str) -> str:
    return digest[:16]
