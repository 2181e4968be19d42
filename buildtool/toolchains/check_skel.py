"""Checks that a shared object is a skel that a DSP loads."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from buildtool.core.elf import Elf, read_elf
from buildtool.core.elf_machine import EM_HEXAGON
from buildtool.core.errors import BuildtoolError
from buildtool.project.archs import arch_number
from buildtool.toolchains.dsp_shells import (
    DeviceShell,
    chips_with_arch,
    describe_chips,
    known_shells,
    missing_names,
)

PAGE = 0x1000  # SDK-built skels have LOAD segments aligned to 4 KiB
MAX_LISTED_NAMES = 12  # in one message; more names usually have the same cause
_PULL_REMEDY = (
    "If your device has it, build for that device: buildtool sysroot pull DEVICE, and"
    ' sysroot = "…" in the target.'
)
_IN_SHELL = {"libc.so", "libgcc.so"}  # needed by SDK-built skels, provided by the shell


class SkelError(BuildtoolError):
    """A file that should be a skel would not load on the DSP, or would not be found."""

    code = "skel"


def check_skel(
    path: Path,
    arch: str,
    beside: Iterable[Path] = (),
    *,
    device: DeviceShell | None = None,
    warn: Callable[[str], None] = lambda _: None,
) -> Elf:
    """Check that `path` is a skel for `arch`; returns its ELF data.

    `beside` are the files that ship with it: symbols that it needs from libraries among them must
    be defined there.  A needed library that is not among them may exist on the device.  Other
    undefined symbols must be exported by the shell of `device`, or by default by the shells of all
    known chips of the arch; `warn` is called for symbols that only some of these export.  Weak
    references may be missing.

    Raises `SkelError` for the first problem, `ElfError` if it is not an ELF file.
    """
    elf = read_elf(path)
    if elf.machine != EM_HEXAGON or elf.bits != 32:
        raise SkelError(
            f"{path.name} is not a Hexagon file",
            why=f"its ELF machine is {elf.machine}, Hexagon's is {EM_HEXAGON} ({path})",
            remedy="Build it with the hexagon profile: it was compiled for another machine.",
        )
    if elf.kind != "DYN":
        raise SkelError(
            f"{path.name} is not a shared object",
            why=f"its ELF type is {elf.kind} ({path})",
            remedy="Build it with add_library(… SHARED …).",
        )
    if elf.flags & 0x3FF != arch_number(arch):
        raise SkelError(
            f"{path.name} is built for {elf.hexagon_arch}, not for {arch}",
            why=f"the arch in its e_flags is 0x{elf.flags & 0x3FF:x} ({path})",
            remedy="Remove -mcpu from the project's flags: the profile sets it.",
        )
    _check_loadable(elf)
    check_names(elf, arch, {file.name: file for file in beside}, device, warn)
    if not any(_is_entry(name) for name in elf.exports):
        raise SkelError(
            f"{path.name} has no entry point",
            why="it exports neither NAME_skel_handle_invoke nor NAME_skel_invoke, so opening it on"
            f" the DSP fails with ENOSUCHSYMBOL 0x80000442 ({path})",
            remedy="Link the generated NAME_skel.c into it, and do not hide its symbols.",
        )
    return elf


def check_library(path: Path, arch: str) -> Elf:
    """Check the machine and the arch of a library that ships beside skels, such as libc++.so.1.

    Raises `SkelError`, or `ElfError` if it is not an ELF file.
    """
    elf = read_elf(path)
    if elf.machine != EM_HEXAGON or elf.kind != "DYN":
        raise SkelError(
            f"{path.name} is not a Hexagon shared object",
            why=f"machine {elf.machine}, type {elf.kind} ({path})",
            remedy="Ship only Hexagon libraries beside a skel.",
        )
    if elf.flags & 0x3FF > arch_number(arch):
        raise SkelError(
            f"{path.name} is built for {elf.hexagon_arch}, newer than {arch}",
            remedy=f"Build it for {arch} or older.",
        )
    return elf


def is_skel(elf: Elf) -> bool:
    """Whether the library has the entry point that FastRPC calls."""
    return any(_is_entry(name) for name in elf.exports)


def _is_entry(name: str) -> bool:
    return name.endswith(("_skel_handle_invoke", "_skel_invoke"))


def _interfaces(elf: Elf) -> tuple[str, ...]:
    """The prefixes of the method names of the skel's interfaces."""
    return tuple(
        name.removesuffix(ending) + "_"
        for name in elf.exports
        for ending in ("_skel_handle_invoke", "_skel_invoke")
        if name.endswith(ending)
    )


