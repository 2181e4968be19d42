"""The test cases for every build of the kernels, from a fixed seed."""

from __future__ import annotations

import random
import struct
from dataclasses import dataclass

from .reference import matmul_q4_0, matvec_q8_0, row_blocks, vec_add_i32

LENGTHS = (0, 1, 2, 31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 256, 1000, 4099)
SHAPES = (
    *((rows, 1) for rows in (0, 1, 3, 4, 5)),
    *((2, cols) for cols in (0, 1, 31, 32, 33, 63, 64, 95, 96, 97, 127, 128, 129, 159, 161)),
    *((rows, cols) for rows in (1, 4, 7, 33) for cols in (255, 256, 257, 500)),
    (3, 4096),
)
#: Rows, values of a row, vectors; the last one is divided between two workers.
PRODUCTS = (
    *((2, cols, 1) for cols in (0, 1, 31, 32, 33, 255, 256, 257, 288)),
    *((3, cols, count) for cols in (1, 500) for count in (0, 2, 4, 5, 9)),
    *((0, 33, 2), (67, 1000, 1)),
)
#: Bytes between the end of a buffer and the guard page: none, and every kind of alignment.
DISTANCES = (0, 1, 4, 30, 67, 100, 127)


@dataclass(frozen=True)
class Case:
    """One call of a kernel, and its output according to `reference`."""

    name: str
    message: bytes
    expected: bytes


def all_cases(seed: int = 1) -> tuple[Case, ...]:
    """Every length and shape at every distance, then extreme values."""
    source = random.Random(seed)
    adds = [_add(source, n, d) for n in LENGTHS for d in DISTANCES]
    products = [_matvec(source, r, c, d) for r, c in SHAPES for d in DISTANCES]
    matrices = [_matmul(source, shape, d) for shape in PRODUCTS for d in DISTANCES]
    return (*adds, *products, *matrices, *_extremes())


def _add(source: random.Random, count: int, distance: int) -> Case:
    a, b = source.randbytes(4 * count), source.randbytes(4 * count)
    return _add_case(f"vec_add_i32 {count} at -{distance}", a, b, distance)


def _add_case(name: str, a: bytes, b: bytes, distance: int) -> Case:
    header = struct.pack("<4I", 0, len(a) // 4, 0, distance)
    return Case(name, header + a + b, vec_add_i32(a, b))


def _matvec(source: random.Random, rows: int, cols: int, distance: int) -> Case:
    blocks = row_blocks(cols)
    weights = b"".join(_block(source) for _ in range(rows * blocks))
    x = b"".join(_block(source) for _ in range(blocks))
    name = f"matvec_q8_0 {rows}x{cols} at -{distance}"
    return _matvec_case(name, weights, x, (rows, cols), distance)


def _matvec_case(
    name: str, weights: bytes, x: bytes, shape: tuple[int, int], distance: int
) -> Case:
    rows, cols = shape
    header = struct.pack("<4I", 1, rows, cols, distance)
    return Case(name, header + weights + x, matvec_q8_0(weights, x, rows, cols))


def _matmul(source: random.Random, shape: tuple[int, int, int], distance: int) -> Case:
    rows, cols, count = shape
    blocks = row_blocks(cols)
    weights = b"".join(_block(source)[:18] for _ in range(rows * blocks))
    x = b"".join(_block(source) for _ in range(count * blocks))
    return _matmul_case(f"matmul_q4_0 {rows}x{cols}x{count}", weights, x, shape, distance)


def _matmul_case(
    name: str, weights: bytes, x: bytes, shape: tuple[int, int, int], distance: int = 0
) -> Case:
    rows, cols, count = shape
    header = struct.pack("<4I", 2 + count, rows, cols, distance)
    expected = matmul_q4_0(weights, x, rows, cols, count)
    return Case(f"{name} at -{distance}", header + weights + x, expected)


def _block(source: random.Random) -> bytes:
    """A block with any finite scale, including subnormals and both zeros, and any values."""
    scale = source.getrandbits(16)
    if scale >> 10 & 0x1F == 0x1F:  # infinity, NaN: the bits of a NaN depend on the machine
        scale &= ~0x4000
    return struct.pack("<H", scale) + source.randbytes(32)


def _extremes() -> list[Case]:
    low, high = struct.pack("<i", -(2**31)), struct.pack("<i", 2**31 - 1)
    one, minus_one = struct.pack("<i", 1), struct.pack("<i", -1)
    lowest = struct.pack("<H32b", 0xFBFF, *[-128] * 32)
    highest = struct.pack("<H32b", 0x7BFF, *[127] * 32)
    low4, high4 = (struct.pack("<H16B", scale, *[0] * 16) for scale in (0xFBFF, 0x7BFF))
    infinite = struct.pack("<H16B", 0xFC00, *[0x77] * 16)
    x_infinite = struct.pack("<H32b", 0x7C00, *[3] * 32)
    tiny4 = struct.pack("<H16B", 0x0001, *[0x99] * 16)
    tiny = struct.pack("<H32b", 0x0001, *[1] * 32)
    return [
        _add_case("vec_add_i32 wraps up", high * 37, one * 37, 0),
        _add_case("vec_add_i32 wraps down", low * 37, minus_one * 37, 0),
        _matvec_case("matvec_q8_0 lowest x lowest", lowest * 16, lowest * 8, (2, 256), 0),
        _matvec_case("matvec_q8_0 lowest x highest", lowest * 16, highest * 8, (2, 256), 0),
        _matvec_case("matvec_q8_0 tiny x tiny", tiny * 16, tiny * 8, (2, 250), 0),
        _matmul_case("matmul_q4_0 lowest x lowest", low4 * 16, lowest * 8, (2, 256, 1)),
        _matmul_case("matmul_q4_0 tiny x tiny", tiny4 * 16, tiny * 8, (2, 250, 1)),
        _matmul_case("matmul_q4_0 infinite", infinite * 2, highest, (2, 32, 1)),
        _matmul_case("matmul_q4_0 x infinite", high4 * 2, x_infinite, (2, 32, 1)),
    ]
