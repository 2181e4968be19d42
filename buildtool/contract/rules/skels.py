"""Whether the DSP loads the skels."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Sequence, Set

from buildtool.contract.finding import Finding, rule
from buildtool.contract.subject import ENTRY_ENDINGS, Subject, entries, is_program
from buildtool.core.elf.read import Elf
from buildtool.core.value import Value
from buildtool.toolchains.system_libraries import (
    chips_with_arch,
    describe_chips,
    known_shells,
    missing_names,
)

ALLOCATION = frozenset(("malloc", "calloc", "free", "realloc", "memalign"))
IN_SHELL = frozenset(("libc.so", "libgcc.so"))
"""Needed by SDK-built skels, provided by the shell."""
RUNTIME = ("libc++.so.1", "libc++abi.so.1")
NONE: Set[str] = frozenset()


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


def _loaded(subject: Subject) -> Iterator[tuple[str, str, Elf, Set[str]]]:
    """The skels; and of what a step has compiled, the libraries beside them that they need, each
    with the names that what is loaded with it exports."""
    exports: dict[str, set[str]] = {}
    for path, arch, elf in subject.skels():
        yield path, arch, elf, NONE
        together = {path: elf}
        waiting = [elf] if subject.promise.built else []
        while waiting:
            for name in waiting.pop().needed:
                place = subject.beside(path).get(name, "")
                library = subject.elves.get(place)
                if library and name not in RUNTIME and place not in together:
                    together[place] = library
                    waiting.append(library)
        names = set[str]().union(*(each.exports for each in together.values()))
        for place in together:
            exports.setdefault(place, set()).update(names)
    skels = {path for path, _, _ in subject.skels()}
    for path, arch, elf in subject.dsp():
        if path in exports and path not in skels:
            yield path, arch, elf, exports[path]


def unresolved(
    subject: Subject, path: str, arch: str, elf: Elf, given: Set[str] = NONE
) -> Unresolved:
    """The unresolved symbols of `elf`, a skel or a library, without weak references, which may be
    missing, and without those of `given`.

    They are empty if it needs a library that is not in the subject: the device may have it.
    """
    device = subject.promise.shells.get(arch)
    missing = missing_names(elf.imports - given, arch, device)
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


PAGE = 0x1000


@rule("skel-alignment", code="skel")
def skel_alignment(subject: Subject) -> Iterator[Finding]:
    """The LOAD segments of a skel are aligned to 4 KiB.

    Skels that the Hexagon SDK links are aligned so. It is not known whether every DSP loads others.
    """
    for path, _, elf in subject.skels():
        if any(alignment != PAGE for alignment in elf.load_alignments):
            yield skel_alignment.error(
                path,
                f"{posixpath.basename(path)} has segments that are not aligned to 4 KiB",
                why=f"alignments: {', '.join(hex(a) for a in elf.load_alignments)}",
                remedy="Link with -Wl,-z,max-page-size=4096, as the hexagon profile does.",
            )


GNU_IS_ENOUGH = 0x75
"""The oldest arch, as in e_flags, whose loaders read GNU hash tables: onnxruntime-qnn 2.7.0 has
such a skel for v75."""


@rule("skel-hash", code="skel")
def skel_hash(subject: Subject) -> Iterator[Finding]:
    """A skel has a SYSV hash table.

    DSP loaders use it to look up symbols.  For v75 and newer, vendors also ship
    skels with a GNU hash table only.
    """
    for path, _, elf in subject.skels():
        if elf.kind != "DYN" or "DT_HASH" in elf.dynamic_tags:
            continue
        gnu = "DT_GNU_HASH" in elf.dynamic_tags
        if gnu and elf.flags & 0x3FF >= GNU_IS_ENOUGH:
            continue
        yield (skel_hash.warning if gnu else skel_hash.error)(
            path,
            f"{posixpath.basename(path)} has no SYSV hash table, which DSP loaders use to look"
            " up symbols",
            why="loaders that do not read its GNU hash table find no symbol of the skel"
            if gnu
            else "without it no symbol of the skel is found, not even its entry",
            remedy="Link with -Wl,--hash-style=sysv, as the hexagon profile does.",
        )


@rule("wrapped-malloc", code="skel")
def wrapped_malloc(subject: Subject) -> Iterator[Finding]:
    """A skel calls malloc, calloc, free, realloc and memalign by their wrapped names.

    So does a library of the same build that it needs. No DSP shell exports the plain names: it
    exports __wrap_malloc and so on, which the linker option --wrap makes of them.
    """
    for path, arch, elf, given in _loaded(subject):
        lacking = unresolved(subject, path, arch, elf, given)
        if names := sorted(lacking.everywhere & ALLOCATION):
            yield wrapped_malloc.error(
                path,
                f"{posixpath.basename(path)} needs {', '.join(names)}, which {lacking.shell}",
                why="the DSP would not load it: error 0x80000406",
                remedy="Link with -Wl,--wrap=malloc (and calloc, free, realloc, memalign).",
            )


MAX_LISTED_NAMES = 12  # in one message; more names usually have the same cause
_PULL_REMEDY = (
    "If your device has it, build for that device: buildtool sysroot pull DEVICE, and"
    ' sysroot = "…" in the target.'
)
_INSPECT_REMEDY = (
    "If your device has it: buildtool sysroot pull DEVICE, and inspect with --sysroot NAME."
)


@rule("shell-symbols", code="skel")
def shell_symbols(subject: Subject) -> Iterator[Finding]:
    """The DSP's shell, or a library beside the skel, exports every symbol that a skel needs.

    That holds for a library of the same build that it needs, too. Otherwise the DSP does not load
    the skel: error 0x80000406. Weak references may be missing. Shells of the same arch differ: a
    symbol that only some of the known shells export is a warning. So is one that no relocation
    uses, as a loader does not look it up.
    """
    pull_remedy = _PULL_REMEDY if subject.promise.own else _INSPECT_REMEDY
    beside_program = any(is_program(elf) for _, _, elf in subject.skels())
    for path, arch, elf, given in _loaded(subject):
        lacking = unresolved(subject, path, arch, elf, given)
        name = posixpath.basename(path)
        on_device = arch in subject.promise.shells
        if everywhere := sorted(lacking.everywhere - ALLOCATION):
            others = "".join(f", nor does {library}" for library in lacking.libraries)
            yield shell_symbols.error(
                path,
                f"{name} needs {joined(everywhere)}, which {lacking.shell}{others}",
                why="the DSP would not load it: error 0x80000406\n"
                + "\n".join(_chip_lines(everywhere, known_shells().chips)),
                remedy=_OF_PROGRAMS
                if beside_program and given and _IN_PROGRAMS & set(everywhere)
                else _remedy(elf, everywhere, "" if on_device else pull_remedy),
            )
        if unused := sorted(lacking.unused):
            yield shell_symbols.warning(
                path,
                f"{name} lists {joined(unused)}, which {lacking.shell} and no relocation uses",
                why="a loader looks up only what relocations use, so it is expected to load",
                remedy="Remove what is left of it from the sources, or define it.",
            )
        if somewhere := sorted(lacking.somewhere - ALLOCATION):
            every = f"known {arch} DSP shell" if is_known(arch) else _NO_SHELL.format(arch)
            yield shell_symbols.warning(
                path,
                f"{name} may fail to load with 0x80000406: not every {every} exports what it needs",
                why="\n".join(_chip_lines(somewhere, chips_with_arch(arch))),
                remedy=f"{_weak_reference_remedy(somewhere[0])} {pull_remedy}",
            )


_IN_PROGRAMS = frozenset(("stdin", "stdout", "stderr", "__errno_location", "__assert_fail"))
_OF_PROGRAMS = (
    "Build the library as a static one: only what is linked into a program for the DSP has standard"
    " streams, errno and assert."
)
_NO_SHELL = "known DSP shell (none of {} is)"


def _weak_reference_remedy(name: str) -> str:
    return f"Declare it __attribute__((weak)) and test `if (&{name})` before the call."


def _chip_lines(names: list[str], chips: Sequence[str]) -> list[str]:
    """One line for all names that the same `chips` export."""
    places: dict[str, list[str]] = {}
    for name in names:
        places.setdefault(describe_chips(name, chips), []).append(name)
    return [f"{joined(some)}: {place}" for place, some in places.items()]


def joined(names: list[str]) -> str:
    """The first few of `names`, and how many more there are."""
    more = len(names) - MAX_LISTED_NAMES
    return ", ".join(names[:MAX_LISTED_NAMES]) + (f" and {more} more" if more > 0 else "")


def _remedy(elf: Elf, names: list[str], pull_remedy: str) -> str:
    methods = [name for name in names if name.startswith(_interfaces(elf))]
    if methods:
        return f"Define {joined(methods)}: the interface declares it, but no source defines it."
    if _IN_PROGRAMS & set(names):
        return (
            "Print with printf or FARF, and avoid errno and assert: zig's C headers (musl) have"
            " other symbols for these and for streams than the DSP's C library."
        )
    if any(name.startswith("__ubsan") for name in names):
        return "Compile with -fno-sanitize=undefined."
    if is_program(elf) and {"openat", "unlinkat"} & set(names):
        return (
            "Of std::filesystem programs for the DSP have paths only: use streams for files, and"
            " mkdir, rmdir, opendir, stat, rename and remove of the C library."
        )
    if any(name.startswith(("_Z", "__cxa", "__gxx")) for name in names):
        if is_program(elf):
            return "Link the library that defines it. A [dsp.NAME] has the C++ library."
        return (
            "C++ exceptions, RTTI and the C++ library need libc++.so.1 and libc++abi.so.1 of the"
            ' Hexagon SDK beside the skel: set dsp-toolchain = "sdk" for the target.'
        )
    elsewhere = [name for name in names if name in known_shells().names]
    if elsewhere:
        return f"{_weak_reference_remedy(elsewhere[0])} {pull_remedy}".rstrip()
    if is_program(elf):
        return (
            "Link the library that defines it, or leave the program out: with an option of its"
            " CMake project, or 'targets' of the [dsp.NAME]."
        )
    return "Link the library that defines it into the skel, or avoid it."


def _interfaces(elf: Elf) -> tuple[str, ...]:
    """The prefixes of the method names of the skel's interfaces."""
    return tuple(
        name.removesuffix(ending) + "_"
        for name in elf.exports
        for ending in ENTRY_ENDINGS
        if name.endswith(ending)
    )


