"""Write the tables of HVX instructions: one with which the emulated device moves and replaces
packets, one with which finished skels are checked.

LLVM's header of intrinsics names their forms.  Each is assembled with all operands 0, then with one
bit of one operand set: what differs is where that bit of the operand is.

QEMU 7.2 and 10.0 do not execute the forms with floating point: they end, or execute another one.
QEMU 7.2 also lacks integer ones of v69, and both lack one of v81.  All these are replaced.
"""

from __future__ import annotations

import itertools
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from elftools.elf.elffile import ELFFile

from buildtool.core.value import Value
from buildtool.sdk.packaged_tools import CLANG_VERSION, usable_zig

ROOT = Path(__file__).parents[1]
TABLE = ROOT / "emulator" / "shell" / "translate" / "forms.inc"
CHECKED = ROOT / "buildtool" / "toolchains" / "hvx_forms.tsv"
ENTRY = re.compile(r"Assembly Syntax: +(\S.*?)\s*\n +C Intrinsic Prototype: \w+ Q6_(\w+)\(")
FLOAT = r"\.(?:sf|hf|qf16|qf32|bf|f8|x)\b|vilog2|vfmv"
LACKED = r"v6mpy|valign4|vasr\(Vuu|:>>16"
REPLACED = re.compile(f"{FLOAT}|{LACKED}")
WITHOUT_INTRINSIC = {
    "vshuff(Vy32,Vx32,Rt32)": "vshuff",
    "vdeal(Vy32,Vx32,Rt32)": "vdeal",
    "if (Ps4) Vd32=Vu32": "vcmov",
    "if (!Ps4) Vd32=Vu32": "vncmov",
    "if (Ps4) Vdd32=vcombine(Vu32,Vv32)": "vccombine",
    "if (!Ps4) Vdd32=vcombine(Vu32,Vv32)": "vnccombine",
}
TEMPORARY = ("Vd32.tmp=Vu32", "Vdd32.tmp=vcombine(Vu32,Vv32)")
PREDICATES = (  # those that name no vector: what is in no table may write any vector
    *("Qd4=vsetq(Rt32)", "Qd4=vsetq2(Rt32)", "Qd4=not(Qs4)", "Qd4=xor(Qs4,Qt4)"),
    *("Qd4=and(Qs4,Qt4)", "Qd4=and(Qs4,!Qt4)", "Qd4=or(Qs4,Qt4)", "Qd4=or(Qs4,!Qt4)"),
    *("Qd4.b=vshuffe(Qs4.h,Qt4.h)", "Qd4.h=vshuffe(Qs4.w,Qt4.w)"),
)
UNKNOWN = {"Vd32=hi(Vss32)", "Vd32=lo(Vss32)"}  # which the assembler lacks
EMITTED = {"Vd32.h=Vu32.hf:rnd": 0x1E0620C0}
"""What the compiler emits and the assembler lacks: all operands 0, Vd at bit 0, Vu at bit 8."""
OPERAND = re.compile(r"(?<![A-Za-z])([VRQMP])([a-z]{1,2})(32|8|4|2)(?![0-9])")
IMMEDIATE = re.compile(r"#[us](\d)")
ARCHS = (68, 69, 71, 73, 75, 79, 81)
FEATURES = "+hvx_length128b+hvx_qfloat"
IEEE = "+hvx_ieee_fp"
CPU = f"hexagonv81+hvxv81{FEATURES}{IEEE}"
PARSE = 0xC000  # bits that tell where a packet ends
PRODUCER = "; v1=v2"  # of a new value that is stored
TYPES = r"sf|hf|bf|f8|qf32|qf16|x"
EXTENDED = {"qf32", "qf16", "x"}


class Field(Value):
    """Where an instruction names a register: `at` is the lowest bit of the number."""

    kind: str  # V, W (a pair), VX or WX (with the extension bits of qf), Q, R, or R8 (of r0 to r7)
    access: str  # READ, WRITE or BOTH
    at: int
    operand: str  # its name and its type, if that is one of floating point


