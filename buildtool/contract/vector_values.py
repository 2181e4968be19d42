"""Which instructions wrote the vectors that an instruction reads: the data flow of one function.

It follows vectors through registers, the slots of a stack frame, copies, and the new values of a
packet.  What is not known is a write of the kind `UNKNOWN`: what a function is called with, what a
call leaves in the registers, and words that are no instructions.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterator, Sequence

from buildtool.contract.vector_code import Slot, StackAddresses
from buildtool.core.value import Value
from buildtool.toolchains.hvx import Form, Operand, Packet, form_of, is_vector

UNKNOWN, COPY, LOAD, STORE, OTHER = "unknown", "copy", "load", "store", ""
MAX_PACKETS = 1 << 15  # of a function; the largest known one has 17,000
MAX_STEPS = 20  # for each packet; known functions take up to 8
MAX_BITS = 1 << 29  # of the writes that reach all packets; known functions have up to 1 << 27
_REGISTERS = range(32)

Place = int | Slot
"""A register's number, or a slot of the stack."""


class Write(Value):
    """The instruction at `address` writes `place`; `kind` is "qf32", "sf", … or one of the above.

    What a `COPY`, `LOAD` or `STORE` writes is in `sources` before its packet, or was written by
    those of `new`, a set of bits of the numbers of writes.
    """

    address: int
    place: Place
    kind: str
    packet: int = -1
    sources: tuple[Place, ...] = ()
    new: int = 0


class Read(Value):
    """The instruction at `address` reads an operand; `writes` are those of each of its registers,
    as bits of their numbers."""

    address: int
    word: int
    form: Form
    operand: Operand
    registers: tuple[int, ...]
    writes: tuple[int, ...]


class Origin(Value):
    """What computed a value, and the writes that passed it on, from the reader back."""

    write: Write
    passed: tuple[Write, ...]


class _Instruction(Value):
    address: int
    word: int
    form: Form


class _Effect(Value):
    """What a packet writes: `written` are bits; all other writes of `places`, and of slots relative
    to `bases`, end there."""

    written: int
    places: frozenset[Place]
    bases: frozenset[int]


class TooComplexError(Exception):
    """Following a function takes more steps than any that was ever compiled."""


