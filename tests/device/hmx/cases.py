"""Random programs of HMX for each form: an image of VTCM, packets, and the image afterwards."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from random import Random

from tests.hmx_reference.forms import Form, Instruction, form, forms
from tests.hmx_reference.machine import Machine
from tests.hmx_reference.pair import Activation, Weight, steps
from tests.hmx_reference.spatial import TILE

from .images import ACTIVATIONS, OUTPUTS, WEIGHTS, WORDS, Images

Packet = tuple[tuple[str, int, int], ...]
"""Instructions with Rs and Rt; addresses are relative to the image."""

ALL, WHOLE = 0x7FF, TILE - 1
INFINITIES, PROPAGATES = 1 << 20, 1 << 21
"""Bits of USR."""


@dataclass(frozen=True)
class Case:
    arch: int
    name: str
    image: bytes
    packets: tuple[Packet, ...]
    usr: int = 0

    @cached_property
    def expected(self) -> bytes:
        """The image afterwards, by the reference."""
        memory = bytearray(self.image)
        machine = Machine(
            self.arch,
            memory,
            infinities=bool(self.usr & INFINITIES),
            nan=bool(self.usr & PROPAGATES),
        )
        for packet in self.packets:
            machine.execute([Instruction(form(text), rs, rt) for text, rs, rt in packet])
        return bytes(memory)


def has_address(text: str) -> bool:
    """Whether Rs of an instruction is an address."""
    return "mxmem" in text


class Maker:
    """Makes cases of one arch; `most` is the largest number of steps of a pair."""

    def __init__(self, arch: int, random: Random, most: int = 40) -> None:
        self.arch, self.random, self.most = arch, random, most
        self.forms = [one for one in forms() if one.exists(arch)]

    def case(self, one: Form, *, modes: bool = True) -> Case:
        """A program that uses a form; with `modes` sometimes with bits 20 and 21 of USR."""
        is_float = self._is_float(one)
        packets = [*self._start(one), self._words("bias=mxmem2(Rs)")]
        packets += [self._pair(one, is_float) for _ in range(self.random.choice((1, 1, 2)))]
        if one.kind == "bias":
            packets += [self._words(one.syntax) for _ in range(2)]
        if one.kind == "accumulator":
            packets += [((one.syntax, 0, 0),), self._pair(one, is_float)]
        packets += self._results(one, is_float)
        usr = 0
        if modes and is_float and self.arch >= 73 and self.random.random() < 0.5:
            usr = self.random.choice((INFINITIES, PROPAGATES, INFINITIES | PROPAGATES))
        image = Images(self.arch, self.random).whole(is_float)
        return Case(self.arch, one.name, image, tuple(packets), usr)

    def _is_float(self, one: Form) -> bool:
        if one.kind in {"bias", "store"} and ".f8" not in one.syntax:
            return self.random.random() < 0.3
        return any(kind in one.syntax for kind in (".hf", ".f8"))

    def _start(self, one: Form) -> list[Packet]:
        """Packets after which nothing is left of an earlier program."""
        packets: list[Packet] = [
            (("bias=mxmem2(Rs)", WORDS + 256 * self.random.randrange(8) | number, 0),)
            for number in range(4 if self.arch >= 75 else 1)
        ]
        texts = ["mxclracc", "mxclracc.hf"]
        if one.kind in {"cvt", "store"}:  # feedback reads what the last convert of each half left
            texts += ["cvt.ub=acc(Rs)", "cvt.hf=acc(Rs)"] * 2
        return packets + [((text, 2, 0),) for text in texts]

    def _words(self, text: str) -> Packet:
        number = self.random.randrange(4) if self.random.random() < 0.5 else 0
        at = WORDS + 256 * self.random.randrange(8)
        return ((text, at | number, 0),)

    def _choice(self, kind: str, *parts: str) -> Form:
        found = [
            one
            for one in self.forms
            if one.kind == kind and any(part in one.syntax for part in parts)
        ]
        return self.random.choice(found)

    def _pair(self, one: Form, is_float: bool) -> Packet:
        """A pair whose taps and blocks are not too many."""
        while True:
            act, weight = self._loads(one, is_float)
            instructions = [self._activation(act), self._weight(weight)]
            loads = [Instruction(form(text), rs, rt).load() for text, rs, rt in instructions]
            assert isinstance(loads[0], Activation)
            assert isinstance(loads[1], Weight)
            count = sum(1 for _ in steps(loads[0], loads[1], self.arch))
            if count <= self.most and (count or self.random.random() < 0.1):
                return tuple(instructions)

    def _loads(self, one: Form, is_float: bool) -> tuple[Form, Form]:
        if one.kind == "weight":
            if ".f8" in one.syntax:
                return self._choice("activation", ".hf", ".f8"), one
            return self._choice("activation", ".hf" if is_float else ".ub"), one
        act = one
        if one.kind != "activation":
            act = self._choice("activation", ".hf" if is_float else ".ub")
        if ".f8" in act.syntax:
            return act, self._choice("weight", ".f8")
        if is_float:
            return act, self._choice("weight", ".hf", *((".f8",) if self.arch >= 79 else ()))
        integer = (".b=", ".n=", ".c=", ".sc=", ".ubit=", ".sbit=", ".sm=")
        return act, self._choice("weight", *integer)

    def _activation(self, one: Form) -> tuple[str, int, int]:
        tile = ACTIVATIONS + TILE * self.random.randrange(3)
        if ":deep" in one.syntax:
            mask = self.random.choice((ALL, ALL, self.random.randrange(TILE)))
            low = self.random.choice((0, 0, self.random.randrange(TILE)))
            return one.syntax, tile | low, TILE * self.random.randrange(3) | mask
        low, mask = (
            self.random.choice((0, self.random.randrange(TILE), self.random.randrange(TILE)))
            for _ in range(2)
        )
        next_tile = TILE * self.random.choice((-1, 0, 1, 1, 2))
        return one.syntax, tile | low, next_tile | self.random.choice((ALL, 0x77C, mask))

    def _weight(self, one: Form) -> tuple[str, int, int]:
        rs = WEIGHTS + 128 * self.random.randrange(8)
        if ".hf" in one.syntax or ".f8" in one.syntax:
            rs |= self.random.choice((0, 0, 0, 1 << 5))
            if self.arch >= 81:
                rs |= self.random.choice((0, 0, 1 << 6))
        length = self.random.choice((4 * TILE, 4 * TILE, self.random.randrange(1, 2 * TILE)))
        return one.syntax, rs, -length if self.random.random() < 0.02 else length - 1

    def _results(self, one: Form, is_float: bool) -> list[Packet]:
        """Converts that show both sets of accumulators."""
        if one.kind == "convert":
            packets = [self._direct(one)]
        elif one.kind in {"cvt", "store"}:
            packets = self._two_converts(one, is_float)
        else:
            packets = []
        if ":2x1" in one.syntax or ":2x2" in one.syntax:
            packets.append(self._direct(one) if one.kind == "convert" else self._words_of(0))
        for number in range(2):
            packets += self._read_out(is_float, OUTPUTS + TILE * (4 + 4 * number), 3 - number)
            packets.append((("mxswapacc.hf" if is_float else "mxswapacc", 0, 0),))
        return packets

    def _words_of(self, number: int) -> Packet:
        return (("bias=mxmem2(Rs)", WORDS + 256 * number, 0),)

    def _read_out(self, is_float: bool, at: int, bytes_read: int) -> list[Packet]:
        if is_float:
            return [
                self._words("bias=mxmem2(Rs)"),
                (("mxmem(Rs,Rt):after:retain.hf=acc", at, 0),),
                self._words_of(8),
                (("mxmem(Rs,Rt):after:retain.hf=acc", at + TILE, 0),),
            ]
        packets: list[Packet] = []
        for byte in range(bytes_read):
            packets.append((("bias=mxmem(Rs)", WORDS + 256 * 9 + 128 * byte, 0),))
            packets.append((("mxmem(Rs,Rt):after:retain.ub=acc", at + TILE * byte, 0),))
        return packets

    def _spatial(self) -> tuple[int, int]:
        """Rs and Rt of a store."""
        low, mask = self.random.randrange(TILE), self.random.randrange(TILE)
        low = self.random.choice((0, low))
        return OUTPUTS + TILE | low, TILE * self.random.choice((-1, 1, 2)) | mask

    def _direct(self, one: Form) -> Packet:
        return ((one.syntax, *self._spatial()),)

    def _two_converts(self, one: Form, is_float: bool) -> list[Packet]:
        """The results of two converts, and a store of both."""
        kinds = (".hf=", ".f8=") if is_float else (".u",)
        converts, store = [self._choice("cvt", *kinds) for _ in range(3)], one
        if one.kind == "cvt":
            converts = [converts[0] if ".f8" in one.syntax else one, one, one]
            texts = ("mxmem(Rs,Rt)=cvt", "mxmem(Rs,Rt):cm=cvt")
            store = self._choice("store", *texts, *(("mxmem(Rs,Rt).f8=cvt",) if is_float else ()))
            if "2x2" in one.syntax:
                store = form("mxmem(Rs,Rt):2x2=cvt")
        elif "2x2" in one.syntax:
            converts = [form("cvt.uh=acc(Rs):2x2")] * 3
        packets: list[Packet] = []
        for each in converts:
            packets += [self._words("bias=mxmem2(Rs)"), ((each.syntax, self._cvt(each), 0),)]
        return [*packets, ((store.syntax, *self._spatial()),)]

    def _cvt(self, one: Form) -> int:
        rs = self.random.randrange(4) | self.random.randrange(4) << 12
        if self.random.random() < 0.5:
            rs |= self.random.randrange(3) << 2 | self.random.randrange(2) << 4
        if ".hf" in one.syntax or ".f8" in one.syntax:
            rs |= self.random.randrange(2) << 6 | self.random.randrange(2) << 8
            rs |= self.random.randrange(2) << 11
            rs |= self.random.randrange(2) << 7 if self.arch >= 81 else 0
        if "2x2" in one.syntax:
            rs |= self.random.choice((3, 3, 2, 1, 0)) << 9
        return rs