class Form(Value):
    """An instruction: a word is one if `word & mask == bits`."""

    mask: int
    bits: int
    syntax: str
    name: str
    fields: tuple[Field, ...]

    def row(self, first: int, *, ieee: bool) -> str:
        """`first`: the first arch that has it, `ieee`: only those with the IEEE option.

        QEMU executes forms that all archs have, so their rows leave it out.
        """
        replaced = ieee or REPLACED.search(self.syntax)
        macro = "IEEE" if ieee else "REPLACED" if replaced else "EXECUTED"
        assert replaced or first == ARCHS[0], self.syntax
        since = f", 0x{first}" if replaced else ""
        fields = ", ".join(f"{field.kind}_{field.access}({field.at})" for field in self.fields)
        text = OPERAND.sub(r"\1\2", self.syntax)
        words = f"0x{self.mask:08x}u, 0x{self.bits:08x}u"
        return f'{macro}({self.name}{since}, {words}, "{text}", {fields})'

    def checked_row(self, first: int) -> str:
        fields = " ".join(f"{field.operand}:{field.at}" for field in self.fields)
        text = OPERAND.sub(r"\1\2", self.syntax).replace("Os8", "Os")
        return f"{self.mask:08x}\t{self.bits:08x}\t{first}\t{text}\t{fields}"


def forms() -> list[Form]:
    header = (usable_zig().library / "include" / "hvx_hexagon_protos.h").read_text(encoding="utf-8")
    names = {
        variant: variant_name
        for syntax, name in ENTRY.findall(header)
        if "vmem" not in syntax and "V" in syntax and syntax not in UNKNOWN
        for variant, variant_name in _forms_of(syntax, name)
    }
    emitted = [
        Form(~(31 | 31 << 8) & ~PARSE & 0xFFFFFFFF, bits, syntax, names.pop(syntax), fields)
        for syntax, bits in EMITTED.items()
        for fields in [(_field(syntax, "Vd", 0), _field(syntax, "Vu", 8))]
    ]
    return _sorted([*_encoded(names | WITHOUT_INTRINSIC), *emitted])


def _memory_forms() -> Iterator[str]:
    """The loads and stores of vectors."""
    for hint, at in itertools.product(("", ":nt"), ("Rt32+#s4", "Rx32++#s3", "Rx32++Mu2")):
        for condition, kind in itertools.product(
            ("", "if (Pv4) ", "if (!Pv4) "), ("", ".cur", ".tmp")
        ):
            yield f"{condition}Vd32{kind}=vmem({at}){hint}"
        for condition in ("", "if (Pv4) ", "if (!Pv4) ", "if (Qv4) ", "if (!Qv4) "):
            yield f"{condition}vmem({at}){hint}=Vs32"
            if "Q" not in condition:
                yield f"{condition}vmem({at}){hint}=Os8.new"
        if not hint:
            yield f"Vd32=vmemu({at})"
            for condition in ("", "if (Pv4) ", "if (!Pv4) "):
                yield f"{condition}vmemu({at})=Vs32"


def _encoded(names: dict[str, str]) -> list[Form]:
    zig = usable_zig()
    rows = [(syntax, bit, text) for syntax in names for bit, text in _variants(syntax)]
    packets = _assembled([text for *_, text in rows], zig.where)
    words: dict[str, dict[Bit, int]] = {}
    for (syntax, bit, text), packet in zip(rows, packets, strict=True):
        if len(packet) == 1 + text.count(PRODUCER):  # not one that the assembler makes of others
            words.setdefault(syntax, {})[bit] = packet[-1] & ~PARSE
    found = [_form(syntax, names[syntax], bits) for syntax, bits in words.items()]
    return _sorted(filter(None, found))


def _sorted(found: Iterable[Form]) -> list[Form]:
    return sorted(found, key=lambda form: (form.bits, form.mask))


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
            sign = -1 if f"#s{bit + 1}" in syntax else 1
            yield ("#", bit), _spelled(syntax, {"#": sign << bit})


def _spelled(syntax: str, numbers: dict[str, int]) -> str:
    def register(match: re.Match[str]) -> str:
        kind, name, _ = match.groups()
        number = numbers.get(kind + name, 0)
        if name == "x" and "Vy" in syntax:
            number ^= 31  # both are written, and must be two registers
        pair = f"{number + 1}:" if len(name) == 2 else ""
        return f"{kind.lower()}{pair}{number}"

    text = IMMEDIATE.sub(f"#{numbers.get('#', 0)}", OPERAND.sub(register, syntax))
    return text.replace("Os8", "v1") + (PRODUCER if "Os8" in text else "")


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
    fields = [_field(syntax, operand, at) for operand, at in places.items() if operand[0] in "VQR"]
    if "Os8" in syntax:
        mask &= ~7
        fields.append(Field("O", "READ", 0, "Os"))
    return Form(mask, bits & mask, syntax, name, tuple(fields))


