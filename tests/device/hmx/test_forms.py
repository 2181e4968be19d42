"""Every form of HMX computes on the emulated device what the reference computes, bit for bit.

Random programs for each form: fields of Rs and Rt, masks, taps, groups, types of weights, words.
`make test` executes one for each form, `make test-long` several for each form and arch.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable
from itertools import product
from random import Random

import pytest

from tests.device.fastrpc.toolbox import Toolbox
from tests.hmx_reference.forms import Form, forms
from tests.hmx_reference.spatial import TILE

from .cases import Case, Maker, has_address
from .images import TILES
from .lab import Address, Lab, packet
from .unit import BASE, HmxRefusedError, running_unit

SIZE = TILES * TILE
PER_PAGE = (1 << 20) // SIZE
PAGES = 6
ARCHS = (68, 73, 81)
"""Each has another float arithmetic."""
NOT_COMPARED = dict.fromkeys(("pmxfp", "pmxfpd", "pmxd", "pmx"), "it prints, and no chip has it")
"""Forms that the reference does not have."""


def compared(arch: int) -> list[Form]:
    return [one for one in forms() if one.exists(arch) and one.syntax not in NOT_COMPARED]


def in_turn(arch: int) -> list[Form]:
    """Forms for which an arch of `ARCHS` is the chosen one."""
    return [
        one
        for number, one in enumerate(forms())
        if one in compared(arch)
        and arch == (having := [each for each in ARCHS if one.exists(each)])[number % len(having)]
    ]


def case(arch: int, one: Form, number: int, *, modes: bool = True) -> Case:
    random = Random(f"{arch} {one.name} {number}")
    return Maker(arch, random).case(one, modes=modes)


def difference(case: Case, image: bytes) -> str:
    """Where an image is not what the reference leaves, or ""."""
    if image == case.expected:
        return ""
    at = next(i for i in range(SIZE) if image[i] != case.expected[i])
    text = "\n".join(
        "  " + "; ".join(f"{text} {rs:#x} {rt:#x}" for text, rs, rt in packet)
        for packet in case.packets
    )
    return (
        f"v{case.arch} {case.name}: byte {at % TILE} of tile {at // TILE} is {image[at]} and not"
        f" {case.expected[at]}\n{text}"
    )


def run_together(lab: Lab, together: list[Case]) -> list[bytes]:
    """The images of some cases, which one run of the device executes."""
    whole, packets = bytearray(PAGES << 20), []
    places = [(i // PER_PAGE << 20) + i % PER_PAGE * SIZE for i in range(len(together))]
    for case, at in zip(together, places, strict=True):
        whole[at : at + SIZE] = case.image
        for instructions in case.packets:
            moved = [
                (text, Address(at + rs) if has_address(text) else rs, rt)
                for text, rs, rt in instructions
            ]
            packets.append(packet(*moved))
    image = lab.run(packets, bytes(whole))
    return [image[at : at + SIZE] for at in places]


@pytest.mark.parametrize("arch", ARCHS)
def test_each_form_on_the_device(
    make_lab_for: Callable[..., Lab], arch: int, record_property: Callable[[str, object], None]
) -> None:
    """Programs of the same run share a device; the report of pytest has counts."""
    programs = [case(arch, one, 0, modes=False) for one in in_turn(arch)]
    lab = make_lab_for(f"v{arch}", vtcm_bytes=str(8 << 20))
    most = PAGES * PER_PAGE
    wrong: list[str] = []
    for first in range(0, len(programs), most):
        together = programs[first : first + most]
        wrong += filter(None, map(difference, together, run_together(lab, together)))
    record_property("forms", len(programs))
    assert len(programs) > 20
    assert not wrong, f"{len(wrong)} of {len(programs)}:\n" + "\n".join(wrong[:3])


@pytest.mark.long
@pytest.mark.parametrize("arch", [68, 69, 73, 75, 79, 81])
def test_many_programs_of_each_form(
    toolbox: Toolbox, arch: int, record_property: Callable[[str, object], None]
) -> None:
    """The same in the program that computes HMX for the device, which runs without the device."""
    count = int(os.environ.get("BUILDTOOL_HMX_PROGRAMS", "8"))
    wrong: list[str] = []
    done = Counter[str]()
    with running_unit(toolbox.hmx_unit(), f"v{arch}") as unit:
        for one, number in product(compared(arch), range(count)):
            program = case(arch, one, number)
            unit.memory[:SIZE] = program.image
            unit.usr = program.usr
            try:
                for instructions in program.packets:
                    unit.run(
                        *(
                            (t, BASE + rs if has_address(t) else rs, rt)
                            for t, rs, rt in instructions
                        )
                    )
            except HmxRefusedError as refusal:
                wrong.append(f"{program.name}: {refusal}")
            wrong += filter(None, [difference(program, bytes(unit.memory[:SIZE]))])
            done[program.name] += 1
    record_property("forms", len(done))
    record_property("programs", done.total())
    print(f"v{arch}: {len(done)} forms, {done.total()} programs")
    assert not wrong, f"{len(wrong)} of {done.total()}:\n" + "\n".join(wrong[:3])


def test_each_form_is_compared_or_named() -> None:
    archs = (68, 69, 73, 75, 79, 81)
    seen = {one.syntax for arch in archs for one in compared(arch)}
    assert len(seen) == 143
    assert seen | set(NOT_COMPARED) == {one.syntax for one in forms()}
    assert {one.syntax for arch in ARCHS for one in in_turn(arch)} == seen
