"""A bit-exact definition of the kernels in Python, as an independent reference.

Float steps round as in IEEE single precision: the product of two floats is exact
in a double, and a sum of two floats that is rounded first to double and then to float is
rounded correctly (a double has more than twice a float's bits), so packing to `f`
after each step gives the same bits as a float unit.
"""

from __future__ import annotations

import struct

BLOCK_VALUES = 32
BLOCK_BYTES = 34


def row_blocks(cols: int) -> int:
    """Blocks in a row of `cols` values."""
    return -(-cols // BLOCK_VALUES)


def vec_add_i32(a: bytes, b: bytes) -> bytes:
    """Wrapping sums of two packed int32 arrays."""
    form = f"<{len(a) // 4}I"
    pairs = zip(struct.unpack(form, a), struct.unpack(form, b), strict=True)
    return struct.pack(form, *((x + y) & 0xFFFFFFFF for x, y in pairs))


def matvec_q8_0(weights: bytes, x: bytes, rows: int, cols: int) -> bytes:
    """`rows` packed floats: each block's exact integer dot product, scaled and summed."""
    row_bytes = row_blocks(cols) * BLOCK_BYTES
    return b"".join(
        struct.pack("<f", _dot(weights[r * row_bytes : (r + 1) * row_bytes], x, cols))
        for r in range(rows)
    )


def matmul_q4_0(weights: bytes, x: bytes, rows: int, cols: int, count: int) -> bytes:
    """`count` times `rows` packed floats, those of matvec_q8_0 for the same weights in Q8_0."""
    wide = b"".join(_widened(weights[at : at + 18]) for at in range(0, len(weights), 18))
    row_bytes = row_blocks(cols) * BLOCK_BYTES
    vectors = (x[n * row_bytes : (n + 1) * row_bytes] for n in range(count))
    return b"".join(matvec_q8_0(wide, vector, rows, cols) for vector in vectors)


def _widened(block: bytes) -> bytes:
    """A block of Q4_0 in Q8_0."""
    nibbles = (*(byte & 15 for byte in block[2:]), *(byte >> 4 for byte in block[2:]))
    return block[:2] + struct.pack("32b", *(nibble - 8 for nibble in nibbles))


def _dot(row: bytes, x: bytes, cols: int) -> float:
    total = 0.0
    for block in range(row_blocks(cols)):
        at = block * BLOCK_BYTES
        row_scale, *row_values = struct.unpack_from("<e32b", row, at)
        x_scale, *x_values = struct.unpack_from("<e32b", x, at)
        count = min(BLOCK_VALUES, cols - block * BLOCK_VALUES)
        dot = sum(p * q for p, q in zip(row_values[:count], x_values[:count], strict=True))
        total = _single(total + _single(_single(row_scale * x_scale) * dot))
    return total


def _single(value: float) -> float:
    return float(struct.unpack("<f", struct.pack("<f", value))[0])
