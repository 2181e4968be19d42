"""Kernels in the shapes that public projects use, compared with plain sums of products.

The packets are in the order of those in htp-ops-lib, ggml-hexagon and the probes that docs/hmx.md
names, written anew.  All run with `--strict`.  Products through FastRPC and a queue are tests of
the sample.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from random import Random

import pytest

from tests.hmx_reference.spatial import TILE, place

from .lab import Address, Lab, Packet, packet

A, W, WORDS, OUT, SIZE = 0, 16 * TILE, 32 * TILE, 33 * TILE, 48 * TILE
ROWS, CHANNELS = 64, 32
Matrix = list[list[int]]
STRICT = {"BUILDTOOL_SIM_STRICT": "back"}
READ_BYTE = [(24 - 8 * byte) << 10 for byte in range(4)]


def matrix(seed: str, rows: int, columns: int, low: int, high: int) -> Matrix:
    random = Random(seed)
    return [[random.randint(low, high) for _ in range(columns)] for _ in range(rows)]


def product(a: Matrix, w: Matrix) -> Matrix:
    columns = list(zip(*w, strict=True))
    return [
        [sum(x * y for x, y in zip(row, column, strict=True)) for column in columns] for row in a
    ]


def bytes_image(a: Matrix, w: Matrix) -> bytearray:
    """Tiles of activations and of weights in bytes."""
    image = bytearray(SIZE)
    for s, row in enumerate(a):
        for k, value in enumerate(row):
            image[A + k // CHANNELS * TILE + place(s, k % CHANNELS)] = value
    for k, row in enumerate(w):
        for o, value in enumerate(row):
            image[W + 128 * (k // 4) + 4 * o + k % 4] = value & 0xFF
    return image


def halves_image(a: Matrix, w: Matrix) -> bytearray:
    """The same in fp16."""
    image = bytearray(SIZE)
    for start, rows in ((A, a), (W, list(zip(*w, strict=True)))):
        for r, row in enumerate(rows):
            for k, value in enumerate(row):
                index = (2 * r, k % CHANNELS) if start == A else (2 * (k % CHANNELS), r)
                at = start + k // CHANNELS * TILE + place(*index)
                image[at : at + 2] = struct.pack("<e", value)
    return image


def words(image: bytearray, at: int, low: int, high: int = 0) -> None:
    image[at : at + 128] = struct.pack("<I", low) * CHANNELS
    image[at + 128 : at + 256] = struct.pack("<I", high) * CHANNELS


def one(text: str, rs: int = 0, rt: int = 0) -> Packet:
    return packet((text, Address(rs) if "mxmem" in text else rs, rt))


def pair(act: str, a: int, ra: int, weight: tuple[str, int, int]) -> Packet:
    kind, w, rw = weight
    first, second = f"activation.{act}", f"weight.{kind}"
    return packet((first, Address(a), ra), (second, Address(w), rw))


def halves(image: bytes, at: int = OUT) -> list[list[float]]:
    values = struct.unpack("<1024e", image[at : at + TILE])
    return [[values[place(2 * r, o) // 2] for o in range(CHANNELS)] for r in range(32)]


@pytest.mark.parametrize(("arch", "scale"), [("v68", 0), ("v73", 0x3C00)])
@pytest.mark.parametrize("deep", [True, False])
def test_halves_are_accumulated_over_tiles(
    make_lab_for: Callable[..., Lab], arch: str, scale: int, deep: bool
) -> None:
    """One packet for six tiles, or one packet for each."""
    a, w = matrix("a", 32, 192, -3, 3), matrix("w", 192, 32, -3, 3)
    image = halves_image(a, w)
    words(image, WORDS, scale)
    act, last = ("hf=mxmem(Rs,Rt):deep", 6 * TILE - 1) if deep else ("hf=mxmem(Rs,Rt)", TILE - 1)
    pairs = [
        pair(act, A + k * TILE, last, ("hf=mxmem(Rs,Rt)", W + k * TILE, last))
        for k in range(1 if deep else 6)
    ]
    clear, store = one("mxclracc.hf"), one("mxmem(Rs,Rt):after.hf=acc", OUT)
    bias = one("bias=mxmem2(Rs)", WORDS)
    got = make_lab_for(arch).run([bias, clear, *pairs, store], bytes(image), **STRICT)
    assert halves(got) == product(a, w)


def test_scale_bias_and_relu_of_halves(make_lab_for: Callable[..., Lab]) -> None:
    """`cvt` and a store, as kernels for v73 end; then the same accumulators without a bias."""
    a, w = matrix("a", 32, 64, -3, 3), matrix("w", 64, 32, -3, 3)
    image = halves_image(a, w)
    scale, bias = (struct.unpack("<H", struct.pack("<e", value))[0] for value in (0.5, -4.0))
    words(image, WORDS, bias << 16 | scale)
    words(image, WORDS + 256, scale)
    got = make_lab_for("v75").run(
        [
            one("bias=mxmem2(Rs)", WORDS),
            one("mxclracc.hf"),
            pair("hf=mxmem(Rs,Rt):deep", A, 4095, ("hf=mxmem(Rs,Rt)", W, 4095)),
            one("cvt.hf=acc(Rs)", 1),  # retain, and no negative results
            one("mxmem(Rs,Rt)=cvt", OUT),
            one("bias=mxmem2(Rs)", WORDS + 256),
            one("cvt.hf=acc(Rs)", 2),
            one("mxmem(Rs,Rt)=cvt", OUT + TILE),
        ],
        bytes(image),
        **STRICT,
    )
    wanted = product(a, w)
    assert halves(got) == [[max(0, value / 2 - 4) for value in row] for row in wanted]
    assert halves(got, OUT + TILE) == [[value / 2 for value in row] for row in wanted]


@pytest.mark.parametrize("arch", ["v68", "v79"])
def test_whole_sums_of_bytes_in_four_converts(make_lab_for: Callable[..., Lab], arch: str) -> None:
    """Retained accumulators, read a byte at a time, are exact 32-bit sums."""
    a, w = matrix("a", ROWS, 128, 0, 255), matrix("w", 128, 32, -128, 127)
    image = bytes_image(a, w)
    packets = [
        one("mxclracc"),
        pair("ub=mxmem(Rs,Rt):deep", A, 4 * TILE - 1, ("b=mxmem(Rs,Rt)", W, 4 * 1024 - 1)),
    ]
    for byte, word in enumerate(READ_BYTE):
        words(image, WORDS + 256 * byte, word)
        packets.append(one("bias=mxmem2(Rs)", WORDS + 256 * byte))
        packets.append(one("mxmem(Rs,Rt):after:retain.ub=acc", OUT + TILE * byte))
    got = make_lab_for(arch).run(packets, bytes(image), **STRICT)
    sums = [
        [
            int.from_bytes(
                bytes(got[OUT + TILE * byte + place(s, o)] for byte in range(4)),
                "little",
                signed=True,
            )
            for o in range(CHANNELS)
        ]
        for s in range(ROWS)
    ]
    assert sums == product(a, w)


def test_deep_weights_give_64_channels(make_lab_for: Callable[..., Lab]) -> None:
    """Weights `:deep` are those of both sets; two stores write one set each."""
    a, w = matrix("a", ROWS, 32, 0, 15), matrix("w", 32, 64, 0, 15)
    image = bytes_image(a, [row[:32] for row in w] + [row[32:] for row in w])
    words(image, WORDS, 8 << 10 | 1 << 22)  # the sum / 65,536
    words(image, WORDS + 256, 16 << 10)
    packets = [
        one("bias=mxmem2(Rs)", WORDS + 256),
        one("mxclracc"),
        pair("ub=mxmem(Rs,Rt)", A, TILE - 1, ("b=mxmem(Rs,Rt):deep", W, 2 * 1024 - 1)),
        one("mxmem(Rs,Rt):after:sat.ub=acc", OUT),
        one("mxmem(Rs,Rt):after:sat.ub=acc", OUT + TILE),
    ]
    got = make_lab_for("v73").run(packets, bytes(image), **STRICT)
    wanted = product(a, w)
    for s in range(ROWS):
        for o in range(64):
            assert got[OUT + o // 32 * TILE + place(s, o % 32)] == wanted[s][o] >> 8, (s, o)


def test_activations_of_16_bits(make_lab_for: Callable[..., Lab]) -> None:
    """Two positions are one row: its low byte in the even one, its high byte in the odd one."""
    a, w = matrix("a", 32, 64, 0, 65535), matrix("w", 64, 32, 0, 127)
    split = [[value >> 8 * part & 255 for value in row] for row in a for part in (0, 1)]
    image = bytes_image(split, w)
    words(image, WORDS, 11 << 10)
    packets = [
        one("bias=mxmem2(Rs)", WORDS),
        one("mxclracc"),
        pair("ub=mxmem(Rs,Rt):deep", A, 2 * TILE - 1, ("b=mxmem(Rs,Rt)", W, 2 * 1024 - 1)),
        one("mxmem(Rs,Rt):after:sat.uh=acc:2x1", OUT),
    ]
    got = make_lab_for("v75").run(packets, bytes(image), **STRICT)
    high, low = product(split[1::2], w), product(split[::2], w)
    for r in range(32):
        for o in range(CHANNELS):
            at = OUT + place(2 * r, o)
            sum16 = high[r][o] + (low[r][o] >> 8)
            assert int.from_bytes(got[at : at + 2], "little") == min(65535, sum16 >> 5), (r, o)


def test_a_convolution_of_three_rows(make_lab_for: Callable[..., Lab]) -> None:
    """An image of 8 columns and 8 rows in a tile; the next rows come from the next tile."""
    rows = matrix("rows", 16 * 8, 32, 0, 15)  # by row of the image, then by column
    w = matrix("w", 3 * 32, 32, 0, 15)  # for each of three rows
    image = bytes_image(rows[:64], w)
    image[A + TILE : A + 2 * TILE] = bytes_image(rows[64:], w)[A : A + TILE]
    words(image, WORDS, 15 << 10)
    packets = [
        one("bias=mxmem2(Rs)", WORDS),
        one("mxclracc"),
        # y is in bits 10:8 of the offset; Rs names row 2, so that rows 0 to 2 are taps
        pair("ub=mxmem(Rs,Rt)", A | 2 << 8, TILE | 0x700 | 31 << 2, ("b=mxmem(Rs,Rt)", W, 3071)),
        one("mxmem(Rs,Rt):after:sat.ub=acc", OUT),
    ]
    got = make_lab_for("v73").run(packets, bytes(image), **STRICT)
    for y in range(8):
        for x in range(8):
            above = [value for tap in range(3) for value in rows[8 * (y + tap) + x]]
            (wanted,) = product([above], w)
            assert [got[OUT + place(8 * y + x, o)] for o in range(32)] == [
                min(255, value >> 9) for value in wanted
            ], (x, y)
