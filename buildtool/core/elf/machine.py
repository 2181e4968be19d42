"""The type and the machine of an ELF file, without the library that reads the rest of it.

Importing that library (pyelftools) takes longer than an up-to-date build.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

EM_AARCH64 = 183
EM_HEXAGON = 164
ET_REL, ET_EXEC, ET_DYN = 1, 2, 3
_NAMES = {
    2: "SPARC",
    3: "x86",
    4: "m68k",
    8: "MIPS",
    15: "PA-RISC",
    20: "PowerPC",
    21: "PowerPC64",
    22: "S/390",
    40: "ARM",
    42: "SuperH",
    43: "SPARC64",
    50: "IA-64",
    62: "x86-64",
    83: "AVR",
    94: "Xtensa",
    EM_HEXAGON: "Hexagon",
    EM_AARCH64: "AArch64",
    189: "MicroBlaze",
    195: "ARCv2",
    243: "RISC-V",
    247: "BPF",
    252: "C-SKY",
    258: "LoongArch",
}


def elf_header(path: Path) -> tuple[int, int] | None:
    """The type (ET_*) and the machine (EM_*) of an ELF file; None if `path` is another file.

    Raises `OSError` when it cannot be read.  Source: System V ABI, "ELF Header".
    """
    with path.open("rb") as stream:
        header = stream.read(20)
    if len(header) < 20 or header[:4] != b"\x7fELF" or header[5] not in (1, 2):
        return None
    order: Literal["little", "big"] = "little" if header[5] == 1 else "big"
    return int.from_bytes(header[16:18], order), int.from_bytes(header[18:20], order)


def machine_name(machine: int) -> str:
    """`AArch64`, `Hexagon`, `x86-64` …; `machine 4711` for an unusual one.

    Source: System V ABI, "ELF Header".
    """
    return _NAMES.get(machine, f"machine {machine}")