class VectorValues:
    """The values of the vectors of a function, whose `packets` can be entered at `entries`.

    The constructor and `origins` raise `TooComplexError`.
    """

    def __init__(self, packets: Sequence[Packet], entries: Collection[int]) -> None:
        if len(packets) > MAX_PACKETS:
            raise TooComplexError
        self._packets = packets
        self._steps = MAX_STEPS * len(packets) + MAX_STEPS
        self._numbers = {packet.address: number for number, packet in enumerate(packets)}
        self._writes: list[Write] = []
        self._of_place: dict[Place, int] = {}
        self._unknown: dict[Place, int] = {}
        self._read: list[list[_Instruction]] = []
        self._within: dict[tuple[int, int], tuple[int, int | None]] = {}
        """By packet and register of a `.cur` or `.tmp`: the writes, and the register before the
        packet, that it may be."""
        self._starts = {*entries, *(target for packet in packets for target in packet.targets)}
        self._stack = StackAddresses()
        for register in _REGISTERS:
            self._know(register)
        effects = [self._effect(number) for number in range(len(packets))]
        if len(packets) * len(self._writes) > MAX_BITS:
            raise TooComplexError
        self._before = self._solve(entries, [self._transfer(effect) for effect in effects])

    def reads(self) -> Iterator[Read]:
        for number, instructions in enumerate(self._read):
            for address, word, form in instructions:
                for operand in form.sources:
                    if operand.name[0] == "V":
                        registers = operand.registers(word)
                        writes = tuple(self._reaching(number, each) for each in registers)
                        yield Read(address, word, form, operand, registers, writes)

    def origins(self, writes: int) -> Iterator[Origin]:
        """What computed a value that `writes` (bits) wrote, through copies and the stack.

        What came through the stack is told apart from what did not.
        """
        waiting: list[tuple[int, tuple[int, ...], bool]] = [(n, (), False) for n in _bits(writes)]
        seen = {(number, False) for number, _, _ in waiting}
        while waiting:
            self._count_step()
            number, passed, stored = waiting.pop()
            write = self._writes[number]
            if write.kind not in (COPY, LOAD, STORE):
                yield Origin(write, tuple(self._writes[each] for each in passed))
                continue
            stored = stored or write.kind == STORE
            sources = write.new
            for place in write.sources:
                sources |= self._reaching(write.packet, place)
            for source in _bits(sources):
                if (source, stored) not in seen:
                    seen.add((source, stored))
                    waiting.append((source, (*passed, number), stored))

    def crosses_call(self, store: Write, load: Write) -> bool:
        """Whether every way from the store to the load has a call."""
        if self._packets[store.packet].calls:
            return True
        seen, waiting = set[int](), [store.packet]
        while waiting:
            number = waiting.pop()
            if number == load.packet and seen:
                return False
            for after in self._after(number):
                if after not in seen and not self._packets[after].calls:
                    seen.add(after)
                    waiting.append(after)
        return True

    def _count_step(self) -> None:
        self._steps -= 1
        if self._steps < 0:
            raise TooComplexError

    def _reaching(self, number: int, place: Place) -> int:
        """The writes of a place that a packet reads, as bits."""
        new, old = 0, place
        if isinstance(place, int) and (found := self._within.get((number, place))):
            new, register = found
            if register is None:
                return new
            old = register
        return new | self._before[number] & self._of_place[old]

    def _after(self, number: int) -> Iterator[int]:
        packet = self._packets[number]
        if packet.falls_through and number + 1 < len(self._packets):
            yield number + 1
        for target in packet.targets:
            if target in self._numbers:
                yield self._numbers[target]

    def _solve(self, entries: Collection[int], transfers: list[tuple[int, int]]) -> list[int]:
        """The writes that reach each packet, as bits."""
        everything = sum(self._unknown.values())
        after = [tuple(self._after(number)) for number in range(len(self._packets))]
        reached = {each for some in after for each in some}
        before = [0] * len(self._packets)
        for number, packet in enumerate(self._packets):
            if packet.address in entries or number not in reached:
                before[number] = everything
        waiting = deque(range(len(self._packets)))
        queued = set(waiting)
        while waiting:
            self._count_step()
            number = waiting.popleft()
            queued.discard(number)
            written, overwritten = transfers[number]
            out = before[number] & ~overwritten | written
            for each in after[number]:
                if (merged := before[each] | out) != before[each]:
                    before[each] = merged
                    if each not in queued:
                        queued.add(each)
                        waiting.append(each)
        return before

    # ---- what a packet writes ----

    def _know(self, place: Place) -> None:
        if place not in self._of_place:
            self._of_place[place] = 0
            self._unknown[place] = self._add(Write(0, place, UNKNOWN))

    def _add(self, write: Write) -> int:
        bit = 1 << len(self._writes)
        self._writes.append(write)
        self._of_place[write.place] |= bit
        return bit

    def _transfer(self, effect: _Effect) -> tuple[int, int]:
        """The bits that a packet sets and clears."""
        written, overwritten = effect.written, 0
        for place in effect.places:
            overwritten |= self._of_place[place]
        for place, bit in self._unknown.items() if effect.bases else ():
            if isinstance(place, tuple) and place[0] in effect.bases:
                overwritten |= self._of_place[place]
                written = written & ~self._of_place[place] | bit
        return written, overwritten

    def _effect(self, number: int) -> _Effect:
        packet = self._packets[number]
        if packet.address in self._starts or (
            number and not self._packets[number - 1].falls_through
        ):
            self._stack.forget()
        instructions, unknown = _decoded(packet)
        self._read.append(instructions)
        places, written = set[Place](), 0
        produced: list[dict[int, int]] = []  # by instruction and register
        for each in instructions:
            produced.append({})
            for operand in () if each.form.is_store else each.form.results:
                whole = not each.form.conditional or operand.name[1] != "d"
                for half, register in enumerate(operand.registers(each.word)):
                    bit = self._result(number, each, operand, half, register)
                    produced[-1][register] = bit
                    if ".tmp" not in each.form.syntax:
                        written |= bit
                        places.update((register,) if whole else ())
        for order, each in enumerate(instructions):
            if each.form.is_store and (slot := self._slot(each)):
                before = [] if unknown else produced[:order]
                written |= self._stored(number, each, slot, before)
                places.update(() if each.form.conditional else (slot,))
        if unknown or packet.calls:
            places.update(_REGISTERS)
            for register in _REGISTERS:
                written = written & ~self._of_place[register] | self._unknown[register]
        incremented = {each.word >> 16 & 31 for each in instructions if "++" in each.form.memory}
        return _Effect(written, frozenset(places), self._stack.execute(packet, incremented))

    def _slot(self, instruction: _Instruction) -> Slot | None:
        if slot := self._stack.slot(instruction.word, instruction.form):
            self._know(slot)
        return slot

    def _result(
        self, number: int, instruction: _Instruction, operand: Operand, half: int, register: int
    ) -> int:
        """The write of a register of a result."""
        address, word, form = instruction
        kind, sources = operand.kind if operand.kind != "x" else OTHER, tuple[Place, ...]()
        if form.copies:
            named = {each.name: each.registers(word)[0] for each in form.sources}
            combined = "vcombine" in form.syntax
            kind = COPY
            sources = (named["Vu" if half else "Vv"],) if combined else tuple(named.values())
        elif slot := self._slot(instruction):
            kind, sources = LOAD, (slot,)
        bit = self._add(Write(address, register, kind, number, sources))
        if ".tmp" in form.syntax and kind == COPY:  # the temporary has all bits of the register
            self._within[number, register] = (0, named["Vu" if half or not combined else "Vv"])
        elif ".tmp" in form.syntax or ".cur" in form.syntax:
            self._within[number, register] = (bit, register if form.conditional else None)
        return bit

    def _stored(
        self, number: int, store: _Instruction, slot: Place, produced: list[dict[int, int]]
    ) -> int:
        """The write of a slot by a store, before which a packet has `produced` new values.

        A new value is named by how many vector instructions before the store it is, and whether it
        is the odd register of a pair.
        """
        source = next(each for each in store.form.sources if each.name[0] in "VO")
        if source.name[0] == "V":
            stored = source.registers(store.word)
            return self._add(Write(store.address, slot, STORE, number, stored))
        distance, odd = store.word >> 1 & 3, store.word & 1
        registers = produced[-distance] if 0 < distance <= len(produced) else {}
        for register, bit in registers.items():
            if len(registers) == 1 or register & 1 == odd:
                return self._add(Write(store.address, slot, STORE, number, (), bit))
        return self._add(Write(store.address, slot, UNKNOWN, number))


def _decoded(packet: Packet) -> tuple[list[_Instruction], bool]:
    """The vector instructions, and whether there is an unknown one."""
    words = [(number, word) for number, word in enumerate(packet.words) if is_vector(word)]
    found = [
        _Instruction(packet.address + 4 * number, word, form)
        for number, word in words
        if (form := form_of(word))
    ]
    return found, len(found) < len(words)


def _bits(mask: int) -> Iterator[int]:
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low
