"""`--strict` names the instructions that lose qf numbers, and those that wrote these."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from elftools.elf.elffile import ELFFile

from tests.device.fastrpc.toolbox import Device, Toolbox

from .conftest import HERE, QURT, WRAP, install

STORED = "a qf number is stored: memory has 32 of the 36 bits of each word"
OTHER = "a qf number is read as something else"
COPIED = "a qf number was copied, which drops 4 of the 36 bits of each word"
REPORTED = {
    "stored": STORED,
    "at_once": STORED,
    "integer": OTHER,
    "ieee": OTHER,
    "width": "a qf number is read in another width",
    "copy": COPIED,
    "moved": STORED,
    "combined": COPIED,
    "number": "a number in sf or hf is read as qf",
    "restored": "the bits of vsetqfext are read without words: vmerge adds them",
    "kept": STORED,
    "store": STORED,
    "repeated": STORED,
    "call": STORED,
}
NOT_NORMALIZED = (
    "a factor is not normalized, which makes its product less exact: add 0 to the factor first"
)
FLUSHED = "a product is less than qf16 can hold, and becomes 0, which in hf it would not be"
INFINITE = "a result is greater than its format can hold, and becomes infinite"
VALUES = {
    "factor": NOT_NORMALIZED,
    "subnormal": NOT_NORMALIZED,
    "great": INFINITE,
    "rounded": INFINITE,
    "great_half": INFINITE,
    "great_difference": INFINITE,
    "small_half": FLUSHED,
    "sign": "0 is added to -0, which makes it 0: adding -0 keeps it",
    "constant": "a vector that no qf instruction wrote is read as qf",
    "zero": "a cleared vector is a factor in qf, where its words are 2^-150, not 0",
}
RIGHT = (
    *("chain", "saved", "changed", "loaded", "cleared"),
    *("normalized", "greatest", "difference", "infinite", "accumulator"),
)


def symbols(skel: Path) -> dict[int, str]:
    with skel.open("rb") as stream:
        elf: Any = ELFFile(stream)
        table = elf.get_section_by_name(".symtab")
        return {symbol["st_value"]: symbol.name for symbol in table.iter_symbols()}


def reports(device: Device, skel: Path, name: str, strict: str) -> tuple[list[object], bool]:
    """What is reported, with the symbols of the packets, and whether the process was stopped."""
    file = device.root / "reports"
    file.write_text("")
    script = f"open qf_lost; case qf_lost {name} 0; close qf_lost"
    device.run(script, BUILDTOOL_SIM_STRICT=strict, BUILDTOOL_SIM_CRASHES=str(file))
    names = symbols(skel)
    found: list[object] = []
    stopped = False
    for line in file.read_text().splitlines():
        mark, _, text = line.partition(" ")
        report = json.loads(text)
        if mark == "@qf":
            places = (report.get(key) for key in ("pc", "lr", "entry"))
            found.append((report["text"], *(each and names.get(each["offset"]) for each in places)))
        else:
            stopped = stopped or (mark, report["kind"]) == ("@crash", "qf")
    return found, stopped


def build(toolbox: Toolbox, arch: str) -> Path:
    features = f"-mcpu=hexagon{arch}+hvx{arch}+hvx_length128b+hvx_qfloat"
    return toolbox.skel(
        f"qf_lost_{arch}",
        *(*QURT, "-fno-builtin", *WRAP, features),
        arch=arch,
        source=str(HERE / "skel" / "qf_lost.c"),
    )


@pytest.mark.parametrize("arch", ["v79", pytest.param("v81", marks=pytest.mark.long)])
def test_reports(make_device: Callable[..., Device], toolbox: Toolbox, arch: str) -> None:
    device, skel = make_device(arch=arch[1:]), build(toolbox, arch)
    install(device, skel, "qf_lost")
    expected: list[tuple[str, str, str | None, str | None]]
    for name, text in REPORTED.items():
        copier = f"{name}_copied" if name in ("copy", "moved", "combined") else None
        writer = f"{name}_at" if name == "at_once" else f"{name}_written"
        expected = [(text, f"{name}_at", writer, copier)]
        assert reports(device, skel, name, "back") == (expected, text != COPIED), name
    for name, text in VALUES.items():
        constant = f"{name}_written" if name in ("constant", "zero") else None
        expected = [(text, f"{name}_at", constant, None)]
        assert reports(device, skel, name, "back") == (expected, False), name
    for name in RIGHT:
        assert reports(device, skel, name, "back") == ([], False), name
    assert reports(device, skel, "stored", "") == ([], False)
