"""The DSP's shell, or a library beside the skel, exports every symbol that a skel needs.

Otherwise the DSP does not load the skel: error 0x80000406. Weak references may be missing. Shells
of the same arch differ: a symbol that only some of the known shells export is a warning. So is one
that no relocation uses, as a loader does not look it up.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Sequence

from buildtool.contract.finding import Finding, Rule
from buildtool.contract.shell_symbols import ALLOCATION, is_known, unresolved
from buildtool.contract.subject import ENTRY_ENDINGS, Subject
from buildtool.core.elf.read import Elf
from buildtool.toolchains.dsp_shells import chips_with_arch, describe_chips, known_shells

RULE = Rule("shell-symbols", __doc__, code="skel")
MAX_LISTED_NAMES = 12  # in one message; more names usually have the same cause
_PULL_REMEDY = (
    "If your device has it, build for that device: buildtool sysroot pull DEVICE, and"
    ' sysroot = "…" in the target.'
)
_INSPECT_REMEDY = (
    "If your device has it: buildtool sysroot pull DEVICE, and inspect with --sysroot NAME."
)


def check(subject: Subject) -> Iterator[Finding]:
    pull_remedy = _PULL_REMEDY if subject.promise.own else _INSPECT_REMEDY
    for path, arch, elf in subject.skels():
        lacking = unresolved(subject, path, arch, elf)
        name = posixpath.basename(path)
        on_device = arch in subject.promise.shells
        if everywhere := sorted(lacking.everywhere - ALLOCATION):
            others = "".join(f", nor does {library}" for library in lacking.libraries)
            yield RULE.error(
                path,
                f"{name} needs {joined(everywhere)}, which {lacking.shell}{others}",
                why="the DSP would not load it: error 0x80000406\n"
                + "\n".join(_chip_lines(everywhere, known_shells().chips)),
                remedy=_remedy(elf, everywhere, "" if on_device else pull_remedy),
            )
        if unused := sorted(lacking.unused):
            yield RULE.warning(
                path,
                f"{name} lists {joined(unused)}, which {lacking.shell} and no relocation uses",
                why="a loader looks up only what relocations use, so it is expected to load",
                remedy="Remove what is left of it from the sources, or define it.",
            )
        if somewhere := sorted(lacking.somewhere - ALLOCATION):
            every = f"known {arch} DSP shell" if is_known(arch) else _NO_SHELL.format(arch)
            yield RULE.warning(
                path,
                f"{name} may fail to load with 0x80000406: not every {every} exports what it needs",
                why="\n".join(_chip_lines(somewhere, chips_with_arch(arch))),
                remedy=f"{_weak_reference_remedy(somewhere[0])} {pull_remedy}",
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
    if {"stdin", "stdout", "stderr", "__errno_location", "__assert_fail"} & set(names):
        return (
            "Print with printf or FARF, and avoid errno and assert: zig's C headers (musl) have"
            " other symbols for these and for streams than the DSP's C library."
        )
    if any(name.startswith("__ubsan") for name in names):
        return "Compile with -fno-sanitize=undefined."
    if any(name.startswith(("_Z", "__cxa", "__gxx")) for name in names):
        return (
            "C++ exceptions, RTTI and the C++ library need libc++.so.1 and libc++abi.so.1 of the"
            ' Hexagon SDK beside the skel: set dsp-toolchain = "sdk" for the target.'
        )
    elsewhere = [name for name in names if name in known_shells().names]
    if elsewhere:
        return f"{_weak_reference_remedy(elsewhere[0])} {pull_remedy}".rstrip()
    return "Link the library that defines it into the skel, or avoid it."


def _interfaces(elf: Elf) -> tuple[str, ...]:
    """The prefixes of the method names of the skel's interfaces."""
    return tuple(
        name.removesuffix(ending) + "_"
        for name in elf.exports
        for ending in ENTRY_ENDINGS
        if name.endswith(ending)
    )
