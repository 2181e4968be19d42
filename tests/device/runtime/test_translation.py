"""Instructions that some QEMU does not execute are translated when a skel is loaded."""

from __future__ import annotations

import random
import re
import struct
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.command_line import REPOSITORY
from tests.conftest import LONG
from tests.device.fastrpc.toolbox import Device, Toolbox

from .conftest import HERE, QURT, build_skel, install
from .float_reference import result
from .integer_reference import integer_result
from .operands import BITS, Inputs
from .test_threads import case

TABLE = REPOSITORY / "emulator" / "shell" / "translate" / "forms.inc"
CHECKED = REPOSITORY / "buildtool" / "toolchains" / "hvx_forms.tsv"
ROW = re.compile(r'(REPLACED|IEEE)\(\w+, 0x(\d+), 0x\w+u, 0x(\w+)u, "(.*?)", (.*)\)')
_ROWS = ROW.findall(TABLE.read_text())
FORMS = [(int(bits, 16), syntax, fields) for *_, bits, syntax, fields in _ROWS]
FIRST = [int(first) for _, first, *_ in _ROWS]
"""The first arch that has each form."""
IEEE = [i for i, (macro, *_) in enumerate(_ROWS) if macro == "IEEE"]
TRANSLATED = [i for i in range(len(FORMS)) if FIRST[i] <= 75]
"""Those that a v75 has; from v79 on, qf and IEEE numbers differ."""
LATER = [
    i
    for i, (_, syntax, _) in enumerate(FORMS)
    if FIRST[i] > 75 and not re.search(r"\.qf|\.x\b|vilog2", syntax) and i not in IEEE
]

PARSE_END = 0xC000
RECORD = 896
ROUNDS = 3200 if LONG else 12
AT_ONCE = 5 if LONG else 200
"""How many forms are tested in one process."""
RESULT = 256


def word_and_stores(bits: int, fields: str) -> tuple[int, str]:
    """The word of a form with the registers of skel/translation.c, and what its function stores."""
    word, sources, stores = bits | PARSE_END, iter((0, 2)), ""
    for kind, access, at in re.findall(r"(\w)[8X]?_(\w+)\((\d+)\)", fields):
        if access == "READ":
            number = 3 if kind == "R" else next(sources)
        else:
            both = access == "BOTH"
            stores = f"STORE_Q{'X' * both}" if kind == "Q" else "STORE_X" if both else "STORE_V"
            number = (0 if both else 1) if kind == "Q" else 4 if both else 8
        word |= number << int(at)
    return word, stores


@pytest.fixture
def skel(toolbox: Toolbox, tmp_path: Path) -> Path:
    words = [word_and_stores(bits, fields) for bits, _, fields in FORMS]
    rows = [
        f"LIST({number}, 0x{word:08x}, {stores})" for number, (word, stores) in enumerate(words)
    ]
    (tmp_path / "forms.h").write_text("#define FORMS(LIST) \\\n" + " \\\n".join(rows) + "\n")
    return build_skel(toolbox, "translation", *QURT, f"-I{tmp_path}", f"-I{HERE / 'skel'}")


def without_section_headers(skel: Path) -> Path:
    """A copy that has neither them nor the symbols of which only they tell."""
    content = bytearray(skel.read_bytes())
    content[0x20:0x24] = bytes(4)  # e_shoff
    content[0x30:0x34] = bytes(4)  # e_shnum, e_shstrndx
    copy = skel.with_name("stripped.so")
    copy.write_bytes(content)
    return copy


def test_the_tables_are_what_their_script_writes(tmp_path: Path) -> None:
    script = REPOSITORY / "scripts" / "hvx_forms.py"
    subprocess.run([sys.executable, script, tmp_path / "table", tmp_path / "checked"], check=True)
    assert (tmp_path / "table").read_bytes() == TABLE.read_bytes()
    assert (tmp_path / "checked").read_bytes() == CHECKED.read_bytes()


# ---- results ----

