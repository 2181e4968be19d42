"""SipHash-1-3 with 128 bits, the hash function of zig's cache.

Source: Aumasson and Bernstein, "SipHash: a fast short-input PRF", and its reference implementation
for the 128-bit output.
"""

from __future__ import annotations

import struct

_MASK = (1 << 64) - 1
_State = tuple[int, int, int, int]


def siphash(key: bytes, data: bytes) -> bytes:
    """The hash of `data`, 16 bytes, with a key of 16 bytes."""
    low, high = struct.unpack("<QQ", key)
    state = (
        low ^ 0x736F6D6570736575,
        high ^ 0x646F72616E646F6D ^ 0xEE,
        low ^ 0x6C7967656E657261,
        high ^ 0x7465646279746573,
    )
    whole = len(data) - len(data) % 8
    last = int.from_bytes(data[whole:], "little") | (len(data) & 0xFF) << 56
    for word in (*struct.unpack(f"<{whole // 8}Q", data[:whole]), last):
        v0, v1, v2, v3 = _round((*state[:3], state[3] ^ word))
        state = (v0 ^ word, v1, v2, v3)
    state, first = _finish((state[0], state[1], state[2] ^ 0xEE, state[3]))
    _, second = _finish((state[0], state[1] ^ 0xDD, state[2], state[3]))
    return struct.pack("<QQ", first, second)


def _finish(state: _State) -> tuple[_State, int]:
    for _ in range(3):
        state = _round(state)
    return state, state[0] ^ state[1] ^ state[2] ^ state[3]


def _round(state: _State) -> _State:
    v0, v1, v2, v3 = state
    v0 = (v0 + v1) & _MASK
    v1 = ((v1 << 13 | v1 >> 51) & _MASK) ^ v0
    v0 = (v0 << 32 | v0 >> 32) & _MASK
    v2 = (v2 + v3) & _MASK
    v3 = ((v3 << 16 | v3 >> 48) & _MASK) ^ v2
    v0 = (v0 + v3) & _MASK
    v3 = ((v3 << 21 | v3 >> 43) & _MASK) ^ v0
    v2 = (v2 + v1) & _MASK
    v1 = ((v1 << 17 | v1 >> 47) & _MASK) ^ v2
    v2 = (v2 << 32 | v2 >> 32) & _MASK
    return v0, v1, v2, v3
