"""zig's names of ARM64 processors: `-march=armv8.2-a+dotprod` is `-mcpu=generic+v8_2a+dotprod`.

zig treats -march, -mcpu and -mtune as one option, of which the last counts, and uses LLVM's names
of processors and features, with `_` for `-` and `.`.  With a translated flag zig's clang defines
the same macros as plain clang with the original flag; tests compare them.
Source: LLVM's AArch64Features.td and AArch64TargetParser.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from buildtool.core.value import Value
from buildtool.toolchains.unsupported import UnsupportedFeature

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


_OTHER_COMPILERS = 'toolchain = "gcc" or "clang" in the target'