@rule("cxx-runtime")
def cxx_runtime(subject: Subject) -> Iterator[Finding]:
    """The C++ runtime that a skel needs is beside it.

    From v68 on no DSP shell exports libc++ and libc++abi. Some devices have them, others do not.
    """
    for path, arch, elf in subject.dsp() if subject.whole else ():
        for name in elf.needed:
            if name in RUNTIME and name not in subject.beside(path):
                yield cxx_runtime.error(
                    path,
                    f"{posixpath.basename(path)} needs {name}, which is not beside it",
                    why="no DSP shell has the C++ runtime, and some devices have no library of it",
                    remedy=f"Ship {name} of the Hexagon SDK for {arch} in the same directory.",
                )


@rule("skel-libraries")
def skel_libraries(subject: Subject) -> Iterator[Finding]:
    """The other libraries that a skel needs are beside it.

    The DSP searches for them where it found the skel. The device may have a missing one, so that is
    a warning.
    """
    for path, _, elf in subject.dsp() if subject.whole else ():
        for name in elf.needed:
            known = name in IN_SHELL or name in RUNTIME or name in subject.promise.system_libraries
            if not known and name not in subject.beside(path):
                yield skel_libraries.warning(
                    path,
                    f"{posixpath.basename(path)} needs {name}, which is not beside it",
                    why="unless the device has that library, the DSP does not load the skel: error"
                    " 0x80000406",
                    remedy=f"Ship {name} in the same directory, or link it statically.",
                )


@rule("skel-entry", code="skel")
def skel_entry(subject: Subject) -> Iterator[Finding]:
    """A skel exports its entry: NAME_skel_handle_invoke or NAME_skel_invoke.

    FastRPC looks that function up when a program opens the skel. Without it opening fails with
    ENOSUCHSYMBOL 0x80000442.
    """
    for path, _, elf in subject.skels():
        if not entries(elf) and not is_program(elf):
            yield skel_entry.error(
                path,
                f"{posixpath.basename(path)} has no entry point",
                why="it exports neither NAME_skel_handle_invoke nor NAME_skel_invoke, so opening it"
                " on the DSP fails with ENOSUCHSYMBOL 0x80000442",
                remedy="Link the generated NAME_skel.c into it, and do not hide its symbols.",
            )
