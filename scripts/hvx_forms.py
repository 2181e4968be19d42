"""Write the table of HVX instructions, with which the emulated device moves and replaces packets.

LLVM's header of intrinsics names their forms.  Each is assembled with all operands 0, then with one
bit of one operand set: what differs is where that bit of the operand is.

QEMU 7.2 and 10.0 do not execute the forms with floating point: they end, or execute another one.
QEMU 7.2 also lacks integer ones of v69, and both lack one of v81.  All these are replaced.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from elftools.elf.elffile import ELFFile

from buildtool.core.value import Value
from buildtool.sdk.zig import CLANG_VERSION, usable_zig

TABLE = Path(__file__).parents[1] / "emulator" / "shell" / "translate" / "forms.inc"
ENTRY = re.compile(r"Assembly Syntax: +(\S.*?)\s*\n +C Intrinsic Prototype: \w+ Q6_(\w+)\(")
FLOAT = r"\.(?:sf|hf|qf16|qf32|bf|f8|x)\b|vilog2|vfmv"
LACKED = r"v6mpy|valign4|vasr\(Vuu|:>>16"
REPLACED = re.compile(f"{FLOAT}|{LACKED}")
UNKNOWN = {"Vd32.h=Vu32.hf:rnd", "Vd32=hi(Vss32)", "Vd32=lo(Vss32)"}  # which the assembler lacks
OPERAND = re.compile(r"(?<![A-Za-z])([VRQMP])([a-z]{1,2})(32|8|4|2)(?![0-9])")
IMMEDIATE = re.compile(r"#u(\d)")
CPU = "hexagonv81+hvxv81+hvx_length128b+hvx_qfloat+hvx_ieee_fp"
PARSE = 0xC000  # bits that tell where a packet ends


class Field(Value):
    """Where an instruction names a register: `at` is the lowest bit of the number."""

    kind: str  # V, W (a pair), Q, R, or R8 (of r0 to r7)
    access: str  # READ, WRITE or BOTH
    at: int


class Form(Value):
    """An instruction: a word is one if `word & mask == bits`."""

    mask: int
    bits: int
    syntax: str
    name: str
    fields: tuple[Field, ...]

    def row(self) -> str:
        macro = "REPLACED" if REPLACED.search(self.syntax) else "EXECUTED"
        fields = ", ".join(f"{field.kind}_{field.access}({field.at})" for field in self.fields)
        text = OPERAND.sub(r"\1\2", self.syntax)
        return f'{macro}({self.name}, 0x{self.mask:08x}u, 0x{self.bits:08x}u, "{text}", {fields})'


def forms() -> list[Form]:
    zig = usable_zig()
    header = (zig.library / "include" / "hvx_hexagon_protos.h").read_text(encoding="utf-8")
    names = {
        variant: variant_name
        for syntax, name in ENTRY.findall(header)
        if "vmem" not in syntax and "V" in syntax and syntax not in UNKNOWN
        for variant, variant_name in _forms_of(syntax, name)
    }
    rows = [(syntax, bit, text) for syntax in names for bit, text in _variants(syntax)]
    packets = _assembled([text for *_, text in rows], zig.where)
    words: dict[str, dict[Bit, int]] = {}
    for (syntax, bit, _), packet in zip(rows, packets, strict=True):
        if len(packet) == 1:  # not one that the assembler makes of two others
            words.setdefault(syntax, {})[bit] = packet[0] & ~PARSE
    found = [_form(syntax, names[syntax], bits) for syntax, bits in words.items()]
    return sorted(filter(None, found), key=lambda form: (form.bits, form.mask))


def _forms_of(syntax: str, name: str) -> Iterator[tuple[str, str]]:
    """One for each value of a constant, if the instruction is replaced: a function has one."""
    constant = IMMEDIATE.search(syntax) if REPLACED.search(syntax) else None
    if constant is None:
        yield syntax, name
        return
    for value in range(1 << int(constant[1])):
        yield syntax.replace(constant[0], f"#{value}"), f"{name}_{value}"


Bit = tuple[str, int]  # an operand, and which bit of it
NO_BIT = ("", 0)


def _variants(syntax: str) -> Iterator[tuple[Bit, str]]:
    """The instruction with all operands 0, then with each bit of each operand set."""
    yield NO_BIT, _spelled(syntax, {})
    for kind, name, size in dict.fromkeys(OPERAND.findall(syntax)):
        for bit in range(len(name) - 1, int(size).bit_length() - 1):
            yield (kind + name, bit), _spelled(syntax, {kind + name: 1 << bit})
    for size in IMMEDIATE.findall(syntax):
        for bit in range(int(size)):
            yield ("#", bit), _spelled(syntax, {"#": 1 << bit})


def _spelled(syntax: str, numbers: dict[str, int]) -> str:
    def register(match: re.Match[str]) -> str:
        kind, name, _ = match.groups()
        number = numbers.get(kind + name, 0)
        pair = f"{number + 1}:" if len(name) == 2 else ""
        return f"{kind.lower()}{pair}{number}"

    return IMMEDIATE.sub(f"#{numbers.get('#', 0)}", OPERAND.sub(register, syntax))


def _form(syntax: str, name: str, words: dict[Bit, int]) -> Form | None:
    """None for another name of an instruction: setting a bit changes several."""
    bits = words.pop(NO_BIT)
    mask = 0xFFFFFFFF & ~PARSE
    places: dict[str, int] = {}
    for (operand, bit), word in words.items():
        changed = word ^ bits
        if changed.bit_count() != 1:
            return None
        mask &= ~changed
        places.setdefault(operand, changed.bit_length() - 1 - bit)
    fields = (_field(syntax, operand, at) for operand, at in places.items() if operand[0] in "VQR")
    return Form(mask, bits, syntax, name, tuple(fields))


def _field(syntax: str, operand: str, at: int) -> Field:
    kind = "W" if operand[0] == "V" and len(operand) == 3 else operand[0]
    conditional = syntax.startswith("if")
    if f"{operand}8" in syntax and kind == "R":
        kind = "R8"
    access = {"d": "BOTH" if conditional else "WRITE", "x": "BOTH", "y": "BOTH", "e": "BOTH"}
    return Field(kind, access.get(operand[1], "READ") if operand[0] != "R" else "READ", at)


def _assembled(instructions: list[str], zig: Path) -> list[list[int]]:
    """The words of packets of one instruction each."""
    with tempfile.TemporaryDirectory() as folder:
        source, output = Path(folder, "forms.s"), Path(folder, "forms.o")
        source.write_text("".join(f"{{ {text} }}\n" for text in instructions), encoding="utf-8")
        target = ["-target", "hexagon-linux-musl", f"-mcpu={CPU}"]
        subprocess.run([zig, "cc", *target, "-c", source, "-o", output], check=True)
        with output.open("rb") as stream:
            section: Any = ELFFile(stream).get_section_by_name(".text")
            text: bytes = section.data()
    packets: list[list[int]] = [[]]
    for at in range(0, len(text), 4):
        word = int.from_bytes(text[at : at + 4], "little")
        packets[-1].append(word)
        if word & PARSE in {0, PARSE}:
            packets.append([])
    return packets[: len(instructions)]


def table() -> str:
    head = f"/* Written by scripts/hvx_forms.py with LLVM {CLANG_VERSION}. */\n"
    return head + "".join(f"{form.row()}\n" for form in forms())


if __name__ == "__main__":
    Path(sys.argv[1] if sys.argv[1:] else TABLE).write_text(table(), encoding="utf-8")
