"""Random programs that mix qf with instructions that know nothing of its extension bits.

They have what loses or keeps the bits: copies, loads for their own packet, spills, moves and loads
with a condition, loops, jumps and calls.  `run` executes one as a DSP does.  Half of them have an
unwind table, which says that calls keep no vector but v0 and v1: there, vectors that a function
does not use can have the bits.
"""

from __future__ import annotations

import hashlib
import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from tests.device.fastrpc.toolbox import Toolbox

from .conftest import HERE, QURT, build_skel
from .qfloat_reference import RESET, Register, result

REGISTERS = 8
INPUTS = 8
SLOTS = 3
PARTS = (3, 7)
PACKETS = (1, 6)
QFLOAT = (
    "Vd.qf32=vadd(Vu.qf32,Vv.qf32)",
    "Vd.qf32=vadd(Vu.qf32,Vv.sf)",
    "Vd.qf32=vmpy(Vu.sf,Vv.sf)",
    "Vd.qf32=vmpy(Vu.qf32,Vv.qf32)",
    "Vd.qf32=vsub(Vu.qf32,Vv.qf32)",
    "Vd.qf16=vsub(Vu.qf16,Vv.hf)",
    "Vd.qf16=vmpy(Vu.qf16,Vv.qf16)",
    "Vdd.qf32=vmpy(Vu.qf16,Vv.hf)",
    "Vd.sf=Vu.qf32",
    "Vd.hf=Vu.qf16",
)


class State(NamedTuple):
    registers: list[Register]
    inputs: list[list[int]]
    slots: list[list[int]]


Effect = tuple[int, Register]


class Instruction(NamedTuple):
    """Its text, and what it writes, of the registers and of what the packet itself loads."""

    text: str
    effects: Callable[[State, dict[int, Register]], list[Effect]]
    number: int = -1  # that it writes


def reset(words: list[int]) -> Register:
    return Register(list(words), RESET)


def qfloat(source: random.Random, of: int | None = None) -> Instruction:
    syntax = source.choice(QFLOAT)
    pair = syntax.startswith("Vdd")
    number = source.randrange(0, REGISTERS, 2) if pair else source.randrange(REGISTERS)
    u, v = (source.randrange(REGISTERS) for _ in range(2))
    u = u if of is None else of
    names = {"Vdd": f"v{number + 1}:{number}", "Vd": f"v{number}", "Vu": f"v{u}", "Vv": f"v{v}"}

    def effects(state: State, loaded: dict[int, Register]) -> list[Effect]:
        registers = {name: loaded.get(n, state.registers[n]) for name, n in (("Vu", u), ("Vv", v))}
        return [(number + half, each) for half, each in enumerate(result(syntax, registers))]

    return Instruction(re.sub(r"V\w+", lambda m: names[m[0]], syntax), effects, number)


def other(source: random.Random) -> Instruction:
    """An instruction that resets the bits of what it writes, perhaps."""
    number, u, v = (source.randrange(REGISTERS) for _ in range(3))
    place, slot, inverted = source.randrange(INPUTS), source.randrange(SLOTS), source.random() < 0.5
    condition = f"if ({'!' * inverted}p{source.randrange(2)}) "
    executed = ("p0" in condition) != inverted  # p0 is true, p1 false

    def words(state: State, n: int, loaded: dict[int, Register]) -> list[int]:
        return loaded.get(n, state.registers[n]).words

    kinds: list[tuple[str, Callable[[State, dict[int, Register]], list[Effect]]]] = [
        (f"v{number} = v{u}", lambda s, x: [(number, reset(words(s, u, x)))]),
        (
            f"v{number} = vxor(v{u},v{v})",
            lambda s, x: [
                (
                    number,
                    reset([a ^ b for a, b in zip(words(s, u, x), words(s, v, x), strict=True)]),
                )
            ],
        ),
        (f"v{number} = vmem(r0+#{place - 4})", lambda s, _: [(number, reset(s.inputs[place]))]),
        (f"v{number} = vmem(r7+#{slot})", lambda s, _: [(number, reset(s.slots[slot]))]),
        (f"vmem(r7+#{slot}) = v{u}", lambda s, x: [(-1 - slot, Register(words(s, u, x), []))]),
        (
            f"{condition}v{number} = v{u}",
            lambda s, x: [(number, reset(words(s, u, x)))] if executed else [],
        ),
        (
            f"{condition}v{number} = vmem(r0+#{place - 4})",
            lambda s, _: [(number, reset(s.inputs[place]))] if executed else [],
        ),
    ]
    text, effects = source.choice(kinds)
    return Instruction(text, effects, -1 if text.startswith("vmem") else number)


