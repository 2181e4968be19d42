"""Matrix products on the emulated device, as kernels write them."""

from __future__ import annotations

import struct
from collections.abc import Callable

import pytest

from .lab import Address, Lab, packet

A, W, S, C = (Address(at) for at in (0, 0x4000, 0x8000, 0x9000))
IMAGE = 0xA000
ONES = struct.pack("<1024e", *[1.0] * 1024)
CLEAR = packet(("mxclracc.hf", 0, 0))
SCALES = packet(("bias=mxmem2(Rs)", S, 0))
PAIR = packet(("activation.hf=mxmem(Rs,Rt):deep", A, 4095), ("weight.hf=mxmem(Rs,Rt)", W, 4095))
DIRECT = packet(("mxmem(Rs,Rt):after.hf=acc", C, 0))
CVT, STORE = packet(("cvt.hf=acc(Rs)", 2, 0)), packet(("mxmem(Rs,Rt)=cvt", C, 0))


def image(scale: int) -> bytes:
    """Two tiles of ones, two of weights, and scales."""
    whole = bytearray(IMAGE)
    for place in (A, W):
        whole[place.offset : place.offset + 4096] = ONES * 2
    whole[S.offset : S.offset + 128] = struct.pack("<I", scale) * 32
    return bytes(whole)


@pytest.mark.parametrize(("arch", "scale"), [("v68", 0), ("v73", 0x3C00), ("v79", 0x3C00)])
def test_ones_times_ones(make_lab_for: Callable[..., Lab], arch: str, scale: int) -> None:
    got = make_lab_for(arch).run([SCALES, CLEAR, PAIR, DIRECT], image(scale))
    assert struct.unpack("<1024e", got[C.offset : C.offset + 2048]) == (64.0,) * 1024


def test_two_threads_take_turns(make_lab_for: Callable[..., Lab]) -> None:
    """What the other thread leaves in the registers is not used."""
    lab = make_lab_for("v75")
    packets, content = [SCALES, CLEAR, PAIR, CVT, STORE], image(0x3C00)
    done = lab.start(packets, content, "two_threads", BUILDTOOL_SIM_STRICT="back")
    assert done["case hmx_lab two_threads"].split()[:2] == ["0", "1"], done.err
    got = (lab.device.root / "lab.out").read_bytes()
    assert struct.unpack("<1024e", got[C.offset : C.offset + 2048]) == (64.0,) * 1024
