"""Reads the lines that skels print with skel/show.h: "NAME ARGUMENT... = RESULT..."."""

from __future__ import annotations

import re
import struct
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from tests.device.fastrpc.toolbox import Device

Words = list[Any]  # int, float and str
Shown = dict[str, list[tuple[Words, Words]]]


def single(value: float) -> float:
    """`value` rounded to a float; infinite if it is too large for one."""
    try:
        rounded: float = struct.unpack("<f", struct.pack("<f", value))[0]
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")
    return rounded


def _word(text: str) -> int | float | str:
    if text[0] == '"':
        return text[1:-1]
    if text[0] in "df":
        layout = ("<Q", "<d") if text[0] == "d" else ("<I", "<f")
        value: float = struct.unpack(layout[1], struct.pack(layout[0], int(text[1:], 16)))[0]
        return value
    return int(text)


def _words(text: str) -> Words:
    return [_word(word) for word in re.findall(r'"[^"]*"|\S+', text)]


def show(device: Device, skel: str, cases: Sequence[str]) -> Shown:
    """Run cases of a skel in one DSP process; returns the lines of each name, in order."""
    script = "; ".join(
        (f"open {skel}", *(f"case {skel} {name}" for name in cases), f"close {skel}")
    )
    result = device.run(script)
    assert result.status == 0, result.err
    for name in cases:
        assert result[f"case {skel} {name}"].split()[0] == "0", result.err
    shown: Shown = defaultdict(list)
    for line in result.err.splitlines():
        name, _, rest = line.removeprefix("[dsp] HIGH: ").partition(" ")
        arguments, _, results = f" {rest}".partition(" =")
        shown[name].append((_words(arguments), _words(results)))
    return shown


def results(shown: Shown, name: str) -> Words:
    """The results of the only line of a name."""
    [(_, found)] = shown[name]
    return found
