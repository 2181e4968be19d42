"""The instructions of `hmx_forms.tsv`: their texts, and what they do to a machine."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from .pair import Activation, Weight
from .spatial import Spatial

if TYPE_CHECKING:
    from .machine import Machine

TABLE = Path(__file__).parents[2] / "buildtool" / "toolchains" / "hmx_forms.tsv"
_LOAD = re.compile(
    r"(activation|weight)\.(\w+)=mxmem\(Rs,Rt\)(:2x)?(?::(deep|above|single|dilate|drop|after))?(:cm)?"
)
_DIRECT = re.compile(
    r"mxmem\(Rs,Rt\):(before|after)(:retain)?(:cm)?(:sat|:pos)?\.(ub|uh|hf)=acc(:2x[12])?"
)
_CVT = re.compile(r"cvt\.(ub|uh|hf|f8)=acc\(Rs\)(:\w+)?")
_STORE = re.compile(r"mxmem\(Rs,Rt\)(:cm)?(:2x2)?(:deep)?(\.f8)?=cvt")


@dataclass(frozen=True)
class Form:
    """A row of the table."""

    name: str
    syntax: str
    encoding: str
    first: int
    last: int
    kind: str

    def exists(self, arch: int) -> bool:
        return self.first <= arch <= self.last

    def word(self, rs: int, rt: int, last: bool) -> int:
        """The instruction with two register numbers; `last` if it ends its packet."""
        text = self.encoding.replace("PP", "11" if last else "01").replace("-", "0")
        for letter, number in (("s", rs), ("t", rt)):
            for bit in reversed(range(5)):
                text = text.replace(letter, str(number >> bit & 1), 1)
        return int(text, 2)


@cache
def forms() -> tuple[Form, ...]:
    rows = (line for line in TABLE.read_text().splitlines() if not line.startswith("#"))
    return tuple(
        Form(name, syntax, encoding, int(first), int(last or 99), kind)
        for name, syntax, encoding, first, last, kind, *_ in (row.split("\t") for row in rows)
        if name != "name"
    )


def form(syntax: str) -> Form:
    return next(one for one in forms() if one.syntax == syntax)


@dataclass(frozen=True)
class Instruction:
    """A form with the values of its registers."""

    form: Form
    rs: int = 0
    rt: int = 0

    def load(self) -> Activation | Weight | None:
        """What a load of a pair loads; None for others."""
        found = _LOAD.fullmatch(self.form.syntax)
        if not found:
            return None
        side, kind, double, shape, channel_major = found.groups()
        if side == "weight":
            return Weight(kind + (double or ""), shape or "", self.rs, self.rt)
        where = Spatial(self.rs, self.rt, bool(channel_major), kind != "ub")
        return Activation(kind, where, shape or "")

    def apply(self, machine: Machine) -> None:
        """What other instructions do."""
        text = self.form.syntax
        match text:
            case "mxclracc" | "mxclracc.hf":
                machine.clear(text.endswith("hf"))
            case "mxswapacc" | "mxswapacc.hf":
                machine.swap(text.endswith("hf"))
            case "acc=mxshl(acc,#16)":
                machine.shift_left()
            case "bias=mxmem(Rs)" | "bias=mxmem2(Rs)":
                machine.load_bias(self.rs, "2(" in text)
            case "mxmem(Rs)=bias" | "mxmem2(Rs)=bias":
                machine.store_bias(self.rs, "2(" in text)
            case _ if found := _DIRECT.fullmatch(text):
                self._direct(machine, found)
            case _ if found := _CVT.fullmatch(text):
                machine.convert(found[1] + (found[2] or ""), self.rs, direct=False)
            case _ if found := _STORE.fullmatch(text):
                where = Spatial(self.rs, self.rt, bool(found[1]), halves=False)
                machine.store(where, deep=bool(found[3]), double=bool(found[2]))

    def _direct(self, machine: Machine, found: re.Match[str]) -> None:
        columns, retain, channel_major, limited, kind, double = found.groups()
        machine.convert(kind + (double or ""), bool(retain) | (0 if limited else 2), direct=True)
        where = Spatial(self.rs, self.rt, bool(channel_major), halves=kind == "hf")
        machine.store(where, columns, double=double == ":2x2")