EDGES = {
    32: (0, 1, 0x7FFFFF, 0x800000, 0x7F7FFFFF, 0x7F800000, 0x7F800001, 0x7FC00000, 0x7FFFFFFF),
    16: (0, 1, 0x3FF, 0x400, 0x7BFF, 0x7C00, 0x7C01, 0x7E00, 0x7FFF, 0x7F80, 0x7F81, 0x7FC0),
    8: (0, 1, 0x7F, 0x40),
}
NEAR_ONE = {"sf": 0x3F800000, "hf": 0x3C00, "bf": 0x3F80, "qf32": 0x4000007F, "qf16": 0x400F}


def lane(source: random.Random, kind: str) -> int:
    """A lane of random bits, of an edge, or of a number near 1, so that sums cancel."""
    width = BITS[kind]
    choice = source.random()
    if choice < 0.3 or (kind not in NEAR_ONE and choice > 0.5):
        return source.getrandbits(width)
    if choice < 0.5:
        return source.choice(EDGES[width]) | source.getrandbits(1) << width - 1
    if kind in {"qf32", "qf16"}:
        exponent_bits = 8 if kind == "qf32" else 5
        exponent = NEAR_ONE[kind] + source.randrange(-3, 4) & (1 << exponent_bits) - 1
        return source.getrandbits(width - exponent_bits) << exponent_bits | exponent
    near = NEAR_ONE[kind] + source.randrange(-4, 5) * (1 << {"sf": 23, "hf": 10, "bf": 7}[kind])
    return (
        near
        ^ source.getrandbits({"sf": 24, "hf": 11, "bf": 8}[kind])
        ^ (source.getrandbits(1) << width - 1)
    )