TRUE = {"", "if (p0) ", "if (!p1) "}


class Packet(NamedTuple):
    instructions: tuple[Instruction, ...]
    loaded: int = -1  # a register for which it loads an input, for itself
    place: int = 0
    kept: bool = True  # the register gets it, too
    condition: str = ""

    @property
    def text(self) -> str:
        kind = "cur" if self.kept else "tmp"
        load = f"{self.condition}v{self.loaded}.{kind} = vmem(r0+#{self.place - 4})"
        parts = [load] * (self.loaded >= 0) + [each.text for each in self.instructions]
        return "{ " + "; ".join(parts) + " }"

    def run(self, state: State) -> None:
        loaded = {}
        if self.loaded >= 0 and self.condition in TRUE:
            loaded[self.loaded] = reset(state.inputs[self.place])
        effects = [e for each in self.instructions for e in each.effects(state, loaded)]
        if self.kept:
            for number, register in loaded.items():
                state.registers[number] = register
        for number, register in effects:
            if number < 0:
                state.slots[-1 - number] = register.words
            else:
                state.registers[number] = register


def packet(source: random.Random) -> Packet:
    choice = source.random()
    if choice < 0.35:
        return Packet((qfloat(source),))
    if choice < 0.7:
        return Packet((other(source),))
    if choice < 0.85:
        loaded = source.randrange(REGISTERS)
        while True:
            reader = qfloat(source, loaded)
            if loaded not in {reader.number, reader.number + 1}:
                place = source.randrange(INPUTS)
                condition = source.choice(("", "if (p0) ", "if (!p0) ", "if (p1) ", "if (!p1) "))
                return Packet((reader,), loaded, place, source.random() < 0.5, condition)
    while True:
        first, second = qfloat(source), other(source)
        if "vmem" not in second.text and second.number not in {first.number, first.number + 1}:
            return Packet((first, second))


class Program(NamedTuple):
    lines: list[str]
    run: Callable[[State], None]
    functions: list[str]


def program(source: random.Random, name: str, *, unwound: bool) -> Program:
    """A function, and those that it calls."""
    lines: list[str] = []
    steps: list[Callable[[State], None]] = []
    functions: list[str] = []
    for part in range(source.randrange(*PARTS)):
        packets = [packet(source) for _ in range(source.randrange(*PACKETS))]
        texts = [each.text for each in packets]
        kind = source.choice(("straight", "loop", "skipped", "branch", "call"))
        label = f"{name}_{part}"
        turns = 1
        if kind == "loop":
            turns = 3
            lines += [f"{{ loop0({label},#3) }}", f"{label}:", *texts, "{ nop; nop }:endloop0"]
        elif kind == "skipped":
            turns = 0
            lines += [f"{{ if (p0) jump {label} }}", *texts, f"{label}:"]
        elif kind == "branch":
            lines += [f"{{ if (p1) jump {label} }}", *texts, f"{label}:"]
        elif kind == "call":
            lines += [f"{{ call {label} }}"]
            if unwound:
                packets.append(_returned(source))
                texts.append(packets[-1].text)
                again = [_load(number) for number in range(2, REGISTERS)]
                packets += again
                lines += [each.text for each in again]
            body = [*texts, "{ jumpr r31 }"]
            functions += [*_opened(label, unwound=unwound), *body, *_closed(label, unwound=unwound)]
        else:
            lines += texts
        steps += [each.run for _ in range(turns) for each in packets]

    def run(state: State) -> None:
        for step in steps:
            step(state)

    return Program(lines, run, functions)


