"""The instructions of HVX: which one a word is, and its operands."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from functools import cache, cached_property
from pathlib import Path

from buildtool.core.value import Value

_TABLE = Path(__file__).with_name("hvx_forms.tsv")
_PARSE = 0xC000
_VECTOR = 128  # bytes
_LAST_WITH_IEEE = 75
_IEEE = re.compile(r"V[dx]+\.[sh]f\+?=v(add|sub|mpy|dmpy)\(V[u]+\.[sh]f,V[v]+\.[sh]f\)")
_COPY = re.compile(r"=v(combine|mux|swap)\(|Vd(\.tmp)?=Vu$")
_PERMUTATION = re.compile(
    r"(?:^|=)v(ror|align4?|lalign|r?delta|lut\w+|shuff\w*|deal\w*|unpacko?|pack[eo]|zxt)\("
)


QF_KINDS = frozenset({"qf32", "qf16"})
IEEE_KINDS = frozenset({"sf", "hf", "bf", "f8"})


class Operand(Value):
    """A vector of an instruction: "Vu" at the bits from `at`; `kind` is "qf32", "sf", … or ""."""

    name: str
    kind: str
    at: int

    @property
    def is_qf(self) -> bool:
        return self.kind in QF_KINDS

    def registers(self, word: int) -> tuple[int, ...]:
        number = word >> self.at & 31
        # A pair with an odd number has its registers exchanged.
        return (number, number ^ 1) if len(self.name) > 2 else (number,)


class Form(Value):
    """An instruction; `first` is the first arch that has it (v68 = 68)."""

    first: int
    syntax: str
    operands: tuple[Operand, ...]

    @cached_property
    def ieee(self) -> bool:
        """Whether it is an IEEE sum or product, which archs from v79 on do not have."""
        return bool(_IEEE.match(self.syntax))

    @cached_property
    def has_qf(self) -> bool:
        return "qf" in self.syntax

    @cached_property
    def results(self) -> tuple[Operand, ...]:
        return tuple(each for each in self.operands if each.name[1] in "dxy")

    @cached_property
    def sources(self) -> tuple[Operand, ...]:
        return tuple(each for each in self.operands if each.name[1] != "d")

    @cached_property
    def copies(self) -> bool:
        """Whether it writes lanes of its vectors as they are, at the places where they were."""
        return bool(_COPY.search(self.syntax))

    @cached_property
    def permuted(self) -> tuple[Operand, ...]:
        """The operands whose lanes it writes elsewhere."""
        if not (found := _PERMUTATION.search(self.syntax)):
            return ()
        other = "Vu" if found[1].startswith("lut") else "Vv" if "delta" in found[1] else ""
        return tuple(each for each in self.sources if each.name != other)

    @cached_property
    def conditional(self) -> bool:
        return self.syntax.startswith("if")

    @cached_property
    def memory(self) -> str:
        """The address of a load or store of a vector, "" if it is none."""
        found = re.search(r"vmemu?\((.*?)\)", self.syntax)
        return found[1] if found else ""

    @cached_property
    def is_store(self) -> bool:
        return bool(self.memory) and "=vmem" not in self.syntax

    def text(self, word: int) -> str:
        """The instruction with the numbers of its vectors."""
        text = self.syntax
        for operand in self.operands:
            numbers = ":".join(map(str, reversed(operand.registers(word))))
            if operand.name[0] == "V":
                text = re.sub(rf"\b{operand.name}\b", f"v{numbers}", text)
        return text

    def lacked_by(self, arch: int) -> bool:
        return self.first > arch or (self.ieee and arch > _LAST_WITH_IEEE)


def is_vector(word: int) -> bool:
    """Whether the word is in a class of HVX, and is not a duplex."""
    return word >> 27 in (3, 5) and bool(word & _PARSE)


@cache
def _table() -> dict[int, dict[int, dict[int, Form]]]:
    """By the 7 first bits, the mask, and the bits below it."""
    table: dict[int, dict[int, dict[int, Form]]] = defaultdict(lambda: defaultdict(dict))
    lines = [line for line in _TABLE.read_text(encoding="utf-8").splitlines() if line[0] != "#"]
    for line in lines[1:]:
        mask, bits, first, syntax, operands = line.split("\t")
        form = Form(int(first), syntax, tuple(_operands(operands.split())))
        table[int(bits, 16) >> 25][int(mask, 16)][int(bits, 16)] = form
    return table


def _operands(texts: Iterable[str]) -> Iterable[Operand]:
    for text in texts:
        name, _, at = text.partition(":")
        name, _, kind = name.partition(".")
        if name[0] in "VO":
            yield Operand(name, kind, int(at))


def address_of(word: int) -> tuple[int, int]:
    """The register, and the bytes after it, of `vmem(Rt+#s4)`."""
    vectors = (word >> 13 & 1) << 3 | word >> 8 & 7
    return word >> 16 & 31, (vectors - (vectors << 1 & 16)) * _VECTOR


@cache
def form_of(word: int) -> Form | None:
    """The instruction that a word is; None if it is none that is known."""
    for mask, forms in _table().get(word >> 25, {}).items():
        if form := forms.get(word & mask & ~_PARSE):
            return form
    return None
