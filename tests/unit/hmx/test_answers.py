"""The reference of HMX gives the results that docs/hmx.md states for unusual operands."""

from __future__ import annotations

import pytest

from tests.hmx_reference.forms import Instruction, form
from tests.hmx_reference.machine import Machine
from tests.hmx_reference.pair import Activation, Weight, steps
from tests.hmx_reference.spatial import TILE
from tests.hmx_reference.weights import stream_limit

W = 70 * TILE


def _steps(act: tuple[str, int, int], weight: tuple[str, int, int], arch: int) -> list[list[int]]:
    """The channels of each step of a pair."""
    loads = [Instruction(form(text), rs, rt).load() for text, rs, rt in (act, weight)]
    assert isinstance(loads[0], Activation)
    assert isinstance(loads[1], Weight)
    return [list(step.channels) for step in steps(loads[0], loads[1], arch)]


@pytest.mark.parametrize("arch", [68, 69, 73])
def test_old_float_counts_channels_in_fours(arch: int) -> None:
    act = ("activation.hf=mxmem(Rs,Rt)", 4 << 2, 7 << 2)
    assert _steps(act, ("weight.hf=mxmem(Rs,Rt)", 0, 2047), arch) == [[4, 5, 6, 7]]


@pytest.mark.parametrize(
    ("kind", "limit"),
    [
        *((kind, 65536) for kind in ("b", "sm", "hf", "n:2x")),
        *(("n", 32768), ("c", 16384), ("sc", 16384), ("ubit", 8192), ("sbit", 8192)),
    ],
)
def test_limits_of_weights(kind: str, limit: int) -> None:
    assert stream_limit(kind) == limit


@pytest.mark.parametrize(
    ("blocks", "start", "stop", "products"),
    [(1, 6, 5, 4), (1, 6, 3, 0), (64, 0, 31, 2048), (65, 0, 3, 63 * 32 + 4)],
)
def test_blocks_of_deep(blocks: int, start: int, stop: int, products: int) -> None:
    one = Machine(75, bytearray(b"\x01" * 104 * TILE))
    act = ("activation.ub=mxmem(Rs,Rt):deep", start << 2, (blocks - 1) * TILE | stop << 2)
    pair = (act, ("weight.b=mxmem(Rs,Rt)", W, 65535))
    one.execute([Instruction(form(text), rs, rt) for text, rs, rt in pair])
    assert one.value(0, 0) == products


def test_the_weight_stream_goes_on_inside_a_vector() -> None:
    act = ("activation.ub=mxmem(Rs,Rt)", 4 << 2 | 1 << 7, 3 << 2 | 1 << 7)
    loads = [
        Instruction(form(text), rs, rt).load()
        for text, rs, rt in (act, ("weight.ubit=mxmem(Rs,Rt)", 0, 2047))
    ]
    assert isinstance(loads[0], Activation)
    assert isinstance(loads[1], Weight)
    assert [(step.y, step.weights) for step in steps(loads[0], loads[1], 75)] == [(0, 0), (1, 4)]