def _returned(source: random.Random) -> Packet:
    """What writes v0 and v1, as the results of a function."""
    while True:
        instruction = qfloat(source)
        if instruction.text.startswith("v1:0"):
            return Packet((instruction,))


def _load(number: int) -> Packet:
    def effects(state: State, _: dict[int, Register]) -> list[Effect]:
        return [(number, reset(state.inputs[number]))]

    return Packet((Instruction(f"v{number} = vmem(r0+#{number - 4})", effects, number),))


def _opened(name: str, *, unwound: bool) -> list[str]:
    start = [".cfi_startproc"] if unwound else []
    return [".p2align 4", f".type {name},@function", f"{name}:", *start]


def _closed(name: str, *, unwound: bool) -> list[str]:
    return [*([".cfi_endproc"] if unwound else []), f".size {name},.-{name}"]


def assembly(
    source: random.Random, name: str, *, unwound: bool
) -> tuple[list[str], Program, list[int]]:
    """A function of inputs at r0 and outputs at r1, and the registers whose bits it stores, too."""
    chosen = program(source, name, unwound=unwound)
    observed = sorted(source.sample(range(REGISTERS), source.randrange(1, REGISTERS + 1)))
    lines = [
        *_opened(name, unwound=unwound),
        "{ allocframe(#0); r7 = add(r1,#2048) }",
        "{ r6 = #1; r4 = ##0x08040201; r0 = add(r0,#512) }",
        "{ p0 = cmp.eq(r6,#1); p1 = cmp.eq(r6,#2) }",
        *(f"{{ v{n} = vmem(r0+#{n - 4}) }}" for n in range(REGISTERS)),
        *(f"{{ vmem(r7+#{slot}) = v{slot} }}" for slot in range(SLOTS)),
        *chosen.lines,
        *(f"{{ vmem(r1+#{n}) = v{n} }}" for n in range(REGISTERS - 1)),
        "{ r1 = add(r1,#896) }",
        "{ vmem(r1+#0) = v7; r1 = add(r1,#128) }",
        *(
            line
            for n in observed
            for line in (
                f"{{ v30 = vgetqfext(v{n}.x,r4) }}",
                "{ vmem(r1+#0) = v30; r1 = add(r1,#128) }",
            )
        ),
        "{ dealloc_return }",
        *_closed(name, unwound=unwound),
    ]
    return [*lines, *chosen.functions], chosen, observed


def programs(seed: int, count: int) -> Iterator[tuple[str, list[str], Program, list[int]]]:
    source = random.Random(seed)
    for number in range(count):
        name = f"program_{number}"
        lines, chosen, observed = assembly(source, name, unwound=number % 2 == 0)
        yield name, lines, chosen, observed


def skel_of(
    toolbox: Toolbox, folder: Path, name: str, functions: Mapping[str, Sequence[str]], arch: str
) -> Path:
    """A skel that calls functions, each with its name and its lines of assembly."""
    text = "".join(f"{line}\n" for lines in functions.values() for line in lines)
    (folder / "programs.s").write_text(text)
    table = "".join(f"LIST({each}) \\\n" for each in functions)
    (folder / "programs.h").write_text(f"#define PROGRAMS(LIST) {table}\n")
    # The compiler's cache does not know of files that assembly includes.
    flags = [f"-DPROGRAMS_ARE={hashlib.sha256(text.encode()).hexdigest()}"]
    flags += [f"-I{folder}", f"-I{HERE / 'skel'}", f"-Wa,-I{folder}"]
    flags += [f"-mcpu=hexagonv{arch}+hvxv{arch}+hvx_length128b+hvx_qfloat"]
    return build_skel(toolbox, name, *QURT, *flags, source="qfloat_programs")
