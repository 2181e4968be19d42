"""Flags that zig does not take as other compilers do: of processors, and of the linker.

zig treats -march, -mcpu and -mtune as one option, of which the last counts, and uses LLVM's names
of processors and features, with `_` for `-` and `.`: `-march=armv8.2-a+dotprod` is
`-mcpu=generic+v8_2a+dotprod`.  With a translated flag zig's clang defines the same macros as plain
clang with the original flag; tests compare them.
Source: LLVM's AArch64Features.td and AArch64TargetParser.

zig passes no unknown argument on to its linker.  The table cmake/zig_linker.tsv has those that were
tried; a test compares it with zig.  cmake/zig_link.sh leaves some of them out of links.

Features that a profile cannot compile are recognised by a flag or by the compiler's messages.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from buildtool import _data
from buildtool.core.value import Value

if TYPE_CHECKING:
    from typing import Protocol

    class UnsupportedRule(Protocol):
        """Something that a profile cannot compile."""

        def broken_by(self, flags: Sequence[str]) -> UnsupportedFeature | None:
            """The unsupported feature that a compile command with `flags` requests, if any."""

        def reported_in(self, output: str) -> UnsupportedFeature | None:
            """The unsupported feature that a failed compiler's `output` is about, if any."""


class UnsupportedFeature(Value):
    """A feature that a profile does not support."""

    flag: str  # requests it
    negation: str  # cancels the request if it is later
    # Parts of those of the compiler about a source that uses it without the flag
    messages: tuple[str, ...]
    reason: str
    remedy: str
    in_skels: bool = False  # only skels lack the feature; programs for the DSP have it

    def broken_by(self, flags: Sequence[str]) -> UnsupportedFeature | None:
        if not self.flag:  # messages only
            return None
        relevant = [flag for flag in flags if _is_flag(flag, self.flag) or flag == self.negation]
        return self if relevant and relevant[-1] != self.negation else None

    def reported_in(self, output: str) -> UnsupportedFeature | None:
        return self if any(words in output for words in self.messages) else None


CXX_MODULES = UnsupportedFeature(
    "",
    "",
    # CMake wraps its lines, so these are words of them; the last is a compiler's.
    messages=("cmake-cxxmodules(7)", '"CXX_MODULE_STD"', "error: module '"),
    reason="C++ modules need a scanner of the compiler's own version (clang-scan-deps), which no"
    " profile has; one of this machine is never used",
    remedy="Build it with headers: many projects have an option that switches modules off. In its"
    " CMake files, replace FILE_SET … TYPE CXX_MODULES, CXX_MODULE_STD, `import` and"
    " CXX_SCAN_FOR_MODULES ON.",
)
"""What clang profiles do not support."""


def find_unsupported(
    rules: Iterable[UnsupportedRule], flags: Sequence[str]
) -> UnsupportedFeature | None:
    """The first unsupported feature that a compile command with `flags` requests.

    Of a flag and its negation the last one counts.
    """
    return next(filter(None, (rule.broken_by(flags) for rule in rules)), None)


def explain_failure(rules: Iterable[UnsupportedRule], output: str) -> str:
    """Why a compiler failed and what to do, if its `output` is about one of `rules`; else ""."""
    reported = [feature for rule in rules if (feature := rule.reported_in(output))]
    return " ".join(f"{feature.reason[0].upper()}{feature.reason[1:]}." for feature in reported) + (
        f" {reported[0].remedy}" if reported else ""
    )


def _is_flag(flag: str, wanted: str) -> bool:
    """`-mhmx` is also written `-mhmx=v73`."""
    return flag == wanted or flag.startswith(f"{wanted}=")


_OTHER_COMPILERS = 'toolchain = "gcc" or "clang" in the target'
_OPTION = r"-m(arch|cpu|tune)=(\S+)"  # strings: most builds never compile these patterns
_ARCH = r"armv(8|9)(?:\.(\d))?-a"
_CPU = r"(cortex|neoverse|apple|exynos|oryon|cobalt)-[a-z0-9-]+"
_FEATURES: Mapping[str, tuple[str, ...]] = {
    **{
        name: (name,)
        for name in (
            *("aes", "bf16", "crc", "dotprod", "flagm", "fp16fml", "i8mm", "lse", "predres", "ras"),
            *("rcpc", "rdm", "sb", "sha2", "sha3", "sm4", "ssbs"),
        )
    },
    "memtag": ("mte",),
    "profile": ("spe",),
    "rdma": ("rdm",),
    "rng": ("rand",),
}
_TO_8_3 = {"crypto": ("aes", "sha2"), "fp16": ("fullfp16",), "sve": ("sve",), "sve2": ("sve2",)}
_FROM_9 = {**_TO_8_3, "crypto": ("aes", "sha2", "sha3", "sm4")}
_FROM_8_4 = {name: (*words, "fp16fml") for name, words in _FROM_9.items()}
_FROM_8_4["crypto"] = _FROM_9["crypto"]


def zig_cpu_flag(flag: str) -> str:
    """zig's equivalent of a -march= or -mcpu= flag of clang and gcc; "" if there is none."""
    option = re.fullmatch(_OPTION, flag)
    if not option:
        return ""
    base, *extensions = option[2].split("+")
    if arch := re.fullmatch(_ARCH, base):
        major, minor = arch[1], arch[2] or "0"
        name = f"generic+v{major}{'' if minor == '0' else f'_{minor}'}a"
        words = {
            **_FEATURES,
            **(_FROM_9 if major == "9" else _FROM_8_4 if minor >= "4" else _TO_8_3),
        }
    elif option[1] == "cpu" and re.fullmatch(_CPU, base):
        name, words = base.replace("-", "_"), dict(_FEATURES)
    else:
        return ""
    if not set(extensions) <= set(words):
        return ""
    features = dict.fromkeys(word for extension in extensions for word in words[extension])
    return "-mcpu=" + "+".join([name, *features])


