"""What makes a shared object a skel that a DSP will load."""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path

from buildtool.core.elf import Elf, read_elf
from buildtool.core.elf_machine import EM_HEXAGON
from buildtool.core.errors import BuildtoolError
from buildtool.project.archs import arch_number

PAGE = 0x1000  # LOAD segments of SDK-built skels are aligned to 4 KiB
_IN_SHELL = {"libc.so", "libgcc.so"}  # needed by SDK-built skels, satisfied by the shell itself


class SkelError(BuildtoolError):
    """A file that should be a skel would not load on the DSP, or not be found there."""

    code = "skel"


@functools.cache
def shell_symbols() -> frozenset[str]:
    """Every name that DSP shells are known to provide; `shell_symbols.toml` has the sources."""
    text = (Path(__file__).parent / "shell_symbols.toml").read_text()
    groups = tomllib.loads(text)["group"]
    return frozenset(name for group in groups for name in group["names"])


def check_skel(path: Path, arch: str, beside: Iterable[Path] = ()) -> Elf:
    """Check that `path` is a skel for `arch`; returns what was read of it.

    `beside` are the files that ship with it: what it needs of libraries among them must be in
    them.  Of a library that is not among them nothing is known; the device may have it.

    Raises `SkelError` with the first thing that is wrong, `ElfError` when it is no ELF file.
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
            remedy="Make it with add_library(… SHARED …).",
        )
    if elf.flags & 0x3FF != arch_number(arch):
        raise SkelError(
            f"{path.name} is built for {elf.hexagon_arch}, not for {arch}",
            why=f"the arch in its e_flags is 0x{elf.flags & 0x3FF:x} ({path})",
            remedy="Leave -mcpu to the profile: something in the project sets its own.",
        )
    _check_loadable(elf)
    _check_names(elf, {file.name: file for file in beside})
    if not any(_is_entry(name) for name in elf.exports):
        raise SkelError(
            f"{path.name} has no entry",
            why="it exports no NAME_skel_handle_invoke and no NAME_skel_invoke, so that opening it"
            f" on the DSP gives ENOSUCHSYMBOL 0x80000442 ({path})",
            remedy="Link the generated NAME_skel.c into it, and do not hide its symbols.",
        )
    return elf


def check_library(path: Path, arch: str) -> Elf:
    """Check a library that ships beside skels, such as libc++.so.1: right machine, no newer arch.

    Raises `SkelError`, or `ElfError` when it is no ELF file.
    """
    elf = read_elf(path)
    if elf.machine != EM_HEXAGON or elf.kind != "DYN":
        raise SkelError(
            f"{path.name} is not a Hexagon shared object",
            why=f"machine {elf.machine}, type {elf.kind} ({path})",
            remedy="Only Hexagon libraries belong beside a skel.",
        )
    if elf.flags & 0x3FF > arch_number(arch):
        raise SkelError(
            f"{path.name} is built for {elf.hexagon_arch}, newer than {arch}",
            remedy=f"Build it for {arch} or older.",
        )
    return elf


def is_skel(elf: Elf) -> bool:
    """Whether the library has the entry that FastRPC calls."""
    return any(_is_entry(name) for name in elf.exports)


def _is_entry(name: str) -> bool:
    return name.endswith(("_skel_handle_invoke", "_skel_invoke"))


def _interfaces(elf: Elf) -> tuple[str, ...]:
    """What the names of the methods of the skel's interfaces begin with."""
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
            f"{name} has no SYSV hash table, which DSP loaders look names up in",
            why=str(elf.path),
            remedy="Link with -Wl,--hash-style=sysv, as the hexagon profile does.",
        )


def _check_names(elf: Elf, beside: Mapping[str, Path]) -> None:
    """Every name that the skel leaves undefined is the shell's or a needed library's."""
    unknown = elf.imports - shell_symbols()
    waiting, seen = set(elf.needed) - _IN_SHELL, set[str]()
    while unknown and waiting:
        name = waiting.pop()
        if name not in beside:
            return
        seen.add(name)
        library = read_elf(beside[name])
        unknown -= library.exports
        waiting |= set(library.needed) - _IN_SHELL - seen
    if unknown:
        libraries = f" nor {', '.join(sorted(seen))}" if seen else ""
        raise SkelError(
            f"{elf.path.name} needs {', '.join(sorted(unknown))}, which no DSP shell is known to"
            f" provide{libraries}",
            why=f"the DSP would refuse to load it with 0x80000406 ({elf.path})",
            remedy=_advice(elf, sorted(unknown)),
        )


def _advice(elf: Elf, unknown: list[str]) -> str:
    methods = [name for name in unknown if name.startswith(_interfaces(elf))]
    if methods:
        return f"Define {', '.join(methods)}: the interface declares it, no source implements it."
    if any("printf" in name or name.endswith("puts") for name in unknown):
        return "Print with FARF(ALWAYS, …) of HAP_farf.h, or format with snprintf."
    if {"malloc", "calloc", "free", "realloc", "memalign"} & set(unknown):
        return "Link with -Wl,--wrap=malloc (and calloc, free, realloc, memalign)."
    if any(name.startswith("__ubsan") for name in unknown):
        return "Compile with -fno-sanitize=undefined."
    if any(name.startswith(("_Z", "__cxa", "__gxx", "__tls", "_Unwind")) for name in unknown):
        return (
            "C++ exceptions, RTTI and the C++ library need the Hexagon SDK's runtime: set"
            ' dsp-toolchain = "sdk" for the target.'
        )
    return "Link the library that defines it into the skel, or do without it."
