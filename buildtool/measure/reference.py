"""Compares the file that a program wrote with a file that is right, element by element."""

from __future__ import annotations

import math
import struct
from pathlib import Path

from buildtool.project.benches import Check

CODES = {
    "f16": "e",
    "f32": "f",
    "f64": "d",
    "i8": "b",
    "u8": "B",
    "i16": "h",
    "u16": "H",
    "i32": "i",
    "u32": "I",
    "i64": "q",
    "u64": "Q",
}
"""The formats of `struct` for the types of elements, which are little-endian."""
CHUNK_ELEMENTS = 1 << 16


def compare_elements(check: Check, written: Path, reference: Path) -> str:
    """How the file `written` differs from `reference`, in a line; "" if each element is within the
    tolerances of `check`.  Raises `OSError`."""
    sizes = written.stat().st_size, reference.stat().st_size
    if sizes[0] != sizes[1]:
        return f"it has {sizes[0]:,} bytes, and {reference.name} has {sizes[1]:,}"
    if not sizes[1]:
        return f"{reference.name} is empty, so nothing is checked"
    element = struct.Struct(f"<{CODES[check.type]}")
    if sizes[0] % element.size:
        return f"its {sizes[0]:,} bytes are no elements of type {check.type}"
    first = ""
    differing = index = 0
    with written.open("rb") as ours, reference.open("rb") as right:
        while expected := right.read(CHUNK_ELEMENTS * element.size):
            found = ours.read(len(expected))
            if found != expected:
                pairs = zip(element.iter_unpack(found), element.iter_unpack(expected), strict=True)
                for number, ((value,), (wanted,)) in enumerate(pairs, index):
                    if not _is_close(value, wanted, check):
                        first = first or f"element {number:,} is {value!r} instead of {wanted!r}"
                        differing += 1
            index += len(expected) // element.size
    return f"{first}; {differing:,} of {index:,} differ" if differing else ""


def _is_close(value: float, wanted: float, check: Check) -> bool:
    if value == wanted or (math.isnan(value) and math.isnan(wanted)):
        return True
    if math.isinf(wanted):  # of which any share is infinite
        return False
    return abs(value - wanted) <= check.absolute + check.relative * abs(wanted)
