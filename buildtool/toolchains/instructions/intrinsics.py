"""The requirements of Hexagon compiler intrinsics, read from the compilers' headers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from buildtool.core.value import Value
from buildtool.project.archs import has_ieee

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
    """An intrinsic: its `name` in sources, the compiler's `builtin` (`V6_vadd_sf`), the
    preprocessor `condition` under which the header defines it, and the `shape` of its instruction
    (`V.qf32=vadd(V.sf,V.sf)`)."""

    name: str
    builtin: str
    condition: str
    shape: str = ""

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
