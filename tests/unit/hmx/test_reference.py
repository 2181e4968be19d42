"""The reference of HMX gives the values that docs/hmx.md has from silicon and other tests."""

from __future__ import annotations

import struct

import pytest

from tests.hmx_reference import fixed_convert, float_convert, weights
from tests.hmx_reference.fixed_convert import How, Word
from tests.hmx_reference.forms import Instruction, form, forms
from tests.hmx_reference.machine import Machine
from tests.hmx_reference.pair import group_size
from tests.hmx_reference.spatial import TILE, Spatial, place

A, W, BIAS, OUT = 0, 8 * TILE, 24 * TILE, 25 * TILE
LEFT = float_convert.SIGNED
OLD_ONE, ONE = 0, 0x3C00


def machine(arch: int, word: int) -> Machine:
    """A machine with ones in fp16 as activations and weights, and one word for all channels."""
    one = Machine(arch, bytearray(32 * TILE))
    one.memory[: 24 * TILE] = struct.pack("<H", 0x3C00) * (12 * TILE)
    low, high = struct.pack("<I", word & 0xFFFFFFFF), struct.pack("<I", word >> 32)
    one.memory[BIAS : BIAS + 256] = low * 32 + high * 32
    return one


def run(one: Machine, *packets: tuple[tuple[str, int, int], ...]) -> None:
    for packet in packets:
        one.execute([Instruction(form(text), rs, rt) for text, rs, rt in packet])


def product(one: Machine, tiles: int, store: str = "mxmem(Rs,Rt):after.hf=acc") -> int:
    """The first halfword of the product of `tiles` tiles."""
    run(
        one,
        (("bias=mxmem2(Rs)", BIAS, 0),),
        (("mxclracc.hf", 0, 0),),
        (
            ("activation.hf=mxmem(Rs,Rt):deep", A, tiles * TILE - 1),
            ("weight.hf=mxmem(Rs,Rt)", W, tiles * TILE - 1),
        ),
        ((store, OUT, 0),),
    )
    halves = struct.unpack(f"<{TILE // 2}H", one.memory[OUT : OUT + TILE])
    assert len(set(halves)) == 1
    return int(halves[0])


@pytest.mark.parametrize(
    ("arch", "word"), [(68, OLD_ONE), (69, OLD_ONE), *((arch, ONE) for arch in (73, 75, 79, 81))]
)
def test_ones_times_ones_is_32(arch: int, word: int) -> None:
    assert product(machine(arch, word), 1) == 0x5000
    assert product(machine(arch, word), 2) == 0x5400


@pytest.mark.parametrize(
    ("word", "result"),
    [
        (ONE, 0x5000),
        (0x7BFF, 0x7FFF),
        (ONE | 0x5640 << 16 | 1 << 42, 0x5440),
        (ONE | 1 << 40, 0),
        (ONE | 0xD000 << 48, 0),
    ],
)
def test_words_of_floats(word: int, result: int) -> None:
    assert product(machine(75, word), 1) == result


def test_the_old_words_limit_and_the_new_ones_scale() -> None:
    assert product(machine(68, ONE), 1) == 0x3FFF  # 1.9990234375
    assert product(machine(73, OLD_ONE), 1) == 0


def test_cvt_and_a_direct_store_of_v73_agree() -> None:
    one = machine(73, ONE)
    assert product(one, 2, "mxmem(Rs,Rt):after:retain.hf=acc") == 0x5400
    one.memory[OUT : OUT + TILE] = bytes(TILE)
    run(one, (("cvt.hf=acc(Rs)", 2, 0),), (("mxmem(Rs,Rt)=cvt", OUT, 0),))
    assert one.memory[OUT : OUT + 2] == b"\x00\x54"


