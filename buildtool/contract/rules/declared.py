"""What the target declares of its files: steps, names, machines, archs and IDL."""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from buildtool.contract.finding import WARNING, Finding, rule
from buildtool.contract.subject import PromisedFile, Subject
from buildtool.core.elf.file import EM_AARCH64, EM_HEXAGON, machine_name
from buildtool.core.files import file_digest
from buildtool.project.keys import arch_number


@rule("declared-files")
def declared_files(subject: Subject) -> Iterator[Finding]:
    """A release has every file and link that its release.json lists.

    A program or a skel that is missing is otherwise only noticed on the device.
    """
    there = {*subject.files, *subject.links}
    for path in sorted({*(subject.promise.files or ()), *subject.promise.links} - there):
        yield declared_files.error(
            path,
            f"{path} is missing",
            why="the release declares it",
            remedy="Make the release again, or copy all of it.",
        )


@rule("no-undeclared-files")
def no_undeclared_files(subject: Subject) -> Iterator[Finding]:
    """A release has no file and no link that its release.json does not list.

    Somebody added it after the release was made, and nothing is known about it.
    """
    if subject.promise.files is None:
        return
    declared = {*subject.promise.files, *subject.promise.links}
    for path in sorted({*subject.files, *subject.links, *subject.special} - declared):
        yield no_undeclared_files.error(
            path,
            f"{path} is not part of the release",
            why="the release does not declare it",
            remedy="Remove it; to ship it, install it in a component.",
        )


@rule("declared-contents")
def declared_contents(subject: Subject) -> Iterator[Finding]:
    """The files and links of a release are as its release.json lists them: digest, size and mode.

    Otherwise a file was damaged or changed after the release was made.
    """
    for path, promised in sorted((subject.promise.files or {}).items()):
        if path in subject.files:
            why = _difference(subject.files[path], promised)
        elif path in subject.links:
            why = f"it is a link to {subject.links[path]}, not a file"
        else:
            continue
        if why:
            yield _other_contents(path, why)
    for path, target in sorted(subject.promise.links.items()):
        if path in subject.files:
            yield _other_contents(path, f"it is a file, not a link to {target}")
        elif path in subject.links and subject.links[path] != target:
            yield _other_contents(path, f"it is a link to {subject.links[path]}, not to {target}")


def _difference(file: Path, promised: PromisedFile) -> str:
    """The difference between `file` and the list, "" if there is none."""
    try:
        status = file.stat()
        if status.st_size != promised.size:
            return f"it has {status.st_size:,} bytes, not {promised.size:,}"
        if (digest := file_digest(file)) != promised.sha256:
            return f"its sha256 is {digest}, not {promised.sha256}"
    except OSError as error:
        return f"it cannot be read: {error.strerror}"
    mode = f"{status.st_mode & 0o7777:04o}"
    return "" if mode == promised.mode else f"its mode is {mode}, not {promised.mode}"


def _other_contents(path: str, why: str) -> Finding:
    return declared_contents.error(
        path,
        f"{path} is not as the release lists it",
        why=why,
        remedy="Make the release again, or copy it again.",
    )


@rule("declared-components")
def declared_components(subject: Subject) -> Iterator[Finding]:
    """A release has a file of every component that ships something, for each of its archs.

    A component whose files are missing is otherwise only noticed on the device.
    """
    files = subject.promise.files or {}
    shipped = {promised.step for path, promised in files.items() if path in subject.files}
    for step in subject.promise.steps:
        if step.name not in shipped:
            kind = "skel" if step.arch else "host"
            yield declared_components.error(
                "",
                f"the component {step.component} has no file in the release"
                + (f" for {step.arch}" if step.arch else ""),
                why=f"the step {step.name} ships nothing",
                remedy=f"Install its programs and libraries, or name them in the artifacts of"
                f" [{kind}.{step.component}].",
            )


@rule("declared-archs")
def declared_archs(subject: Subject) -> Iterator[Finding]:
    """A release has skels for each DSP arch of its target, and for no other arch.

    Without a skel for its arch a device cannot open a session; a skel that nobody declared was
    never tested.
    """
    if subject.promise.archs is None:
        return
    declared = set(subject.promise.archs)
    skels = {subject.dsp_arch(path) for path, _, _ in subject.skels()}
    damaged = {subject.dsp_arch(path) for path in subject.damaged}
    for arch in sorted(declared - skels - damaged):
        yield declared_archs.error(
            f"dsp/{arch}",
            f"dsp/{arch} has no skel",
            why=f"the target is for {arch}, too",
            remedy=f"Build the skels for {arch}, or remove it from the archs of the target.",
        )
    for arch in sorted({subject.dsp_arch(path) for path in subject.files} - declared - {""}):
        yield declared_archs.error(
            f"dsp/{arch}",
            f"dsp/{arch} is for an arch that the target does not have",
            why=f"the archs of the target: {', '.join(subject.promise.archs) or 'none'}",
            remedy=f"Remove dsp/{arch}, or add {arch} to the archs of the target.",
        )


@rule("plain-files", foreign=WARNING)
def plain_files(subject: Subject) -> Iterator[Finding]:
    """A release has files, and links to files of the release, only.

    A device, socket or pipe cannot be shipped. A link that leads nowhere or out of the release
    means something else on each device.
    """
    for path in subject.special:
        yield plain_files.error(
            path,
            f"{posixpath.basename(path)} is neither a file nor a link",
            why="it is a device, a socket or a pipe",
            remedy="Remove it.",
        )
    for path, target in subject.links.items():
        if path not in subject.places:
            yield plain_files.error(
                path,
                f"{posixpath.basename(path)} is a link to {target}, which is not in the release",
                why="it leads to nothing, or to a file of the device",
                remedy="Ship the file that it should point to, with a relative link.",
            )


_USUALLY_EMPTY = ("__init__.py", "py.typed")  # of Python packages


@rule("no-empty-files", foreign=WARNING)
def no_empty_files(subject: Subject) -> Iterator[Finding]:
    """No file is empty.

    An empty file is usually the result of a copy or a link step that failed.
    """
    for path, file in subject.files.items():
        name = posixpath.basename(path)
        if name not in _USUALLY_EMPTY and file.stat().st_size == 0:
            yield no_empty_files.error(
                path,
                f"{name} is empty",
                why="it has no bytes: something that should have written it failed",
                remedy="Build it again, or do not ship it.",
            )


_LIBRARY = re.compile(r"\.so(\.\d+)*")


@rule("valid-elf", code="elf")
def valid_elf(subject: Subject) -> Iterator[Finding]:
    """Every ELF file is complete and readable.

    A file that was cut off or damaged does not load, and nothing else can be checked about it.
    """
    for path, damage in subject.damaged.items():
        yield valid_elf.error(
            path, f"{posixpath.basename(path)} {damage.what}", why=damage.why, remedy=damage.remedy
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
