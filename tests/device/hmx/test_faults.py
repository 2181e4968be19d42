"""Kernels with mistakes: what each gives on a chip, and what `run --strict` says."""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass

import pytest

from .lab import Address, Lab, Packet, packet
from .test_straight import CLEAR, CVT, DIRECT, PAIR, SCALES, STORE, A, C, W, image

STRICT = {"BUILDTOOL_SIM_STRICT": "back"}
ONE = 0x3C00
ALONE = packet(("activation.hf=mxmem(Rs,Rt):deep", A, 4095))


TILES_33 = packet(
    ("activation.hf=mxmem(Rs,Rt):deep", A, 33 * 2048 - 1), ("weight.hf=mxmem(Rs,Rt)", W, 65535)
)


def results(lab: Lab, packets: list[Packet], content: bytes) -> set[float]:
    got = lab.run(packets, content)
    return set(struct.unpack("<1024e", got[C.offset : C.offset + 2048]))


RETAINED = packet(("cvt.hf=acc(Rs)", 3, 0))


@dataclass(frozen=True)
class Mistake:
    """Packets with a mistake, what a chip computes, and what strict says."""

    arch: str
    packets: list[Packet]
    scale: int
    value: float
    why: str


MISTAKES = {
    "retained": Mistake("v75", [SCALES, CLEAR, PAIR, RETAINED, PAIR, DIRECT], ONE, 128, ""),
    "not cleared": Mistake("v75", [SCALES, PAIR, DIRECT], ONE, 64, "were not cleared since HMX"),
    "no weight": Mistake("v75", [SCALES, CLEAR, ALONE, DIRECT], ONE, 0, "belong in one packet"),
    "no scales": Mistake("v75", [CLEAR, PAIR, DIRECT], ONE, 0, "scales that were not loaded"),
    "scale of v68": Mistake(
        "v73", [SCALES, CLEAR, PAIR, DIRECT], 0, 0, "a scale of 0 for all channels: from v73"
    ),
    "33 tiles": Mistake(
        "v75", [SCALES, CLEAR, TILES_33, DIRECT], ONE, 65, "of 33 tiles: one pair multiplies 32"
    ),
    "scale of v73": Mistake(
        "v68", [SCALES, CLEAR, PAIR, DIRECT], ONE, 1.9990234375, "the scale 0x3c00 for channel 0"
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes_that_a_chip_does_not_notice(make_lab_for: Callable[..., Lab], name: str) -> None:
    mistake = MISTAKES[name]
    lab, content = make_lab_for(mistake.arch), image(mistake.scale)
    assert results(lab, mistake.packets, content) == {mistake.value}
    done = lab.start(mistake.packets, content, **STRICT)
    assert mistake.why in done.err
    assert ("died: " in done.err) == bool(mistake.why)
    assert ("at libhmx_lab_skel.so+0x" in done.err) == bool(mistake.why)


def test_a_chip_without_the_float_half(make_lab_for: Callable[..., Lab]) -> None:
    lab = make_lab_for("v73", hmx="2")
    assert results(lab, [SCALES, CLEAR, PAIR, DIRECT], image(ONE)) == {0.0}
    assert results(lab, [SCALES, CLEAR, PAIR, CVT, STORE], image(ONE)) == {0.0}
    done = lab.start([SCALES, CLEAR, PAIR, DIRECT], image(ONE), **STRICT)
    assert "a chip whose HMX has no floating point: all results are 0" in done.err


@pytest.mark.parametrize(
    ("packets", "why"),
    [
        ([packet(("bias=mxmem(Rs)", 0x1000, 0))], "at 0x1000, 128 bytes, outside of VTCM"),
        (
            [
                packet(
                    ("activation.hf=mxmem(Rs,Rt):deep", A, 4095),
                    ("weight.hf=mxmem(Rs,Rt)", Address((2 << 20) - 2048), 4095),
                )
            ],
            "4096 bytes, outside of VTCM",
        ),
        (
            [packet(("mxmem(Rs,Rt):deep=cvt", C, 0))],
            "mxmem(Rs,Rt):deep=cvt, an instruction of v79 and newer, on a v73",
        ),
    ],
    ids=["outside", "beyond the end", "newer"],
)
def test_what_stops_on_a_chip(
    make_lab_for: Callable[..., Lab], packets: list[Packet], why: str
) -> None:
    done = make_lab_for("v73").start(packets, image(ONE))
    assert "died: " in done.err
    assert why in done.err


def test_a_thread_without_the_lock_stops(make_lab_for: Callable[..., Lab]) -> None:
    done = make_lab_for("v73").start([CLEAR], image(ONE), case="unlocked")
    assert "an instruction of HMX in a thread that has not locked HMX" in done.err


@pytest.mark.parametrize(("variables", "died"), [({}, False), (STRICT, True)])
def test_a_thread_that_keeps_the_lock(
    make_lab_for: Callable[..., Lab], variables: dict[str, str], died: bool
) -> None:
    done = make_lab_for("v73").start([CLEAR], image(ONE), case="kept", **variables)
    assert "a thread ends that has locked HMX: no other thread can lock it" in done.err
    assert ("died: " in done.err) == died


def test_strict_asks_for_a_vote_for_power(make_lab_for: Callable[..., Lab]) -> None:
    lab = make_lab_for("v73")
    assert lab.start([CLEAR], image(ONE), case="unpowered").err == ""
    done = lab.start([CLEAR], image(ONE), case="unpowered", **STRICT)
    assert "an instruction of HMX without a vote for its power, with HAP_power_set" in done.err
