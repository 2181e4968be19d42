"""Encodes the instructions of HMX, from the table beside this file.

A packet may also have `nop` and `add`, with which kernels advance pointers.  Source of their
encodings: the Hexagon V73 programmer's reference manual.
"""

from __future__ import annotations

import functools
import re
from pathlib import Path

from buildtool.core.value import Value

TABLE = Path(__file__).with_name("hmx_forms.tsv")
_ALIASES = {"sp": "r29", "fp": "r30", "lr": "r31"}
_REGISTERS = r"\((r\d+|sp|fp|lr)(?:,(r\d+|sp|fp|lr))?\)"
_ADD = r"(r\d+)=add\((r\d+),(?:#(-?(?:0x)?[0-9a-f]+)|(r\d+))\)"
_PACKET = r"(?:\{(?P<inside>[^{}]*)\}(?::(?P<loop>endloop(?:0|1|01)))?|(?P<single>[^{}]*))"
_NEWEST = 99
_NOP = 0x7F000000
_NOT_LAST, _LOOP_END, _LAST = 0x4000, 0x8000, 0xC000  # parse bits


class HmxSyntaxError(Exception):
    """Why a statement cannot be encoded: a phrase."""


class HmxForm(Value):
    """A row of the table."""

    syntax: str
    encoding: str  # 32 characters: digits, s, t, P and -
    first: int  # an arch, such as 68
    last: int  # likewise
    kind: str

    def word(self, rs: int, rt: int) -> int:
        """The instruction with the numbers of its registers, without parse bits."""
        bits = re.sub(r"[P-]", "0", self.encoding)
        bits = bits.replace("sssss", f"{rs:05b}").replace("ttttt", f"{rt:05b}")
        return int(bits, 2)


@functools.cache
def hmx_forms() -> dict[str, HmxForm]:
    """The forms by their syntax, such as `mxmem(Rs,Rt):after.hf=acc`."""
    rows = (line.split("\t") for line in TABLE.read_text(encoding="utf-8").splitlines())
    return {
        row[1]: HmxForm(row[1], row[2], int(row[3]), int(row[4] or _NEWEST), row[5])
        for row in rows
        if len(row) > 5 and row[0] != "name" and not row[0].startswith("#")
    }


def hmx_words(statement: str, arch: int | None) -> list[int]:
    """The words of a packet, in braces or of one instruction, for an arch (68) or for any.

    Raises `HmxSyntaxError`.
    """
    packet = re.fullmatch(_PACKET, "".join(statement.split(" ")).strip(";\n\t").lower())
    if not packet:
        raise HmxSyntaxError("it is not one packet")
    inside = packet["inside"] if packet["single"] is None else packet["single"]
    others: list[int] = []
    matrix: list[tuple[HmxForm, int]] = []
    for text in filter(None, re.split(r"[;\n\t]", inside)):
        other = _scalar(text)
        if other is None:
            matrix.append(_encoded(text, arch))
        else:
            others.append(other)
    kinds = [form.kind for form, _ in matrix]
    if len(matrix) > 1 and sorted(kinds) != ["activation", "weight"]:
        raise HmxSyntaxError("a packet has one instruction of HMX, or an activation and a weight")
    # The last word has slot 0, in which all but activations execute.
    matrix.sort(key=lambda pair: pair[0].kind != "activation")
    return _with_parse_bits([*others, *(word for _, word in matrix)], packet["loop"] or "")


def _encoded(text: str, arch: int | None) -> tuple[HmxForm, int]:
    numbers = [0, 0]

    def name(match: re.Match[str]) -> str:
        for index, register in enumerate(filter(None, match.groups())):
            numbers[index] = _number(_ALIASES.get(register, register))
        return "(Rs,Rt)" if match[2] else "(Rs)"

    form = hmx_forms().get(re.sub(_REGISTERS, name, text))
    if form is None:
        raise HmxSyntaxError(
            f"{text}: no such instruction of HMX, and none that a packet with HMX can have here:"
            " nop, Rd=add(Rs,Rt), Rd=add(Rs,#s16); others belong in a packet of their own"
        )
    if arch and not form.first <= arch <= form.last:
        until = "and newer" if form.last == _NEWEST else f"to v{form.last}"
        raise HmxSyntaxError(f"{text}: an instruction of v{form.first} {until}, for a v{arch}")
    return form, form.word(*numbers)


def _scalar(text: str) -> int | None:
    """A `nop` or an `add`; None for another instruction."""
    if text == "nop":
        return _NOP
    match = re.fullmatch(_ADD, text)
    if not match:
        return None
    to, source = _number(match[1]), _number(match[2])
    if match[4]:
        return 0xF3000000 | source << 16 | _number(match[4]) << 8 | to
    value = int(match[3], 0)
    if not -(1 << 15) <= value < 1 << 15:
        raise HmxSyntaxError(f"{text}: the number does not fit 16 bits")
    return 0xB0000000 | (value >> 9 & 0x7F) << 21 | source << 16 | (value & 0x1FF) << 5 | to


def _number(register: str) -> int:
    number = int(register[1:])
    if number > 31:
        raise HmxSyntaxError(f"there is no register {register}")
    return number


def _with_parse_bits(words: list[int], loop: str) -> list[int]:
    """A packet that ends hardware loops says so in the parse bits of its first words."""
    ends = {"endloop0": (0,), "endloop1": (1,), "endloop01": (0, 1)}.get(loop, ())
    words = [_NOP] * (max(ends, default=-1) + 2 - len(words)) + words
    if len(words) > 4:
        raise HmxSyntaxError("the packet has more than four instructions")
    marked = [w | (_LOOP_END if at in ends else _NOT_LAST) for at, w in enumerate(words[:-1])]
    return [*marked, words[-1] | _LAST]