@pytest.mark.parametrize(
    ("kind", "saturate", "accumulator", "word", "result"),
    [
        ("ub", True, 8160, 0x40004000, 128 + 31),
        ("ub", True, 32, 0x40004400, 128),
        ("ub", True, 106, 0x40000000 + struct.unpack("<H", struct.pack("<e", 14.54))[0], 130),
        ("uh", False, 1036320, 0x40004000, 53280),
        ("uh", True, 1036320, 0x40004000, 65535),
        ("uh", False, -32, 0x40004000, 65504),
        ("uh", False, -256, 0x40004000, 65280),
        ("uh", False, 4064, 0x40004000, 4064),
        ("uh", False, 1036320, 0x20002000, 1036320 // 256 % 65536),
        ("uh", False, -7, 0x20002000, 65535),
    ],
)
def test_fixed_converts_give_what_silicon_gives(
    kind: str, saturate: bool, accumulator: int, word: int, result: int
) -> None:
    one, how = Word(word), How(jam=False, saturate=saturate)
    if kind == "ub":
        got = fixed_convert.to_ub(accumulator, one, how, one.scale, one.output_bias)
        assert got >> 4 == result
    else:
        assert fixed_convert.to_uh(accumulator, one, how) >> 8 == result


def test_bytes_multiply_as_the_short_way_says() -> None:
    """Random-looking tiles, with a scale that is a power of two."""
    one = Machine(75, bytearray(32 * TILE))
    inner, zero = 96, 7
    a = [[(s * 7 + k * 13) % 251 for k in range(inner)] for s in range(64)]
    w = [[(k * 5 + o * 3) % 97 + 30 for o in range(32)] for k in range(inner)]
    for k in range(inner):
        for s in range(64):
            one.memory[A + k // 32 * TILE + place(s, k % 32)] = a[s][k]
        for o in range(32):
            one.memory[W + 128 * (k // 4) + 4 * o + k % 4] = w[k][o] & 0xFF
    scale = struct.unpack("<H", struct.pack("<e", 0.125))[0]
    one.memory[BIAS : BIAS + 256] = struct.pack("<I", zero * 128 << 16 | scale) * 32 + bytes(128)
    run(
        one,
        (("bias=mxmem2(Rs)", BIAS, 0),),
        (("mxclracc", 0, 0),),
        (
            ("activation.ub=mxmem(Rs,Rt):deep", A, 3 * TILE - 1),
            ("weight.b=mxmem(Rs,Rt)", W, 3 * 1024 - 1),
        ),
        (("mxmem(Rs,Rt):after:sat.ub=acc", OUT, 0),),
    )
    for s in range(64):
        for o in range(32):
            total = sum(a[s][k] * w[k][o] for k in range(inner))
            assert total >= 0
            wanted = min(255, zero + total // 4096)
            assert one.memory[OUT + place(s, o)] == wanted, (s, o)


@pytest.mark.parametrize(
    ("p", "arch", "total", "digest"),
    [
        (0, 68, 257056, 0xF8FF4A5867CBF049),
        (0, 73, 257056, 0xF8FF4A5867CBF049),
        (1, 73, 261291, 0x12227843BDE17062),
        (1, 68, 261560, 0x4B2D98ED76A693AB),
    ],
)
def test_whole_tiles_of_the_vendors_simulators(p: int, arch: int, total: int, digest: int) -> None:
    one = Machine(arch, bytearray(32 * TILE))
    one.memory[A : A + TILE] = bytes((i * 7 + p * 13 + i // 32) % 256 for i in range(TILE))
    one.memory[W : W + 1024] = bytes((i * 3 + p * 5 + 1) % 256 for i in range(1024))
    one.memory[BIAS : BIAS + 128] = struct.pack("<I", 0x4000 + p) * 32
    run(
        one,
        (("bias=mxmem(Rs)", BIAS, 0),),
        (("activation.ub=mxmem(Rs,Rt)", A, 1023), ("weight.b=mxmem(Rs,Rt)", W, 1023)),
        (("mxmem(Rs,Rt):after.ub=acc", OUT, 1023),),
    )
    output = one.memory[OUT : OUT + TILE]
    fnv = 0xCBF29CE484222325
    for byte in output:
        fnv = (fnv ^ byte) * 0x100000001B3 % 2**64
    assert (sum(output), fnv) == (total, digest)


def test_a_load_without_its_partner_multiplies_nothing() -> None:
    one = machine(75, ONE)
    run(
        one,
        (("bias=mxmem2(Rs)", BIAS, 0),),
        (("activation.hf=mxmem(Rs,Rt):deep", A, TILE - 1),),
        (("weight.hf=mxmem(Rs,Rt)", W, TILE - 1),),
        (("mxmem(Rs,Rt):after.hf=acc", OUT, 0),),
    )
    assert one.memory[OUT : OUT + TILE] == bytes(TILE)


def test_types_of_weights() -> None:
    vector = bytes((0x80, 0xFF, 0x7F, 0x1B)) * 32
    assert [weights.fixed("b", vector, k, 0) for k in range(4)] == [-128, -1, 127, 27]
    assert [weights.fixed("sm", vector, k, 0) for k in range(4)] == [-1, -128, 127, 27]
    assert [weights.fixed("n", vector, k, 5) for k in (0, 4, 3, 7)] == [0, -8, -5, 1]
    assert [weights.fixed("c", vector, k, 9) for k in (3, 7, 11, 15)] == [-1, -2, 1, 0]
    assert [weights.fixed("sc", vector, k, 9) for k in (3, 7, 11, 15)] == [-1, -2, 1, 2]
    assert [weights.fixed("ubit", vector, k, 9) for k in (0, 28, 3)] == [0, 1, 1]
    assert [weights.fixed("sbit", vector, k, 9) for k in (0, 28, 3)] == [1, -1, -1]
    assert weights.split(-128) == (0, -8)
    assert weights.split(127) == (-1, 8)


def test_sizes_of_groups() -> None:
    assert [group_size(size, size - 1) for size in (16, 8, 4, 2, 1)] == [16, 8, 4, 2, 1]


def test_the_fields_of_the_whole_tile_and_of_an_image() -> None:
    whole, image = Spatial(0, 0x7FF, False, False), Spatial(0, 0x700 | 31 << 2, False, False)
    assert (whole.width, whole.height, whole.start, whole.stop) == (1, 64, 0, 31)
    assert (image.width, image.height) == (8, 8)
    assert [image.position(x, 1) for x in range(8)] == list(range(8, 16))


def test_every_form_has_a_word_of_its_own() -> None:
    words = {one.word(0, 0, last=True) for one in forms()}
    assert len(words) == len(forms())
    assert form("cvt.hf=acc(Rs)").word(7, 0, last=True) == 0xA6E7DA10
    assert form("activation.hf=mxmem(Rs,Rt):deep").word(0, 1, last=False) == 0x920041E2
