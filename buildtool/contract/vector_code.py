"""The vector instructions of a Hexagon file: which ones there are, in which functions and lines,
and which vectors in the frame of a function they load and store.
"""

from __future__ import annotations

import posixpath
import sys
from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import TypeVar

from buildtool.contract.finding import Finding, Rule
from buildtool.contract.subject import Subject
from buildtool.core.elf.debug_file import INTRINSICS, DebugFile, open_debug_file
from buildtool.core.elf.read import ElfError, read_code
from buildtool.core.value import Value
from buildtool.toolchains.hvx import (
    Form,
    Packet,
    address_of,
    form_of,
    is_vector,
    packets,
    transfers,
)

MAX_FOLLOWED = 8 << 20  # bytes of code of a file; QNN's skels have nearly as much, and take 10 s
MAX_LISTED = 8
_WORD = 4
_Item = TypeVar("_Item")


class Use(Value):
    """A vector instruction in the code."""

    address: int
    word: int
    form: Form


class Function(Value):
    """Packets that begin where something is called, and the addresses where others enter them."""

    packets: tuple[Packet, ...]
    entries: frozenset[int]


class VectorCode:
    """The code of the ELF file `path`; raises `ElfError`."""

    def __init__(self, path: Path) -> None:
        self._path = path
        code = read_code(path)
        self._exports, self._functions = code.exports, code.functions
        self._places: dict[int, tuple[str, str]] = {}
        self._sections = [(address, _words(data)) for address, data in code.sections]

    def uses(self, wanted: Callable[[Form], bool]) -> Iterator[Use]:
        """The instructions of the wanted forms."""
        found = {word: form for word, form in self._forms.items() if wanted(form)}
        for start, words in self._sections if found else ():
            for index, word in enumerate(words):
                if word in found:
                    yield Use(start + _WORD * index, word, found[word])

    def functions(self, wanted: Callable[[Form], bool]) -> Iterator[Function]:
        """The functions with an instruction of a wanted form."""
        found = {word for word, form in self._forms.items() if wanted(form)}
        size = sum(_WORD * len(words) for _, words in self._sections)
        for start, words in self._sections if found and size <= MAX_FOLLOWED else ():
            if not found.isdisjoint(words):
                yield from self._split(words, start, found)

    def function(self, address: int) -> str:
        """The name of the function at an address."""
        return self._where(address)[0]

    def line(self, address: int) -> str:
        """The source file and line of an address, the address if that is not known."""
        return self._where(address)[1]

    @cached_property
    def _forms(self) -> dict[int, Form]:
        """The form of each vector word."""
        words = {word for _, words in self._sections for word in words}
        found = ((word, form_of(word)) for word in words if is_vector(word))
        return {word: form for word, form in found if form}

    def _split(self, words: array[int], start: int, found: set[int]) -> Iterator[Function]:
        moves = list(transfers(words, start))
        begins = {target for _, target, is_call in moves if is_call}
        begins |= self._exports.keys() | self._functions
        end = start + _WORD * len(words)
        # A function ends where the next one begins.
        bounds = [
            start,
            *sorted(each for each in begins if each in range(start + _WORD, end, _WORD)),
            end,
        ]
        parts = {
            low: packets(words[(low - start) // _WORD : (high - start) // _WORD], low)
            for low, high in pairwise(bounds)
            if not found.isdisjoint(words[(low - start) // _WORD : (high - start) // _WORD])
        }
        entries: dict[int, set[int]] = {low: {low} for low in parts}
        for packet, target, _ in moves:
            low = bounds[bisect_right(bounds, target) - 1]
            if low in entries and low != bounds[bisect_right(bounds, packet) - 1]:
                entries[low].add(target)
        for low, part in parts.items():
            yield Function(tuple(part), frozenset(entries[low]))

    @cached_property
    def _debug(self) -> DebugFile | None:
        return open_debug_file(self._path)

    def _where(self, address: int) -> tuple[str, str]:
        if address not in self._places:
            self._places[address] = self._place(address)
        return self._places[address]

    def _place(self, address: int) -> tuple[str, str]:
        try:
            places = self._debug.places(address) if self._debug else ()
        except Exception:  # pyelftools raises anything for a malformed file
            places = ()
        if not places:
            start = max((each for each in self._exports if each <= address), default=-1)
            name, size = self._exports.get(start, ("", 0))
            if address >= start + size:
                name = f"a function after {name}" if name else "a function"
            return name, f"{address:#x}"
        known = [each for each in places if each.line and each.file != INTRINSICS]
        line = f"{known[0].file}:{known[0].line}" if known else f"{address:#x}"
        return places[-1].function, line


def vector_code(subject: Subject, path: str) -> VectorCode | None:
    """The code of a file of the subject; None if it cannot be read."""
    try:
        return VectorCode(subject.files[path])
    except ElfError:
        return None


def code_finding(
    subject: Subject, rule: Rule, path: str, message: str, *, why: str, remedy: str
) -> Finding:
    """An error in what a step of the project compiled, unless its target allows it; else a warning.

    `message` follows the name of the file.
    """
    message = f"{posixpath.basename(path)} {message}"
    if not subject.promise.built or rule.name in subject.promise.allow:
        return rule.warning(path, message, why=why, remedy=remedy)
    remedy += f' If it is meant: allow = ["{rule.name}"] in the target.'
    return rule.error(path, message, why=why, remedy=remedy)


def arch_generation(arch: str) -> int:
    """`v79` → 79, as the tables of instructions count."""
    return int(arch.strip("vt"))


def listed(found: Sequence[_Item], text: Callable[[_Item], str]) -> str:
    """A line for each of the first few, and how many more there are."""
    lines = list(dict.fromkeys(map(text, found[:MAX_LISTED])))
    more = len(found) - MAX_LISTED
    return "\n".join((*lines, *([f"and {more} more"] if more > 0 else ())))


def _words(data: bytes) -> array[int]:
    words = array("I")
    words.frombytes(data[: len(data) - len(data) % _WORD])
    if sys.byteorder == "big":
        words.byteswap()
    return words


Slot = tuple[int, int]
"""An address in the stack: a register, and the bytes after it."""
_BASES = (29, 30)  # the stack pointer and the frame pointer
_PARSE = 0xC000
_ADD, _JUMPS, _STORES = 0xB, (1, 2, 5), 0xA  # the first 4 bits


class StackAddresses:
    """The registers that have an address in the stack, while packets are read in order."""

    def __init__(self) -> None:
        self._known: dict[int, Slot] = {}

    def forget(self) -> None:
        """Code begins that is reached from elsewhere."""
        self._known.clear()

    def slot(self, word: int, form: Form) -> Slot | None:
        """What a load or store of a vector accesses; None if that is not known."""
        if not form.memory or "++" in form.memory:
            return None
        register, offset = address_of(word)
        base = self._address(register)
        return (base[0], base[1] + offset) if base else None

    def execute(self, packet: Packet, incremented: set[int]) -> frozenset[int]:
        """Note what a packet computes, besides the registers that vector instructions increment;
        returns which of the stack pointer and the frame pointer it changes.

        An instruction is taken to write each register that may be named as its result.
        """
        bases = set(_BASES) if packet.frame else set[int]()
        found: dict[int, Slot] = {}
        written = incremented
        for word, extended in _scalars(packet):
            result = word & 31
            if not word & _PARSE:  # a duplex names registers with 4 bits
                fields = {word >> at & 15 for at in (0, 4, 8, 16, 20, 24)}
                written |= {field + (8 if field > 7 else 0) for field in fields}
                continue
            written |= {word >> at & 31 for at in (0, 8, 16)}
            if result in _BASES and word >> 28 not in (*_JUMPS, _STORES):
                bases.add(result)
            elif word >> 28 == _ADD and (base := self._address(word >> 16 & 31)) and not extended:
                offset = (word >> 21 & 0x7F) << 9 | word >> 5 & 0x1FF
                found[result] = (base[0], base[1] + offset - (offset << 1 & 0x10000))
        for register in written:
            self._known.pop(register, None)
            self._known.pop(register ^ 1, None)  # of a pair
        self._known |= found
        if packet.calls or bases:
            self._known.clear()
        return frozenset(bases)

    def _address(self, register: int) -> Slot | None:
        return (register, 0) if register in _BASES else self._known.get(register)


def _scalars(packet: Packet) -> Iterator[tuple[int, bool]]:
    """The instructions that are none of HVX, and whether each one's constant is extended."""
    extended = False
    for word in packet.words:
        extender = not word >> 28 and bool(word & _PARSE)
        if not extender and not is_vector(word):
            yield word, extended
        extended = extender
