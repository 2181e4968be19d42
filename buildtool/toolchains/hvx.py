"""The packets of Hexagon code and where each of them goes on, and the instructions of HVX.

Source of the encodings: Hexagon V73 programmer's reference manual, "Instruction encoding" and the
chapters of the instruction classes J, CR, LD and SUBINSN; compared with LLVM's disassembler.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
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


END, DUPLEX, LOOP = 0xC000, 0x0000, 0x8000
_DIRECT_CALLS = (0x5A, 0x5B)
_CALLS = (*_DIRECT_CALLS, 0x5D, 0x50, 0x51)  # if (Pu) call, callr, if (Pu) callr
_JUMPR, _IF_JUMPR = 0x52, 0x53
_RETURN_ADDRESS = 31
_LOOP_STARTS = {0x60: {0: 0, 1: 1, 5: 0, 6: 0, 7: 0}, 0x69: {0: 0, 1: 1, 5: 0, 6: 0, 7: 0}}
_CONTROL = frozenset((*range(0x18), *range(0x20, 0x28), *range(0x50, 0x62), 0x69, 0x90, 0x96, 0xA0))
"""The first bytes of all instructions that this module tells apart."""
_TRANSFERS = frozenset((*range(0x10, 0x18), *range(0x20, 0x28), 0x58, 0x59, 0x5A, 0x5B, 0x5C, 0x61))
# By the class of a duplex, which of its parts (the bits from 0, from 16) are of the class of
# returns, and which of that of allocframe.
_RETURNS = {0x1: (0,), 0x2: (0, 16), 0x5: (0,), 0x9: (16,), 0xD: (16,)}
_FRAMES = {0x7: (0,), 0xB: (0,), 0xC: (0,), 0xD: (0,), 0xE: (0, 16)}


class Packet(Value):
    """Instructions that are executed together."""

    address: int
    words: tuple[int, ...]
    targets: tuple[int, ...]  # where it may go on, besides the packet after it
    falls_through: bool  # it may go on with the packet after it
    calls: bool
    frame: bool  # it makes or removes the frame of a function
    indirect: bool  # it may go on elsewhere, other than by a return


def packets(code: Sequence[int], address: int) -> list[Packet]:
    """The packets of `code`, which begins at `address`."""
    found: list[Packet] = []
    loops: dict[int, list[tuple[int, int]]] = {}  # that a packet sets up: number and start
    at, last = 0, len(code) - 1
    while at <= last:
        end, limit = at, min(at + 3, last)
        while end < limit and code[end] & END not in (END, DUPLEX):
            end += 1
        packet, starts = _packet(address + 4 * at, tuple(code[at : end + 1]))
        if starts:
            loops[len(found)] = starts
        found.append(packet)
        at = end + 1
    _close_loops(found, loops)
    return found


def _ends(packet: Packet) -> tuple[int, ...]:
    """The numbers of the loops that end with a packet."""
    words = packet.words
    return tuple(number for number in (0, 1) if words[number:] and words[number] & END == LOOP)


def _close_loops(found: list[Packet], loops: dict[int, list[tuple[int, int]]]) -> None:
    """Add the starts of loops to the targets of their ends: those that were set up last, on any way
    that leads there."""
    numbers = {packet.address: number for number, packet in enumerate(found)}
    starts = [start for rows in loops.values() for _, start in rows]
    bits = iter(range(len(starts)))
    set_up = {at: [(loop, 1 << next(bits)) for loop, _ in rows] for at, rows in loops.items()}
    of_loop = [sum(b for rows in set_up.values() for n, b in rows if n == loop) for loop in (0, 1)]
    ends = {at: closed for at, packet in enumerate(found) if (closed := _ends(packet))}

    def started(at: int) -> list[int]:
        mask = reach[at] & sum(of_loop[loop] for loop in ends.get(at, ()))
        return [start for bit, start in enumerate(starts) if mask >> bit & 1] if mask else []

    # To a fixed point: `reach` has a bit for each start that was set up last on some way to the
    # packet.  Setting up a loop drops the bits of that loop; a called function may use both loops.
    reach = [0] * len(found)
    waiting = list(range(len(found) - 1, -1, -1)) if starts else []
    while waiting:
        at = waiting.pop()
        packet, state = found[at], 0 if found[at].calls else reach[at]
        for loop, bit in set_up.get(at, ()):
            state = state & ~of_loop[loop] | bit
        after = [numbers[target] for target in (*packet.targets, *started(at)) if target in numbers]
        if packet.falls_through and at + 1 < len(found):
            after.append(at + 1)
        for number in after:
            if state & ~reach[number]:
                reach[number] |= state
                waiting.append(number)
    for at, closed in ends.items():
        targets = started(at)
        found[at] = found[at]._replace(
            targets=(*found[at].targets, *targets),
            indirect=found[at].indirect or len(targets) < len(closed),
        )


def _packet(address: int, words: tuple[int, ...]) -> tuple[Packet, list[tuple[int, int]]]:
    """The packet, and the number and start of each loop that it sets up."""
    targets: list[int] = []
    loops: list[tuple[int, int]] = []
    falls, calls, frame, indirect = True, False, False, False
    extension: int | None = None
    for word in words:
        kind = word >> 24
        if word & END == DUPLEX:
            returns, removes = _duplex(word)
            falls, frame = falls and not returns, frame or removes
        elif kind not in _CONTROL:
            pass
        elif kind < 0x10:
            extension = _extension(word)
            continue
        elif kind in _CALLS:
            calls = True
        elif kind in (_JUMPR, _IF_JUMPR):
            if kind == _IF_JUMPR or word >> 21 & 5 == 4:  # jumpr, jumprh; not hintjr
                falls = falls and kind == _IF_JUMPR
                indirect = indirect or word >> 16 & 31 != _RETURN_ADDRESS
        elif word >> 21 == 0x4B0:
            falls, frame = falls and bool(word >> 10 & 0xF), True
        elif word >> 21 in (0x480, 0x504):  # deallocframe, allocframe
            frame = True
        elif loop := _loop(word):
            loops.append((loop[0], address + _offset(loop[1], 7, extension)))
        elif jump := _jump(word):
            targets.append(address + _offset(jump[0], jump[1], extension))
            falls = falls and not jump[2]
        extension = None
    return Packet(address, words, tuple(targets), falls, calls, frame, indirect), loops


def transfers(code: Sequence[int], address: int) -> Iterator[tuple[int, int, bool]]:
    """The direct jumps and calls of `code`, which begins at `address`, without its packets: the
    address of each one's packet, its target, and whether it is a call."""
    packet = address
    extension: int | None = None
    for number, word in enumerate(code):
        kind, end = word >> 24, word & END
        if kind in _TRANSFERS and end:
            if kind in _DIRECT_CALLS:
                field = (word >> 16 & 0x1FF) << 13 | word >> 1 & 0x1FFF
                yield packet, packet + _offset(field, 22, extension), True
            elif jump := _jump(word):
                yield packet, packet + _offset(jump[0], jump[1], extension), False
        extension = _extension(word) if kind < 0x10 and end else None
        if end in (END, DUPLEX):
            packet = address + 4 * number + 4


