"""What a pair adds to the accumulators."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from operator import mul
from typing import TYPE_CHECKING, Any

from . import old_float, weights
from .floats import LEAST_PRODUCT, NAN, Number, operand, products_of_a_step
from .pair import VECTOR, Activation, Step, Weight, steps
from .spatial import CHANNELS, place

if TYPE_CHECKING:
    from .machine import Machine

SUBTRACT, BRAIN = 1 << 5, 1 << 6
"""Bits of Rs of weights."""
WORD = (1 << 32) - 1


def multiply(machine: Machine, act: Activation, weight: Weight) -> None:
    """Adds the products of one pair."""
    if not act.where.halves:
        add: Adder = FixedSums(machine, weight)
    elif machine.old:
        add = OldSums(machine, weight)
    else:
        add = FloatSums(machine, act, weight)
    whole = steps(act, weight, machine.arch)
    taps: dict[tuple[Any, ...], list[tuple[list[Any], int, int]]] = {}
    for step in whole if act.where.halves else _joined(whole):
        tap = (step.tile, step.y, step.x, step.other)
        if tap not in taps:
            taps[tap] = [
                (add.activations(inputs), chosen, position)
                for inputs, chosen, position in _inputs(machine, act, weight, step)
            ]
        columns = [
            add.weights(_column(machine, weight, step, output))
            for output in range(64 if weight.kind == "n:2x" else CHANNELS)
        ]
        for numbers, chosen, position in taps[tap]:
            groups = [
                [numbers[first + channel] for channel in add.channels(step)]
                for first in range(0, CHANNELS, step.group)
            ]
            for output, column in enumerate(columns):
                add.add(chosen, position, output, groups[output % CHANNELS // step.group], column)


def _joined(whole: Iterator[Step]) -> Iterator[Step]:
    """Steps of the same tap in one, for sums whose order does not matter."""
    for _, group in groupby(whole, lambda step: (step.tile, step.y, step.x, step.other)):
        first, *others = group
        channels = first.channels + tuple(one for step in others for one in step.channels)
        yield replace(first, channels=channels)


def _column(machine: Machine, weight: Weight, step: Step, output: int) -> list[int]:
    """The weights of an output for the channels of a step, without those behind the last."""
    per = weights.PER_VECTOR[weight.kind]
    read = weights.half if weight.kind in {"hf", "f8"} else weights.fixed
    values = []
    for number in range(step.weights, step.weights + len(step.channels)):
        at = weight.address + number // per * VECTOR
        if number // per < weight.vectors:
            vector = bytes(machine.memory[at : at + VECTOR])
            values.append(read(weight.kind, vector, number % per, output))
    return values


def _inputs(
    machine: Machine, act: Activation, weight: Weight, step: Step
) -> Iterator[tuple[list[int], int, int]]:
    """The activations of all channels at each (x, y), with the set and the position of the sums."""
    where = act.where
    for y in range(where.height):
        for x in range(where.width):
            column, row = x + step.x, y + step.y
            chosen = int(step.other)
            if column >= where.width:
                if weight.form in {"drop", "deep"}:
                    continue
                chosen = 1
            tile = step.tile + (where.next if row >= where.height else 0)
            source = where.position(x, row % where.height)
            inputs = [_activation(machine, act, tile, source, one) for one in range(CHANNELS)]
            yield inputs, chosen, where.position(column % where.width, y)


def _activation(machine: Machine, act: Activation, tile: int, position: int, channel: int) -> int:
    at = tile + place(position, channel, act.where.channel_major)
    if not act.where.halves:
        return machine.memory[at]
    if act.kind == "f8":
        return weights.widened(machine.memory[at + (act.where.rs & 1)])
    return int.from_bytes(machine.memory[at : at + 2], "little")


class FixedSums:
    """Adds to the two words of fixed point."""

    def __init__(self, machine: Machine, weight: Weight) -> None:
        self.sets, self.double = machine.fixed, weight.kind == "n:2x"

    def channels(self, step: Step) -> Sequence[int]:
        return step.channels

    def weights(self, column: list[int]) -> Any:
        return column if self.double else list(zip(*map(weights.split, column), strict=True))

    def activations(self, row: list[int]) -> list[Any]:
        return row

    def add(self, chosen: int, position: int, output: int, a: list[Any], w: Any) -> None:
        for half, values in ((output // CHANNELS, w),) if self.double else enumerate(w):
            sums = self.sets[chosen][half][position]
            sums[output % CHANNELS] = sums[output % CHANNELS] + sum(map(mul, a, values)) & WORD


class OldSums:
    """Adds exactly, as v68 and v69 do."""

    def __init__(self, machine: Machine, weight: Weight) -> None:
        self.sets, self.overflow = machine.floats, machine.overflow
        self.sign = -1 if weight.rs & SUBTRACT and machine.arch > 68 else 1

    def channels(self, step: Step) -> Sequence[int]:
        return step.channels

    def weights(self, column: list[int]) -> Any:
        return [self.sign * old_float.units(bits) for bits in column]

    def activations(self, row: list[int]) -> list[Any]:
        return [old_float.units(bits) for bits in row]

    def add(self, chosen: int, position: int, output: int, a: list[Any], w: Any) -> None:
        row = self.sets[chosen][position // 2]
        products = list(map(mul, a, w))
        row[output] += sum(products)
        over = self.overflow[chosen][position // 2]
        sign = old_float.overflow(products) or old_float.overflow([row[output]])
        over[output] = over[output] or sign


class FloatSums:
    """Adds a few products at a time, with the arithmetic of v73 and newer."""

    def __init__(self, machine: Machine, act: Activation, weight: Weight) -> None:
        self.sets, self.arithmetic = machine.floats, machine.arithmetic
        # An f8 of 0x80 is NaN on v79 also where infinities are disabled.
        self.small = (
            machine.arch < 81 and act.kind == "f8",
            machine.arch < 81 and weight.kind == "f8",
        )
        self.brain = machine.arch >= 81 and bool(weight.rs & BRAIN)
        self.sign = 0x8000 if weight.rs & SUBTRACT else 0
        self.width = products_of_a_step(machine.arch)

    def channels(self, step: Step) -> Sequence[int]:
        """All channels of the step in memory: those without a weight count as well."""
        first = step.channels[0]
        return range(first, first + min(step.group, self.width))

    def _number(self, bits: int, *, small: bool = False) -> Number:
        if small and bits & 0x7FFF == weights.NAN:
            return Number(0, LEAST_PRODUCT, NAN)
        return operand(bits, self.arithmetic.infinities, self.brain)

    def _filled(self, numbers: list[Any]) -> list[Any]:
        return numbers + [self._number(0)] * (self.width - len(numbers))

    def weights(self, column: list[int]) -> Any:
        return [self._number(bits, small=self.small[1]) for bits in column]

    def activations(self, row: list[int]) -> list[Any]:
        return [self._number(bits ^ self.sign, small=self.small[0]) for bits in row]

    def add(self, chosen: int, position: int, output: int, a: list[Any], w: Any) -> None:
        row = self.sets[chosen][position // 2]
        row[output] = self.arithmetic.add(row[output], self._filled(a), self._filled(w))


Adder = FixedSums | OldSums | FloatSums
