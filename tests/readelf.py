"""What llvm-readelf says of an ELF file, in the terms of `buildtool.core.elf.read`."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Any

from buildtool.core.elf.file import machine_name
from buildtool.core.elf.read import Elf

_LOAD = r"^ +LOAD +\S+ +\S+ +\S+ +\S+ +(0x\S+) .{4}(0x\S+)$"
_TLS = r"^ +TLS +\S+ +\S+ +\S+ +\S+ +(0x\S+) .{4}(0x\S+)$"
_SYMBOL = r"^ +(\d+): \S+ +\d+ +(\w+) +(\w+) +(\w+) +(?:\[.*?\] +)?(\w+) (\S+)$"
# Names that differ only in spelling.
_MACHINES = {
    "AArch64": "AArch64",
    "Qualcomm Hexagon": "Hexagon",
    "Advanced Micro Devices X86-64": "x86-64",
    "Intel 80386": "x86",
    "EM_BPF": "BPF",
}


def facts_of_llvm(path: Path) -> dict[str, Any]:
    """The facts that llvm-readelf prints."""
    options = ["-hldn", "--dyn-syms", "-V", "-W"]
    done = subprocess.run(
        ["llvm-readelf", *options, path], capture_output=True, text=True, check=True
    )
    text = done.stdout

    def one(pattern: str) -> str:
        found = re.search(pattern, text, re.MULTILINE)
        return found[1] if found else ""

    def every(pattern: str) -> list[Any]:
        return re.findall(pattern, text, re.MULTILINE)

    tls = every(_TLS)
    symbols = [row for row in every(_SYMBOL) if row[2] != "LOCAL"]
    undefined = [row for row in symbols if row[4] == "UND"]
    runpaths = every(r"\((?:RUNPATH|RPATH)\) +Library r(?:un)?path: \[(.*)\]$")
    return {
        "machine": _MACHINES.get(one(r"^ +Machine: +(.*?)$"), one(r"^ +Machine: +(.*?)$")),
        "bits": int(one(r"^ +Class: +ELF(\d+)$")),
        "kind": one(r"^ +Type: +(\w+)"),
        "soname": one(r"\(SONAME\) +Library soname: \[(.*)\]$"),
        "needed": every(r"\(NEEDED\) +Shared library: \[(.*)\]$"),
        "runpath": [part for path_list in runpaths for part in path_list.split(":")],
        "interpreter": one(r"\[Requesting program interpreter: (.*)\]$"),
        "build_id": one(r"^ +Build ID: (\w+)$"),
        "load_alignments": [int(at, 16) for size, at in every(_LOAD) if int(size, 16)],
        "tls": [(int(size, 16), int(at, 16)) for size, at in tls],
        "text_relocations": bool(every(r"\(TEXTREL\)|\(FLAGS\) .*\bTEXTREL\b")),
        "stack": one(r"^ +GNU_STACK(?: +0x\w+){5} (.{3}) 0x?\w+$").replace(" ", ""),
        "exports": sorted({_name(row) for row in symbols if row[4] != "UND" and _is_seen(row)}),
        "imports": sorted({_name(row) for row in undefined if row[2] != "WEAK"}),
        "weak_imports": sorted({_name(row) for row in undefined if row[2] == "WEAK"}),
        "versions": _versions(text),
    }


def _name(row: tuple[str, ...]) -> str:
    return row[5].partition("@")[0]


def _is_seen(row: tuple[str, ...]) -> bool:
    return row[3] not in ("HIDDEN", "INTERNAL")


def _versions(text: str) -> list[tuple[str, str, bool]]:
    """The library, version and weakness of each needed version."""
    part = text.partition("Version needs section")[2].partition("Histogram")[0]
    rows, library = [], ""
    for line in part.splitlines():
        if found := re.search(r"File: (\S+) +Cnt:", line):
            library = found[1]
        elif found := re.search(r"Name: (\S+) +Flags: (.*?) +Version: ", line):
            rows.append((library, found[1], "WEAK" in found[2].upper()))
    return rows


def own_facts(elf: Elf) -> dict[str, Any]:
    """What this project's own reader found, in the same form."""
    flags = elf.stack_flags or 0
    names = {4: "R", 2: "W", 1: "E"}
    return {
        "machine": machine_name(elf.machine),
        "bits": elf.bits,
        "kind": elf.kind,
        "soname": elf.soname,
        "needed": list(elf.needed),
        "runpath": list(elf.runpath),
        "interpreter": elf.interpreter,
        "build_id": elf.build_id,
        "load_alignments": list(elf.load_alignments),
        "tls": [(elf.tls_size, elf.tls_alignment)] if elf.tls_size else [],
        "text_relocations": elf.text_relocations,
        "stack": "".join(name for bit, name in names.items() if flags & bit),
        "exports": sorted(elf.exports),
        "imports": sorted(elf.imports),
        "weak_imports": sorted(elf.weak_imports),
        "versions": [(need.library, need.version, need.weak) for need in elf.version_needs],
    }
