"""Which instructions of HVX are in a skel or an object."""

from __future__ import annotations

import re
from pathlib import Path

from elftools.elf.elffile import ELFFile

from buildtool.sdk.packaged_tools import usable_zig
from buildtool.toolchains.intrinsics import read_intrinsics

_FORM = re.compile(r"\((\w+), (?:0x\d\d, )?0x(\w+)u, 0x(\w+)u, \"")
_TABLE = Path(__file__).parents[1] / "emulator" / "shell" / "translate" / "forms.inc"


def hvx_instructions(file: Path) -> list[str]:
    """The instructions in the code, by the names of their intrinsics."""
    text = _TABLE.read_text(encoding="utf-8")
    forms = [(int(m[2], 16), int(m[3], 16), f"Q6_{m[1]}") for m in _FORM.finditer(text)]
    with file.open("rb") as stream:
        sections = ELFFile(stream).iter_sections()
        code = b"".join(each.data() for each in sections if each.name.startswith(".text"))
    words = [int.from_bytes(code[at : at + 4], "little") for at in range(0, len(code), 4)]
    return [name for word in words for mask, bits, name in forms if word & mask == bits]


def ieee_instructions(file: Path) -> list[str]:
    """Those with IEEE results, which HVX of v79 and newer does not have."""
    clang = read_intrinsics(usable_zig().library / "include")
    return [name for name in hvx_instructions(file) if name in clang and clang[name].is_ieee]
