"""Executes packets of HMX on the emulated device, in a skel that has each form and each pair.

lab = Lab(device)
image = lab.run([packet("mxclracc.hf"), packet(PAIR, address(0), 2047, ...)], image)
"""

from __future__ import annotations

import dataclasses
import struct
from collections.abc import Sequence
from dataclasses import dataclass

from buildtool.toolchains.hmx import HmxForm, hmx_forms
from tests.device.fastrpc.toolbox import Device, Result, Toolbox
from tests.device.runtime.conftest import QURT, WRAP, client_of, install

from .unit import ROOT

HERE = ROOT / "tests/device/hmx"
RETURN, NOP = 0x529FC000, 0x7F00C000
_FORMS = list(hmx_forms().values())
_ACTIVATIONS = [form for form in _FORMS if form.kind == "activation"]
_WEIGHTS = [form for form in _FORMS if form.kind == "weight"]


@dataclass(frozen=True)
class Packet:
    """Its number in the table of code, which registers are addresses, and their values."""

    number: int
    addresses: int
    registers: tuple[int, int, int, int]


@dataclass(frozen=True)
class Address:
    """An address relative to the image."""

    offset: int


def packet(*instructions: tuple[str, int | Address, int | Address]) -> Packet:
    """One instruction, or an activation and a weight: its syntax, Rs and Rt."""
    forms = [hmx_forms()[syntax] for syntax, _, _ in instructions]
    values = [value for _, rs, rt in instructions for value in (rs, rt)]
    values += [0] * (4 - len(values))
    addresses = sum(isinstance(value, Address) << i for i, value in enumerate(values))
    plain = [value.offset if isinstance(value, Address) else value for value in values]
    a, b, c, d = (value & 0xFFFFFFFF for value in plain)
    if len(forms) == 1:
        return Packet(_FORMS.index(forms[0]), addresses, (a, b, c, d))
    row, column = _ACTIVATIONS.index(forms[0]), _WEIGHTS.index(forms[1])
    return Packet(len(_FORMS) + row * len(_WEIGHTS) + column, addresses, (a, b, c, d))


def table_source() -> str:
    """Assembly with a function of 16 bytes for each form, and then for each pair."""

    def function(*words: int) -> str:
        padded = [*words, RETURN, NOP, NOP][:4]
        return ".word " + ", ".join(f"0x{word:08x}" for word in padded)

    def first(form: HmxForm) -> int:
        return form.word(0, 1)

    singles = [function(first(form) | 0xC000) for form in _FORMS]
    pairs = [
        function(first(one) | 0x4000, two.word(2, 3) | 0xC000)
        for one in _ACTIVATIONS
        for two in _WEIGHTS
    ]
    name = "hmx_lab_code"
    head = f".text\n.p2align 4\n.globl {name}\n.hidden {name}\n.type {name},@function\n{name}:\n"
    return head + "\n".join([*singles, *pairs]) + f"\n.size {name}, .-{name}\n"


class LabError(Exception):
    """A run that failed: the client's output."""


@dataclass(frozen=True)
class Lab:
    """A device with the skel."""

    device: Device

    def start(
        self, packets: Sequence[Packet], image: bytes, case: str = "run", **variables: str
    ) -> Result:
        """Run the packets and return the client's output."""
        body = b"".join(
            struct.pack("<6I", each.number, each.addresses, *each.registers) for each in packets
        )
        header = struct.pack("<2I", len(packets), len(image))
        (self.device.root / "lab.in").write_bytes(header + body + image)
        (self.device.root / "lab.out").unlink(missing_ok=True)
        script = f"open hmx_lab; case hmx_lab {case}; close hmx_lab"
        return self.device.run(script, cwd=None, **variables)

    def run(self, packets: Sequence[Packet], image: bytes, **variables: str) -> bytes:
        """Run the packets; returns the image afterwards.  Raises `LabError`."""
        result = self.start(packets, image, **variables)
        out = self.device.root / "lab.out"
        if not out.exists():
            raise LabError(result.out + result.err)
        return out.read_bytes()


def make_lab(device: Device, toolbox: Toolbox) -> Lab:
    """Build the skel and install it on the device, whose configuration has hmx=1."""
    table = toolbox.base / "hmx_lab_table.s"
    table.parent.mkdir(parents=True, exist_ok=True)
    table.write_text(table_source(), encoding="utf-8")
    skel = toolbox.skel(
        "hmx_lab", *QURT, "-fno-builtin", *WRAP, table, source=str(HERE / "skel/lab.c")
    )
    install(device, skel, "hmx_lab")
    return Lab(dataclasses.replace(device, client=client_of(toolbox)))