def vector(source: random.Random, kinds: list[str]) -> bytes:
    """Lanes of one of the kinds."""
    kind = source.choice(kinds)
    size = BITS[kind] // 8
    return b"".join(lane(source, kind).to_bytes(size, "little") for _ in range(128 // size))


def inputs_for(source: random.Random, syntax: str) -> Inputs:
    kinds = re.findall(r"\.(sf|hf|bf|qf32|qf16|w|h|uh|b|ub)\b", syntax.replace("vcmp.", "")) or [
        "w"
    ]
    u, uu, v, x, xx = (vector(source, kinds) for _ in range(5))
    if source.random() < 0.1:  # the same numbers
        v = u
    return Inputs(u, uu, v, x, xx, source.randbytes(128), source.getrandbits(32))


UNCHANGED = {"Vd.sf=Vu.sf", "Vd.hf=Vu.hf"}


@pytest.mark.parametrize("stripped", [False, pytest.param(True, marks=pytest.mark.long)])
def test_results(make_device: Callable[..., Device], skel: Path, stripped: bool) -> None:
    """Bit for bit those of exact arithmetic."""
    lanes = 0
    for arch, numbers in (("75", TRANSLATED), ("81", LATER)):
        device = make_device(arch, arch=arch)
        install(device, without_section_headers(skel) if stripped else skel, "translation")
        lanes += compared_lanes(device, {number: FORMS[number][1] for number in numbers})
    assert lanes >= (10_000_000 if LONG else 30_000)
    assert (len(TRANSLATED), len(LATER)) == (103, 10)


def compared_lanes(device: Device, forms: dict[int, str]) -> int:
    """Compare the results of forms, by their numbers, with those of what is to be computed."""
    compared = 0
    wrong: list[str] = []
    for start in range(0, len(forms), AT_ONCE):
        rounds = []
        for number, syntax in list(forms.items())[start : start + AT_ONCE]:
            source = random.Random(f"{syntax} 1")
            rounds += [(number, syntax, inputs_for(source, syntax)) for _ in range(ROUNDS)]
        with (device.root / "forms.in").open("wb") as file:
            for number, _, inputs in rounds:
                record = b"".join(inputs[:6]) + struct.pack("<2I", inputs.r, number)
                file.write(record.ljust(RECORD, b"\0"))
        code, _, log = case(device, "translation", "forms")
        assert (code, log) == (0, ""), log
        results = (device.root / "forms.out").read_bytes()
        for i, (_, syntax, inputs) in enumerate(rounds):
            expected = (
                inputs.u
                if syntax in UNCHANGED
                else integer_result(syntax, inputs) or result(syntax, inputs)
            )
            is_ = results[i * RESULT :][: len(expected)]
            compared += len(expected) // 4  # lanes, or more of them
            if is_ != expected:
                at = next(at for at in range(len(expected)) if is_[at] != expected[at]) & ~3
                wrong.append(f"{syntax}, round {i % ROUNDS}, byte {at}: {is_[at : at + 4].hex()}")
                wrong.append(f"  instead of {expected[at : at + 4].hex()}")
    assert not wrong, "\n".join(wrong[:40])
    return compared


# ---- what is not translated ----


def stops_at(device: Device, numbers: list[int], why: str) -> list[str]:
    """The instructions at which a process has stopped for a reason, one after the other."""
    turns = [
        f"open translation; case translation form {number}; close translation" for number in numbers
    ]
    result = device.run("; ".join(turns))
    for number in numbers:
        assert result[f"case translation form {number}"].startswith("8000040d"), result.err
    return re.findall(rf"died: (\S+): {why}", result.err)


@pytest.mark.parametrize("arch", [68, 73, 79])
def test_newer_instructions_stop(make_device: Callable[..., Device], skel: Path, arch: int) -> None:
    """QEMU takes some of them for integer instructions, without a word."""
    device = make_device(arch=str(arch))
    install(device, skel, "translation")
    newer = [i for i in range(len(FORMS)) if FIRST[i] > arch and i not in IEEE]
    numbers = newer if LONG else newer[::6]
    why = rf"DSPs have it from v\d\d on, and this one is a v{arch}: build the skel for the arch"
    assert stops_at(device, numbers, why) == [FORMS[i][1] for i in numbers]
    assert len(newer) == {68: 58, 73: 38, 79: 31}[arch]


@pytest.mark.parametrize("arch", ["68", "79"])
def test_instructions_of_the_ieee_option_stop_from_v79_on(
    make_device: Callable[..., Device], skel: Path, arch: str
) -> None:
    """DSPs give zeros or infinities for them (LLVM pull request 198832)."""
    device = make_device(arch=arch)
    install(device, skel, "translation")
    lacked = LACKED_FROM_V79 if arch == "79" else {x for x in LACKED_FROM_V79 if "f8" in x}
    numbers = [i for i, (_, syntax, _) in enumerate(FORMS) if syntax in lacked]
    assert stops_at(device, numbers, "DSPs have no such") == [FORMS[i][1] for i in numbers]
    assert len(numbers) == len(lacked)


LACKED_FROM_V79 = {
    "Vd.sf=vadd(Vu.sf,Vv.sf)",
    "Vd.hf=vmpy(Vu.hf,Vv.hf)",
    "Vx.sf+=vdmpy(Vu.hf,Vv.hf)",
    "Vd.sf=vfmax(Vu.sf,Vv.sf)",
    "Vd.hf=vcvt(Vu.sf,Vv.sf)",
    "Vdd.hf=vmpy(Vu.f8,Vv.f8)",
}


# ---- what is code ----


def test_data_between_functions_stays(device: Device, skel: Path) -> None:
    install(device, skel, "translation")
    code, _, log = case(device, "translation", "data")
    assert (code, log) == (0, "")


def test_without_section_headers(device: Device, skel: Path) -> None:
    install(device, without_section_headers(skel), "translation")
    numbers = [i for i in range(len(FORMS)) if FIRST[i] > 75 and i not in IEEE][:2]
    assert stops_at(device, numbers, "DSPs have it from") == [FORMS[i][1] for i in numbers]
    assert case(device, "translation", "data")[0] == 0


def test_stores_with_release_semantics(device: Device, toolbox: Toolbox) -> None:
    """QEMU 7.2 takes them for conditional stores."""
    install(device, build_skel(toolbox, "releases"), "releases")
    code, _, log = case(device, "releases", "stores")
    assert (code, log) == (0, "")