def _extension(word: int) -> int:
    """The upper bits of the constant in the next instruction."""
    return ((word >> 16 & 0xFFF) << 14 | word & 0x3FFF) << 6


def _offset(field: int, bits: int, extension: int | None) -> int:
    if extension is not None:
        value, bits = extension | field & 0x3F, 32
    else:
        value, bits = field << 2, bits + 2
    return value - (1 << bits) if value >> bits - 1 & 1 else value


def _loop(word: int) -> tuple[int, int] | None:
    """The number of the loop that is set up, and the field with its start."""
    number = _LOOP_STARTS.get(word >> 24, {}).get(word >> 21 & 7)
    return None if number is None else (number, (word >> 8 & 31) << 2 | word >> 3 & 3)


def _jump(word: int) -> tuple[int, int, bool] | None:
    """The field with the target of a direct jump, its bits, and whether it is always taken."""
    kind = word >> 24
    if kind in (0x58, 0x59):
        return (word >> 16 & 0x1FF) << 13 | word >> 1 & 0x1FFF, 22, True
    if kind == 0x5C:
        high = (word >> 22 & 3) << 13 | (word >> 16 & 31) << 8
        return high | (word >> 13 & 1) << 7 | word >> 1 & 0x7F, 15, False
    if kind == 0x61:
        return (word >> 21 & 1) << 12 | (word >> 13 & 1) << 11 | word >> 1 & 0x7FF, 13, False
    if 0x10 <= kind < 0x18 or 0x20 <= kind < 0x28:
        return (word >> 20 & 3) << 7 | word >> 1 & 0x7F, 9, kind in (0x16, 0x17)
    return None


def _duplex(word: int) -> tuple[bool, bool]:
    """Whether it always returns, and whether it makes or removes a frame."""
    kind = word >> 29 << 1 | word >> 13 & 1
    returns = removes = False
    for at in _RETURNS.get(kind, ()):
        part = word >> at & 0x1FFF
        returns = returns or (part >> 6 in (0b1111101, 0b1111111) and not part & 4)
        removes = removes or part >> 6 in (0b1111100, 0b1111101)
    makes = any(word >> at + 9 & 0xF == 0b1110 for at in _FRAMES.get(kind, ()))
    return returns, removes or makes
