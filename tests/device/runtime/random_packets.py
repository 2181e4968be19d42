"""Packets with floating point in awkward shapes, at random, and what their instructions do alone.

A packet of several instructions must leave what each of them leaves when it is alone, from the same
registers.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from tests.device.fastrpc.toolbox import zig_assembles

OPERAND = re.compile(r"\b([VQR])([a-z]{1,2})\b(?=[.,)=+|&^]|$)")
FUNCTION = """
.p2align 4
.type {name},@function
{name}:
.cfi_startproc
{load}
{body}
{store}
 {{ jumpr r31 }}
.cfi_endproc
.size {name},.-{name}
"""
LOAD = "\n".join(
    [
        *(f" {{ v{n} = vmem(r0+#0); r0 = add(r0,#128) }}" for n in range(32)),
        " { r2 = ##0x01010101 }",
        *(f" {{ v0 = vmem(r0+#{n}) }}\n {{ q{n} = vand(v0,r2) }}" for n in range(4)),
        " { r0 = add(r0,#-4096) }",
        " { v0 = vmem(r0+#0); r4 = r0 }",
        " { r5 = #5; r6 = #0; r7 = add(r1,#4608) }",
        " { p0 = cmp.eq(r5,#5); p1 = cmp.eq(r5,#6) }",
    ]
)
"""r4: the inputs, r7: where packets store, p0: true, p1: false."""
STORE = "\n".join(
    [
        *(f" {{ vmem(r1+#0) = v{n}; r1 = add(r1,#128) }}" for n in range(32)),
        *(f" {{ v0 = vand(q{n},r2) }}\n {{ vmem(r1+#{n}) = v0 }}" for n in range(4)),
        " { r1 = add(r1,#1280) }",
        " { memw(r1+#0) = r5; memw(r1+#4) = r6 }",
    ]
)


class Part(NamedTuple):
    """An instruction of a packet."""

    text: str
    vectors: int = 0  # that it writes, as a set
    predicates: int = 0
    alone: str = ""  # how it is written alone; nothing if that is known without


class Packet(NamedTuple):
    parts: tuple[Part, ...]
    stored: int = -1  # the vector whose old or new value it stores
    new: bool = False
    before: str = ""
    behind: str = ""
    overwritten: int = 0  # vectors that the next packets write
    r5: int = 5
    r6: int = 0

    @property
    def text(self) -> str:
        end = ":endloop0" if self.before.startswith(" { loop0") else ""
        return "{ " + "; ".join(part.text for part in self.parts) + " }" + end


def packets(seed: int, count: int, forms: Sequence[tuple[str, str]], folder: Path) -> list[Packet]:
    """Packets that the assembler takes, of instructions with these syntaxes and fields."""
    source = random.Random(seed)
    found: list[Packet] = []
    while len(found) < count:
        candidates = [_packet(source, forms) for _ in range(2 * count)]
        lines = [candidate.text.replace(":endloop0", "") for candidate in candidates]
        lines = [re.sub(r"(jump\S*)( #*)\d[fb]", r"\1\2.", line) for line in lines]
        taken = zig_assembles(lines, folder / "candidates.s")
        for candidate, good in zip(candidates, taken, strict=True):
            if good:
                found.append(candidate)
    return found[:count]


def _packet(source: random.Random, forms: Sequence[tuple[str, str]]) -> Packet:
    numbers = source.sample(range(0, 32, 2), 8)  # of the lower registers of pairs
    parts: list[Part] = []
    free = iter(numbers)
    for _ in range(source.choice((1, 1, 2, 2, 3))):
        syntax, _ = source.choice(forms)
        parts.append(_instruction(source, syntax, next(free), numbers))
    packet = Packet(tuple(parts))
    for shape in source.sample(SHAPES, source.choice((0, 1, 1, 2))):
        packet = shape(source, packet, numbers)
    return _overwritten(source, packet)


def _instruction(source: random.Random, syntax: str, target: int, numbers: Sequence[int]) -> Part:
    written = predicates = 0

    def register(match: re.Match[str]) -> str:
        nonlocal written, predicates
        kind, name = match.groups()
        if kind == "R":
            return "r5"
        target_of = name[0] in "dx"
        if kind == "Q":
            number = target // 2 % 4
            predicates |= 1 << number
            return f"q{number}"
        pair = len(name) == 2
        number = target + (0 if pair else source.randrange(2)) if target_of else 0
        if not target_of:
            number = source.choice(numbers) + (0 if pair else source.randrange(2))
        if target_of:
            written |= (3 if pair else 1) << number
        return f"v{number + 1}:{number}" if pair else f"v{number}"

    text = OPERAND.sub(register, syntax)
    return Part(text, written, predicates, text)


# ---- shapes ----


def _first_vector(packet: Packet) -> int:
    written = packet.parts[0].vectors
    return (written & -written).bit_length() - 1


def _new_store(source: random.Random, packet: Packet, _: Sequence[int]) -> Packet:
    number = _first_vector(packet)
    if number < 0 or packet.stored >= 0 or packet.parts[0].vectors.bit_count() != 1:
        return packet
    part = Part(f"vmem(r7+#0) = v{number}.new")
    return packet._replace(parts=(*packet.parts, part), stored=number, new=True)


def _old_and_new(source: random.Random, packet: Packet, numbers: Sequence[int]) -> Packet:
    """A store of the new value of a vector whose old value is read."""
    number = _first_vector(packet)
    copy = f"v{numbers[-1]} = v{number}"
    changed = _new_store(source, packet, numbers)
    if changed is packet:
        return packet
    *before, store = changed.parts
    return changed._replace(parts=(*before, Part(copy, 1 << numbers[-1], 0, copy), store))


def _old_store(source: random.Random, packet: Packet, numbers: Sequence[int]) -> Packet:
    if packet.stored >= 0:
        return packet
    number = source.choice([_first_vector(packet), source.choice(numbers[:-2])])
    number = max(number, 0)
    if f"v{number}.tmp" in packet.text:
        return packet
    return packet._replace(parts=(*packet.parts, Part(f"vmem(r7+#0) = v{number}")), stored=number)


def _integer(source: random.Random, packet: Packet, numbers: Sequence[int]) -> Packet:
    """An instruction that reads old values."""
    old = source.choice([max(_first_vector(packet), 0), source.choice(numbers[:-2])])
    text = source.choice(
        (
            f"v{numbers[-1]} = v{old}",
            f"v{numbers[-1]}.w = vadd(v{old}.w,v{numbers[0]}.w)",
            f"v{numbers[-1]} = vmux(q{source.randrange(4)},v{old},v{numbers[1]})",
            f"v{numbers[-1]} = vand(q{source.randrange(4)},r2)",
        )
    )
    return packet._replace(parts=(*packet.parts, Part(text, 1 << numbers[-1], 0, text)))


def _load(source: random.Random, packet: Packet, numbers: Sequence[int]) -> Packet:
    """A load whose value the packet uses."""
    if re.search(r"\.(cur|tmp)", packet.text):
        return packet
    number, at = numbers[-2], source.randrange(8)
    kind = "cur" if number == packet.stored else source.choice(("cur", "tmp"))
    plain_load = f"v{number} = vmem(r4+#{at})"
    parts = []
    for part in packet.parts:
        target, equals, rest = part.text.partition("=")
        text = target + equals + re.sub(rf"\bv{numbers[1]}\b(?=\.)", f"v{number}", rest)
        reads = part.alone and re.search(rf"\bv{number}\b|\bv{number + 1}:{number}\b", rest)
        alone = f"{plain_load} }}\n {{ {text}" if reads or text != part.text else part.alone
        parts.append(part._replace(text=text, alone=alone))
    if not any(re.search(rf"[(,]v{number}\b", part.text) for part in parts):
        return packet
    load = f"v{number}.{kind} = vmem(r4+#{at})"
    if kind == "tmp":
        return packet._replace(parts=(*parts, Part(load)))
    return packet._replace(parts=(*parts, Part(load, 1 << number, 0, plain_load)))


def _extended(source: random.Random, packet: Packet, _: Sequence[int]) -> Packet:
    return packet._replace(parts=(*packet.parts, Part("r5 = add(r5,##70000)")), r5=70005)


def _jump(source: random.Random, packet: Packet, _: Sequence[int]) -> Packet:
    """A jump over a packet that adds to r6."""
    if packet.behind or packet.before:
        return packet
    text, taken = source.choice((("jump 8f", 1), ("if (p0) jump 8f", 1), ("if (p1) jump 8f", 0)))
    behind = " { r6 = add(r6,#1) }\n8:"
    return packet._replace(parts=(*packet.parts, Part(text)), behind=behind, r6=0 if taken else 1)


def _new_value_jump(source: random.Random, packet: Packet, _: Sequence[int]) -> Packet:
    """A comparison of a new value behind an extender, which its distance does not count."""
    if packet.behind or packet.before:
        return packet
    test, taken = source.choice((("gt(r3.new,r6)", 1), ("eq(r3.new,r6)", 0)))
    return packet._replace(
        parts=(*packet.parts, Part(f"r3 = add(r5,#0); if (cmp.{test}) jump:t ##8f")),
        behind=" { r6 = add(r6,#1) }\n8:",
        r6=0 if taken else 1,
    )


def _loop(source: random.Random, packet: Packet, _: Sequence[int]) -> Packet:
    if packet.behind or packet.before:
        return packet
    return packet._replace(before=" { loop0(7f,#1) }\n7:")


def _loop_setup(source: random.Random, packet: Packet, _: Sequence[int]) -> Packet:
    if packet.behind or packet.before:
        return packet
    return packet._replace(
        parts=(*packet.parts, Part("loop0(6f,#3)")),
        behind="6:\n { r6 = add(r6,#1); nop }:endloop0",
        r6=3,
    )


SHAPES = [_new_store, _old_store, _old_store, _integer, _integer, _load, _load, _extended, _jump]
SHAPES += [_loop, _loop_setup, _new_value_jump, _old_and_new]


def _overwritten(source: random.Random, packet: Packet) -> Packet:
    """Some vectors are dead after the packet."""
    numbers = source.sample(range(32), source.choice((0, 4, 12)))
    clear = "".join(f"\n {{ v{number} = vxor(v{number},v{number}) }}" for number in numbers)
    return packet._replace(
        behind=packet.behind + clear, overwritten=sum(1 << number for number in numbers)
    )


# ---- a file ----


def assembly(packets: Sequence[Packet]) -> Iterator[str]:
    yield ".text\n"
    for n, packet in enumerate(packets):
        body = f"{packet.before}\n {packet.text}\n{packet.behind}"
        yield FUNCTION.format(name=f"packet_{n}", load=LOAD, body=body, store=STORE)
        for i, part in enumerate(packet.parts):
            body = f" {{ {part.alone or 'nop'} }}"
            yield FUNCTION.format(name=f"part_{n}_{i}", load=LOAD, body=body, store=STORE)


def table(packets: Sequence[Packet]) -> Iterator[str]:
    yield f"#define PACKETS {len(packets)}\n"
    for n, packet in enumerate(packets):
        names = [f"part_{n}_{i}" for i in range(len(packet.parts))]
        yield "".join(f"function {name};\n" for name in (f"packet_{n}", *names))
    yield "static const struct packet packets[] = {\n"
    for n, packet in enumerate(packets):
        parts = ", ".join(
            f"{{part_{n}_{i}, 0x{part.vectors:x}u, {part.predicates}}}"
            for i, part in enumerate(packet.parts)
        )
        yield (
            f"{{packet_{n}, {{{parts}}}, {len(packet.parts)}, {packet.stored}, {int(packet.new)},"
            f" 0x{packet.overwritten:x}u, {packet.r5}, {packet.r6}}},\n"
        )
    yield "};\n"
