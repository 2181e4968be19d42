"""Write the table of instructions that no QEMU executes rightly: HVX floating point.

LLVM's header of intrinsics names the forms of HVX instructions.  Each is assembled with all
operands 0, then with one bit of one operand set: what differs is no part of the instruction's code.
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

TABLE = Path(__file__).parents[1] / "emulator" / "shell" / "untranslated_forms.inc"
SYNTAX = re.compile(r"Assembly Syntax: +(\S.*?)\s*$", re.MULTILINE)
FLOAT = re.compile(r"\.(?:sf|hf|qf16|qf32|bf|f8|x)\b|vilog2|vfmv")
UNKNOWN = {"Vd32.h=Vu32.hf:rnd"}  # which the header has and the assembler lacks
OPERAND = re.compile(r"(?<![A-Za-z])([VRQ])([a-z]{1,2})(?:32|4)(?![0-9])")
CPU = "hexagonv81+hvxv81+hvx_length128b+hvx_qfloat+hvx_ieee_fp"
PARSE = 0xC000  # bits that tell where a packet ends


class Form(Value):
    """An instruction: a word is one if `word & mask == bits`."""

    mask: int
    bits: int
    syntax: str


def forms() -> list[Form]:
    zig = usable_zig()
    header = zig.library / "include" / "hvx_hexagon_protos.h"
    found = SYNTAX.findall(header.read_text(encoding="utf-8"))
    syntaxes = [text for text in dict.fromkeys(found) if FLOAT.search(text) and text not in UNKNOWN]
    rows = [(syntax, text) for syntax in syntaxes for text in _variants(syntax)]
    words = _assembled([text for _, text in rows], zig.where)
    by_syntax: dict[str, list[int]] = {}
    for (syntax, _), word in zip(rows, words, strict=True):
        by_syntax.setdefault(syntax, []).append(word & ~PARSE)
    return [_form(syntax, *words) for syntax, words in by_syntax.items()]


def _form(syntax: str, bits: int, *others: int) -> Form:
    mask = 0xFFFFFFFF & ~PARSE
    for other in others:
        mask &= ~(bits ^ other)
    return Form(mask, bits, OPERAND.sub(r"\1\2", syntax))


def _variants(syntax: str) -> Iterator[str]:
    """The instruction with all operands 0, then with each bit of each operand set."""
    operands = dict.fromkeys(OPERAND.findall(syntax))
    yield _spelled(syntax, {})
    for kind, name in operands:
        bits = (1, 2) if kind == "Q" else (2, 4, 8, 16) if len(name) == 2 else (1, 2, 4, 8, 16)
        for number in bits:
            yield _spelled(syntax, {kind + name: number})


def _spelled(syntax: str, numbers: dict[str, int]) -> str:
    def register(match: re.Match[str]) -> str:
        kind, name = match.groups()
        number = numbers.get(kind + name, 0)
        pair = f"{number + 1}:" if len(name) == 2 else ""
        return f"{kind.lower()}{pair}{number}"

    return OPERAND.sub(register, syntax)


def _assembled(instructions: list[str], zig: Path) -> list[int]:
    """The words of packets of one instruction each."""
    with tempfile.TemporaryDirectory() as folder:
        source, output = Path(folder, "forms.s"), Path(folder, "forms.o")
        source.write_text("".join(f"{{ {text} }}\n" for text in instructions), encoding="utf-8")
        subprocess.run(
            [
                zig,
                "cc",
                "-target",
                "hexagon-linux-musl",
                f"-mcpu={CPU}",
                "-c",
                source,
                "-o",
                output,
            ],
            check=True,
        )
        with output.open("rb") as stream:
            section: Any = ELFFile(stream).get_section_by_name(".text")
            text: bytes = section.data()
    return [int.from_bytes(text[at : at + 4], "little") for at in range(0, len(text), 4)]


def table() -> str:
    rows = "".join(
        f'{{0x{form.mask:08x}u, 0x{form.bits:08x}u, "{form.syntax}"}},\n' for form in forms()
    )
    head = f"/* Written by scripts/untranslated_forms.py with LLVM {CLANG_VERSION}. */\n"
    return f"{head}{rows}"


if __name__ == "__main__":
    Path(sys.argv[1] if sys.argv[1:] else TABLE).write_text(table(), encoding="utf-8")
