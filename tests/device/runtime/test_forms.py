"""QEMU executes the instructions of HVX that the shell leaves to it, and takes none for another."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from buildtool.sdk.qemu import find_qemu
from tests.device.fastrpc.toolbox import CONF, zig
from tests.device.qemu import newer_qemu

from .test_translation import PARSE_END, TABLE

ROW = re.compile(r'EXECUTED\(\w+, 0x\w+u, 0x(\w+)u, "(.*?)", (.*)\)')
FIELD = re.compile(r"(R8|\w)_\w+\((\d+)\)")
REGISTER = re.compile(r"\b([VQR])([a-z])(\2)?\d*\b")
SAME = {"Vdd=#0": "Vdd.w=vsub(V31:30.w,V31:30.w)"}

START = """
.globl _start
_start:
  { r2 = ##memory; m0 = r2 }
  { r4 = r2; r6 = r2; r3 = #127 }
  { m0 = r3 }
"""
END = """
  { r0 = #0; r6 = #94 } // exit_group
  { trap0(#1) }
.section .bss
.p2align 7
memory:
.skip 512
"""


def word_and_text(bits: int, syntax: str, fields: str) -> tuple[int, str]:
    """The word of a form with the registers 2, 4 and so on, and its text with these registers."""
    word, names = bits | PARSE_END, {}
    kinds = dict.fromkeys(match[0] for match in REGISTER.finditer(syntax))
    for number, (name, (kind, at)) in enumerate(zip(kinds, FIELD.findall(fields), strict=True)):
        register = {"Q": (number + 1) % 4, "R8": 4}.get(kind, 2 * number + 2)
        word |= register << int(at)
        double = REGISTER.fullmatch(name)
        pair = f"{register + 1}:" if double and double[3] else ""
        names[name] = f"{name[0]}{pair}{register}"
    text = REGISTER.sub(lambda match: names[match[0]], SAME.get(syntax, syntax))
    text = text.replace("Mu", "M0").replace("Ps", "P0").replace(" ", "")
    return word, re.sub(r"#u\d", "#0x0", text)


def decoded(qemu: Path, words: list[int], folder: Path) -> dict[int, str]:
    """What QEMU takes the words for, by its own disassembler, after it has executed them."""
    lines = "".join(f"  .word 0x{word:08x}\n" for word in words)
    (folder / "forms.s").write_text(START + lines + END)
    program, log = folder / "forms", folder / "log"
    zig("-target", "hexagon-linux-musl", "-nostdlib", "-static", folder / "forms.s", "-o", program)
    command: list[str | Path] = [qemu, "-cpu", CONF["qemu_cpu"], "-d", "in_asm", "-D", log, program]
    subprocess.run(command, check=True, timeout=60)
    found = re.findall(r"0x(\w{8})\s+\{\s+(.*) \}", log.read_text(encoding="utf-8"))
    return {int(word, 16): text.replace(" ", "") for word, text in found}


@pytest.mark.parametrize("version", ["installed", "newer"])
def test_qemu_decodes_the_forms_that_it_executes_as_llvm_does(tmp_path: Path, version: str) -> None:
    folder = find_qemu().hexagon.parent if version == "installed" else newer_qemu()
    if folder is None:
        pytest.skip("scripts/setup could not unpack a newer QEMU")
    rows = ROW.findall(TABLE.read_text(encoding="utf-8"))
    forms = [word_and_text(int(bits, 16), syntax, fields) for bits, syntax, fields in rows]

    found = decoded(folder / "qemu-hexagon", [word for word, _ in forms], tmp_path)

    assert len(forms) == 381
    assert {word: found.get(word) for word, _ in forms} == dict(forms)