def _field(syntax: str, operand: str, at: int) -> Field:
    kind = "W" if operand[0] == "V" and len(operand) == 3 else operand[0]
    conditional = syntax.startswith("if")
    if f"{operand}8" in syntax and kind == "R":
        kind = "R8"
    kinds = re.search(rf"{operand}\d*\.({TYPES})\b", syntax)
    typed = operand + (f".{kinds[1]}" if kinds else "")
    kept = "vmerge" in syntax and operand == "Vd"  # the result has the extension bits of Vu
    if (kinds and kinds[1] in EXTENDED) or kept:
        kind += "X"
    access = {"d": "BOTH" if conditional else "WRITE", "x": "BOTH", "y": "BOTH", "e": "BOTH"}
    return Field(kind, access.get(operand[1], "READ") if operand[0] != "R" else "READ", at, typed)


def _first_archs(found: list[Form]) -> dict[str, int]:
    """The first arch that has each form: the assembler refuses it for those before."""
    refused = Counter(n for arch in ARCHS for n in _refused(found, arch, FEATURES + IEEE))
    last = len(ARCHS) - 1
    return {form.syntax: ARCHS[min(refused[n], last)] for n, form in enumerate(found)}


def _refused(found: list[Form], arch: int, features: str) -> set[int]:
    """The numbers of the forms that the assembler refuses."""
    lines = "".join(f"{{ {_spelled(form.syntax, {})} }}\n" for form in found)
    flags = ["-target", "hexagon-linux-musl", f"-mcpu=hexagonv{arch}+hvxv{arch}{features}"]
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "forms.s")
        source.write_text(lines, encoding="utf-8")
        command = [str(usable_zig().where), "cc", *flags, "-c", str(source), "-o", f"{source}.o"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    return {int(line) - 1 for line in re.findall(r":(\d+):\d+: error", done.stderr)}


def _assembled(instructions: list[str], zig: Path) -> list[list[int]]:
    """The words of packets of one instruction each."""
    with tempfile.TemporaryDirectory() as folder:
        source, output = Path(folder, "forms.s"), Path(folder, "forms.o")
        source.write_text("".join(f"{{ {text} }}\n" for text in instructions), encoding="utf-8")
        target = ["-target", "hexagon-linux-musl", f"-mcpu={CPU}", "-Wa,--no-warn"]
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


def table(found: list[Form], archs: dict[str, int]) -> str:
    head = f"/* Written by scripts/hvx_forms.py with LLVM {CLANG_VERSION}. */\n"
    refused = (found[number] for number in _refused(found, ARCHS[-1], FEATURES))
    lacked = {form.syntax for form in refused if ".bf" not in form.syntax} - EMITTED.keys()
    rows = (
        form.row(archs.get(form.syntax, ARCHS[0]), ieee=form.syntax in lacked) for form in found
    )
    return head + "".join(f"{row}\n" for row in rows)


CHECKED_HEAD = """\
# The instructions of HVX that name a vector or a predicate.
# Written by scripts/hvx_forms.py with LLVM {version}.
#
# A word is one if word & mask == bits; first: the first arch that has it (v68 = 68).
# operands: each with its type, if that is one of floating point, and the lowest bit of its number.
mask\tbits\tfirst\tsyntax\toperands
"""


def checked_forms(found: list[Form]) -> list[Form]:
    others = dict.fromkeys((*TEMPORARY, *PREDICATES, *_memory_forms()), "")
    return _sorted([*(form for form in found if form.syntax != "Vdd32=#0"), *_encoded(others)])


def checked_table(every: list[Form], archs: dict[str, int]) -> str:
    rows = [form.checked_row(archs[form.syntax]) for form in every]
    return CHECKED_HEAD.format(version=CLANG_VERSION) + "".join(f"{row}\n" for row in rows)


if __name__ == "__main__":
    targets = [Path(name) for name in sys.argv[1:]] or [TABLE, CHECKED]
    found = forms()
    every = checked_forms(found)
    archs = _first_archs(every)
    targets[0].write_text(table(found, archs), encoding="utf-8")
    for target in targets[1:]:
        target.write_text(checked_table(every, archs), encoding="utf-8")
