"""The symbols of a skel that neither the DSP's shell nor a library beside the skel exports."""

from __future__ import annotations

from buildtool.contract.subject import Subject
from buildtool.core.elf.read import Elf
from buildtool.core.value import Value
from buildtool.toolchains.dsp_shells import chips_with_arch, missing_names

ALLOCATION = frozenset(("malloc", "calloc", "free", "realloc", "memalign"))
IN_SHELL = frozenset(("libc.so", "libgcc.so"))
"""Needed by SDK-built skels, provided by the shell."""


class Unresolved(Value):
    """Symbols that shells lack `everywhere`, or `somewhere`: on some chips of the arch. They lack
    those of `unused` everywhere too, but no relocation of the skel uses them.

    `shell` says which shells these are: "no known v68 DSP shell exports", or that of a device;
    `libraries` are the names of the libraries that were also searched.
    """

    everywhere: frozenset[str]
    somewhere: frozenset[str]
    unused: frozenset[str]
    shell: str
    libraries: tuple[str, ...]


def unresolved(subject: Subject, path: str, arch: str, elf: Elf) -> Unresolved:
    """The unresolved symbols of the skel `elf`, without weak references, which may be missing.

    They are empty if the skel needs a library that is not in the subject: the device may have it.
    """
    device = subject.promise.shells.get(arch)
    missing = missing_names(elf.imports, arch, device)
    unknown = missing.everywhere | missing.somewhere
    waiting, seen = set(elf.needed) - IN_SHELL, set[str]()
    while unknown and waiting:
        name = waiting.pop()
        library = subject.elves.get(subject.beside(path).get(name, ""))
        if not library:
            return Unresolved(frozenset(), frozenset(), frozenset(), "", ())
        seen.add(name)
        unknown -= library.exports
        waiting |= set(library.needed) - IN_SHELL - seen
    shell = f"no known {arch} DSP shell exports" if is_known(arch) else "no known DSP shell exports"
    if device:
        shell = f"the DSP shell of the device {device.device!r} does not export"
    used = unknown - elf.unused_imports
    return Unresolved(
        used & missing.everywhere,
        used & missing.somewhere,
        unknown & missing.everywhere & elf.unused_imports,
        shell,
        tuple(sorted(seen)),
    )


def is_known(arch: str) -> bool:
    """Whether the shell of a chip with this arch is known."""
    return all(chip.startswith(f"{arch} ") for chip in chips_with_arch(arch))