class ZigCpuRule(Value):
    """The rule that flags must use zig's names of processors."""

    def broken_by(self, flags: Sequence[str]) -> UnsupportedFeature | None:
        processor_flags = [flag for flag in flags if re.fullmatch(_OPTION, flag)]
        return _unsupported(processor_flags[-1]) if processor_flags else None

    def reported_in(self, output: str) -> UnsupportedFeature | None:
        if "unknown CPU" not in output:
            return None
        processor_flags = [found[0] for found in re.finditer(_OPTION, output)]
        return next(filter(None, map(_unsupported, reversed(processor_flags))), None)


def _unsupported(flag: str) -> UnsupportedFeature | None:
    """The unsupported feature of `flag`, the last flag that names a processor, if any."""
    if flag.startswith("-mtune="):
        return UnsupportedFeature(
            flag,
            "",
            (),
            reason="zig treats -mtune as -mcpu: the code would run on that processor only",
            remedy=f"Remove {flag}, or use another compiler: {_OTHER_COMPILERS}.",
        )
    name = flag.partition("=")[2].partition("+")[0]
    if not re.fullmatch(_ARCH, name) and not re.fullmatch(_CPU, name):
        return None
    same = zig_cpu_flag(flag)
    return UnsupportedFeature(
        flag,
        "",
        (),
        reason="zig has its own names for processors and their features",
        remedy=f"Write {same}, which means the same to zig, or use another compiler:"
        f" {_OTHER_COMPILERS}."
        if same
        else f"Use another compiler: {_OTHER_COMPILERS}.",
    )


TABLE = "zig_linker.tsv"
DROPPED = "dropped"
_REASON = "zig's linker does not have it"
_REFUSED = r"unsupported linker (?:arg|extension flag): (\S+(?: \S+)?)"


class LinkerRow(Value):
    """A row of the table: an argument of the linker or of the compiler driver, or a library."""

    kind: str  # `linker`, `driver` or `library`
    argument: str
    effect: str  # `dropped` or `refused`
    takes_value: bool  # the next argument belongs to it if it has no `=`
    remedy: str


@functools.cache
def linker_rows() -> dict[tuple[str, str], LinkerRow]:
    """The table by kind and argument; the keyword of `-z` follows a comma."""
    text = (_data.path("cmake") / TABLE).read_text(encoding="utf-8")
    rows = (line.split("\t") for line in text.splitlines() if not line.startswith("#"))
    return {
        (kind, argument): LinkerRow(kind, argument, effect, form == "value", remedy)
        for kind, argument, effect, form, remedy in rows
    }


def linker_arguments(flags: Sequence[str]) -> Iterator[str]:
    """The arguments of the linker among `flags`; `-z` has its keyword after a comma."""
    words: list[str] = []
    for before, flag in zip(("", *flags), flags, strict=False):
        if flag.startswith("-Wl,"):
            words += flag.split(",")[1:]
        elif before in ("-Xlinker", "-z") or flag == "-z":
            words.append(flag)
    rest = iter(words)
    for word in rest:
        yield f"-z,{next(rest, '')}" if word == "-z" else word


class ZigLinkerRule(Value):
    """The rule that links must not need what zig's linker does not have."""

    other: str = f"use another compiler: {_OTHER_COMPILERS}"

    def broken_by(self, flags: Sequence[str]) -> UnsupportedFeature | None:
        return next((self._refusal(row) for row in _found(flags) if row.effect != DROPPED), None)

    def reported_in(self, output: str) -> UnsupportedFeature | None:
        argument = re.search(_REFUSED, output)
        if not argument:
            return None
        name = argument[1].replace("-z ", "-z,").split(" ", maxsplit=1)[0]
        row = linker_rows().get(("linker", name))
        return self._refusal(
            row or LinkerRow("linker", name, "refused", takes_value=False, remedy="-")
        )

    def _refusal(self, row: LinkerRow) -> UnsupportedFeature:
        own = f"Remove {_text(row)}" if row.remedy == "-" else row.remedy
        return UnsupportedFeature(
            _text(row),
            "",
            (),
            reason="zig does not have this library" if row.kind == "library" else _REASON,
            remedy=f"{own}, or {self.other}.",
        )


def left_out(flags: Sequence[str]) -> list[str]:
    """The arguments among `flags` that links leave out."""
    return [_text(row) for row in _found(flags) if row.effect == DROPPED]


def _found(flags: Sequence[str]) -> Iterator[LinkerRow]:
    rows = linker_rows()
    words = [("linker", argument) for argument in linker_arguments(flags)]
    words += [("driver", flag) for flag in flags]
    words += [
        ("library", flag) for flag in flags if flag.startswith("-l") and _is_missing(flag, flags)
    ]
    for kind, word in words:
        if row := rows.get((kind, word)) or rows.get((kind, word.partition("=")[0])):
            yield row


def _is_missing(library: str, flags: Sequence[str]) -> bool:
    """Whether no directory of -L among `flags` has a library."""
    names = [f"lib{library[2:]}{ending}" for ending in (".so", ".a")]
    folders = [Path(flag[2:]) for flag in flags if flag.startswith("-L") and len(flag) > 2]
    return not any((folder / name).exists() for folder in folders for name in names)


def _text(row: LinkerRow) -> str:
    return row.argument if row.kind != "linker" else f"-Wl,{row.argument}"