def _check_loadable(elf: Elf) -> None:
    name = elf.path.name
    if any(alignment != PAGE for alignment in elf.load_alignments):
        raise SkelError(
            f"{name} has segments that are not aligned to 4 KiB",
            why=f"alignments: {', '.join(hex(a) for a in elf.load_alignments)} ({elf.path})",
            remedy="Link with -Wl,-z,max-page-size=4096, as the hexagon profile does.",
        )
    if "DT_HASH" not in elf.dynamic_tags:
        raise SkelError(
            f"{name} has no SYSV hash table, which DSP loaders use to look up symbols",
            why=str(elf.path),
            remedy="Link with -Wl,--hash-style=sysv, as the hexagon profile does.",
        )


def check_names(
    elf: Elf,
    arch: str,
    beside: Mapping[str, Path],
    device: DeviceShell | None,
    warn: Callable[[str], None],
) -> None:
    """Check that the shell or a needed library exports every undefined symbol of the skel.

    Arguments and errors are those of `check_skel`; `beside` has the files by name.
    """
    missing = missing_names(elf.imports, arch, device)
    unknown = missing.everywhere | missing.somewhere
    waiting, seen = set(elf.needed) - _IN_SHELL, set[str]()
    while unknown and waiting:
        name = waiting.pop()
        if name not in beside:
            return
        seen.add(name)
        library = read_elf(beside[name])
        unknown -= library.exports
        waiting |= set(library.needed) - _IN_SHELL - seen
    chips = chips_with_arch(arch)
    known = all(chip.startswith(f"{arch} ") for chip in chips)
    if missing_everywhere := sorted(unknown & missing.everywhere):
        lacking = f"no known {arch} DSP shell exports" if known else "no known DSP shell exports"
        if device:
            lacking = f"the DSP shell of the device {device.device!r} does not export"
        others = "".join(f", nor does {name}" for name in sorted(seen))
        raise SkelError(
            f"{elf.path.name} needs {_joined_names(missing_everywhere)}, which {lacking}{others}",
            why=f"the DSP would not load it: error 0x80000406 ({elf.path})\n"
            + "\n".join(_chip_lines(missing_everywhere, known_shells().chips)),
            remedy=_missing_names_remedy(elf, missing_everywhere, device),
        )
    if missing_somewhere := sorted(unknown & missing.somewhere):
        every = f"known {arch} DSP shell" if known else f"known DSP shell (none of {arch} is)"
        lines = [
            f"{elf.path.name} may fail to load with 0x80000406: not every {every} exports what"
            " it needs",
            *_chip_lines(missing_somewhere, chips),
            f"→ {_weak_symbol_remedy(missing_somewhere[0])} {_PULL_REMEDY}",
        ]
        warn("\n  ".join(lines))


def _chip_lines(names: list[str], chips: Sequence[str]) -> list[str]:
    """One line for all names that the same `chips` export."""
    places: dict[str, list[str]] = {}
    for name in names:
        places.setdefault(describe_chips(name, chips), []).append(name)
    return [f"{_joined_names(some)}: {place}" for place, some in places.items()]


def _joined_names(names: list[str]) -> str:
    more = len(names) - MAX_LISTED_NAMES
    return ", ".join(names[:MAX_LISTED_NAMES]) + (f" and {more} more" if more > 0 else "")


def _missing_names_remedy(elf: Elf, names: list[str], device: DeviceShell | None) -> str:
    methods = [name for name in names if name.startswith(_interfaces(elf))]
    if methods:
        return (
            f"Define {_joined_names(methods)}: the interface declares it, but no source defines it."
        )
    if {"malloc", "calloc", "free", "realloc", "memalign"} & set(names):
        return "Link with -Wl,--wrap=malloc (and calloc, free, realloc, memalign)."
    if {"stdin", "stdout", "stderr", "__errno_location", "__assert_fail"} & set(names):
        return (
            "Print with printf or FARF, and avoid errno and assert: zig's C headers (musl) have"
            " other symbols for these and for streams than the DSP's C library."
        )
    if any(name.startswith("__ubsan") for name in names):
        return "Compile with -fno-sanitize=undefined."
    if any(name.startswith(("_Z", "__cxa", "__gxx", "__tls", "_Unwind")) for name in names):
        return (
            "C++ exceptions, RTTI and the C++ library need the Hexagon SDK's runtime: set"
            ' dsp-toolchain = "sdk" for the target.'
        )
    elsewhere = [name for name in names if name in known_shells().names]
    if elsewhere:
        return _weak_symbol_remedy(elsewhere[0]) + ("" if device else f" {_PULL_REMEDY}")
    return "Link the library that defines it into the skel, or avoid it."


def _weak_symbol_remedy(name: str) -> str:
    return f"Declare it __attribute__((weak)) and test `if (&{name})` before the call."
