"""The requirements of Hexagon compiler intrinsics, read from the compilers' headers.

It also has the instructions that an assembler refuses, and what to write instead of the IEEE ones
of HVX.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from buildtool.core.value import Value
from buildtool.project.keys import has_ieee

HEADERS = ("hexagon_protos.h", "hvx_hexagon_protos.h")
MAX_BYTES = 16 << 20  # the larger one of LLVM 22 has 220 KiB
_DEFINE = re.compile(r"#define\s+(Q6_\w+)\b.*?__builtin_HEXAGON_(\w+)")
_ARCH = re.compile(r"__H(?:VX|EXAGON)_ARCH__ >= (\d+)")
_SYNTAX = re.compile(r"\s+Assembly Syntax:\s+(\S.*)")
_OPERANDS = tuple(
    (re.compile(pattern), letter)
    for pattern, letter in (
        (r"\bv\d+:\d+|\bV[a-z]{2}32", "W"),
        (r"\bv\d+|\bV[a-z]32", "V"),
        (r"\br\d+|\bR[a-z]\d+", "R"),
        (r"\bq\d|\bQ[a-z]\d", "Q"),
    )
)


class Intrinsic(Value):
    """An intrinsic."""

    name: str  # in sources
    builtin: str  # the compiler's: `V6_vadd_sf`
    condition: str  # of the preprocessor, under which the header defines it
    shape: str = ""  # of its instruction: `V.qf32=vadd(V.sf,V.sf)`

    @property
    def is_ieee(self) -> bool:
        return "__HVX_IEEE_FP__" in self.condition

    def lacks(self, arch: str) -> str:
        """The requirement that a compilation for `arch` ("v68") does not meet; "" for none."""
        needed = max(map(int, _ARCH.findall(self.condition)), default=0)
        if needed > int(arch[1:]):
            return f"needs v{needed}; this is {arch}"
        if self.is_ieee and has_ieee(arch):
            return "needs the option -mhvx-ieee-fp"
        if "__HEXAGON_AUDIO__" in self.condition:
            return "needs the audio extension, which compute DSPs do not have"
        return ""


def read_intrinsics(directory: Path) -> Mapping[str, Intrinsic]:
    """The intrinsics, by name, that the compiler's headers in `directory` define.  A missing header
    defines none."""
    found: dict[str, Intrinsic] = {}
    for header in HEADERS:
        conditions: list[str] = []
        shape = ""
        for line in _lines(directory / header):
            if line.startswith("#if"):
                conditions.append(line)
            elif line.startswith("#endif"):
                conditions = conditions[:-1]
            elif match := _SYNTAX.match(line):
                shape = shape_of(match[1])
            elif match := _DEFINE.match(line):
                found[match[1]] = Intrinsic(match[1], match[2], "\n".join(conditions), shape)
    return found


def shape_of(instruction: str) -> str:
    """An instruction without spaces and the numbers of its registers."""
    shape = "".join(instruction.split())
    for pattern, letter in _OPERANDS:
        shape = pattern.sub(letter, shape)
    return shape


def _lines(header: Path) -> list[str]:
    try:
        with header.open("rb") as stream:
            text = stream.read(MAX_BYTES).decode(errors="replace")
    except OSError:
        return []
    return text.replace("\\\n", " ").splitlines()


_INVALID = re.compile(
    r"^(.+?:\d+):\d+: error: invalid instruction\n((?:(?!.*?:\d+: error: ).*\n)*)", re.MULTILINE
)
_CARET = re.compile(r"^(.*)\n([ |]*)\^", re.MULTILINE)
"""A line and what is before the caret below it."""
_SF = r"(v\d+)\.sf,(v\d+)\.sf\)"
_HF = r"(v\d+)\.hf,(v\d+)\.hf\)"
_FORMS = tuple(
    (re.compile(pattern), instead)
    for pattern, instead in (
        (
            rf"(v\d+)\.sf=(vadd|vsub|vmpy)\({_SF}",
            r"\1.qf32 = \2(\3.sf,\4.sf), then \1.sf = \1.qf32",
        ),
        (rf"(v\d+)\.hf=(vadd|vsub)\({_HF}", r"\1.qf16 = \2(\3.hf,\4.hf), then \1.hf = \1.qf16"),
        (rf"(v\d+)\.hf=vmpy\({_HF}", r"PAIR.qf32 = vmpy(\2.hf,\3.hf), then \1.hf = PAIR.qf32"),
        (
            rf"(v(\d+):(\d+))\.sf=vmpy\({_HF}",
            r"\1.qf32 = vmpy(\4.hf,\5.hf), then v\2.sf = v\2.qf32 and v\3.sf = v\3.qf32",
        ),
        (rf"(v\d+)\.sf=vf(max|min)\({_SF}", r"\1.sf = v\2(\3.sf,\4.sf)"),
        (rf"(v\d+)\.hf=vf(max|min)\({_HF}", r"\1.hf = v\2(\3.hf,\4.hf)"),
        (r"(v\d+)\.[sh]f=vabs\((v\d+)\.[sh]f\)", r"\1 = vand(\2,MASK), all bits but the signs"),
        (r"(v\d+)\.[sh]f=vfneg\((v\d+)\.[sh]f\)", r"\1 = vxor(\2,MASK), the bits of the signs"),
        (r"(v\d+)\.w=vfmv\((v\d+)\.w\)", r"\1 = \2"),
        (r"(v\d+)\.hf=vcvt\((v\d+)\.h\)", r"\1.hf = \2.h"),
    )
)


def invalid_instructions(output: str) -> Iterator[tuple[str, str]]:
    """The instructions of an assembler's `output` that the arch does not have, each after its
    FILE:LINE.  Of a string in C the last caret is in the assembly."""
    for place, rest in _INVALID.findall(f"{output}\n"):
        if carets := _CARET.findall(rest):
            line, before = carets[-1]
            yield place, re.split(r"[;}]|//", line[len(before) :])[0].strip()


def no_ieee(instruction: str, intrinsic: str, arch: str) -> str:
    """The rest of a sentence about an IEEE instruction that `arch` does not have: what to write."""
    compact = "".join(instruction.lower().split())
    matches = ((pattern.fullmatch(compact), instead) for pattern, instead in _FORMS)
    short = next((match.expand(instead) for match, instead in matches if match), "")
    in_c = f"it in C as {intrinsic.replace('vcvt2', 'vcvt')}(), which is computed in qf"
    return f"has an IEEE result, and HVX of {arch} computes in qf only. Write " + (
        short or ("a computation in qf16" if "f8" in compact else in_c)
    )
