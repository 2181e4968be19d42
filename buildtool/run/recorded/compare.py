"""Where two recordings of the same calls differ: the first call, and a row for each method."""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Iterator

from buildtool.core.value import Value
from buildtool.project.benches import ELEMENT_CODES, Compare
from buildtool.project.model import Project
from buildtool.project.runs import MESSAGES
from buildtool.run.recorded.batches import TYPES as TENSOR_TYPES
from buildtool.run.recorded.batches import Batches, Tensor, dimensions, header_of, kept
from buildtool.run.recorded.differences import Difference, Divergence, MethodRow, Where
from buildtool.run.recorded.followed import Followed
from buildtool.run.recorded.numbers import (
    Differences,
    Shape,
    Shapes,
    differences,
    first_element,
    shape_of,
)
from buildtool.run.recorded.recording import PAGE, Asked, Content, Recording

_ARCH = re.compile(r"v(6[0-9]|7[0-9]|8[0-9])(?![0-9])")
SHOWN_INPUTS = 6
UNWRITTEN = b"\x7e"
"""What the emulated device fills outputs with when calls are repeated."""
UNSUPPORTED = 0x14  # AEE_EUNSUPPORTED on the ARM64 side


def compare(
    project: Project,
    left: Recording,
    right: Recording,
    *,
    type_: str = "",
    same_inputs: bool,
    reference: bool = False,
) -> Divergence:
    """Where `right` differs from `left`, whose calls it repeats with `same_inputs`, by the rules of
    the project; without a rule, `type_` is that of numbers in octets and in memory.  What a
    `reference` did not know is not compared."""
    default = Compare(type=type_) if type_ else Compare()
    comparison = _Comparison(
        left, right, project, default=default, same_inputs=same_inputs, reference=reference
    )
    return comparison.result()


class _At(Value):
    """What is compared: a call, and what of it."""

    call: int
    method: str
    arguments: str = ""
    where: Where = "output"
    name: str = ""

    def difference(self, left: str, right: str) -> Difference:
        """A difference of something that is no number of a buffer."""
        return Difference(**self._asdict(), recorded=left, other=right)

    def described(self, found: Differences) -> Difference:
        """A difference of numbers."""
        code = f"<{ELEMENT_CODES[found.field.type]}"
        size = struct.calcsize(code)
        filled = size > 1 and struct.pack(code, found.right) == UNWRITTEN * size
        return Difference(
            **self._asdict(),
            element=found.element,
            field=found.field.path,
            type=found.field.type,
            recorded=_number(found.left),
            other=_number(found.right),
            differ=found.differ,
            last=found.last,
            unwritten=filled and self.where == "output",
            numbers=found.numbers,
            largest=_finite(found.largest),
            nmse=_finite(found.nmse),
        )


Found = Iterator[tuple[Difference, bool]]
"""Differences, each with whether the rule of the method accepts it."""


class _Comparison:
    """Compares `right` with `left`, call by call; with `same_inputs` it repeats its calls."""

    def __init__(
        self,
        left: Recording,
        right: Recording,
        project: Project,
        *,
        default: Compare,
        same_inputs: bool,
        reference: bool,
    ) -> None:
        self._left, self._right = Followed(left), Followed(right)
        self._shapes, self._batches = Shapes(project), Batches(header_of(project))
        self._rules, self._default = project.comparisons, default
        self._same_inputs, self._reference = same_inputs, reference
        self._unknown = 0
        self._strays: list[str] = []
        self._rows: dict[str, MethodRow] = {}
        self._first: Difference | None = None
        self._touched: set[tuple[int, int]] = set()

    def result(self) -> Divergence:
        """Compare all calls and messages that both have."""
        left, right = self._left.recording, self._right.recording
        compared = 0
        for one, other in zip(left.asked, right.asked, strict=False):
            if (_plain(one.skel), one.scalars) != (_plain(other.skel), other.scalars):
                names = self._name(one), self._name(other)
                self._note(_At(one.number, names[0], where="order").difference(*names))
                break
            if self._reference and _is_unknown(other):
                self._unknown += 1
                self._left.see((*one.changed_before, *one.changed_after))
                self._right.see((*other.changed_before, *other.changed_after))
                continue
            self._compare(one, other)
            compared += one.after is not None
        return Divergence(
            compared,
            max(len(left.asked), len(right.asked)) - compared - self._unknown,
            left.left_out,
            self._unknown,
            self._first,
            tuple(self._strays),
            tuple(sorted(set(self._rules).difference(self._rows))),
            tuple(sorted(self._rows.values(), key=lambda row: row.first or math.inf)),
        )

    def _compare(self, one: Asked, other: Asked) -> None:
        left, right = self._left, self._right
        left.see(one.changed_before)
        right.see(other.changed_before)
        tensors = None if one.skel else self._batches.results(one, self._left_memory)
        if tensors is not None:
            places = self._places(one, tensors)
            now = "now" if self._same_inputs else "in the other recording"
            for side, asked, when in ((left, one, "when it was recorded"), (right, other, now)):
                if stray := side.stray(asked, places):
                    self._note_stray(asked, tensors, when, stray)
        self._touched |= left.see(one.changed_after) | right.see(other.changed_after)
        quiet = one.quiet and other.quiet
        if tensors is not None:
            if quiet:  # else the DSP may be at work in the same memory
                self._touched.clear()
                self._compare_tensors(one, other, tensors)
            return
        if one.after is None:
            return  # the program ended during the call
        at = _At(one.number, self._name(one), self._arguments(one))
        if not self._same_inputs and (other_input := next(self._inputs(at, one, other), None)):
            self._note(other_input[0])
            row = self._row(at.method)
            self._rows[at.method] = row._replace(calls=row.calls + 1, other=row.other + 1)
            return
        found = list(self._results(at, one, other))
        if quiet:
            found += self._memory(at)
            self._touched.clear()
        self._count(at, found)

    def _left_memory(self, fd: int, start: int, size: int) -> bytes:
        return self._left.memory(self._left.number(fd), start, size)

    def _count(self, at: _At, found: list[tuple[Difference, bool]]) -> None:
        row = self._row(at.method)
        wrong = [difference for difference, accepted in found if not accepted]
        self._rows[at.method] = row._replace(
            calls=row.calls + 1,
            equal=row.equal + (not found),
            within=row.within + (bool(found) and not wrong),
            differ=row.differ + bool(wrong),
            first=row.first or (at.call if wrong else 0),
            largest=_most(row.largest, *(difference.largest for difference, _ in found)),
            nmse=_most(row.nmse, *(difference.nmse for difference, _ in found)),
        )
        for difference in wrong[:1]:
            self._note(difference)

    def _note(self, difference: Difference) -> None:
        self._first = self._first or difference

    def _row(self, method: str) -> MethodRow:
        return self._rows.get(method) or MethodRow(method, 0, 0, 0, 0, 0, 0, 0.0, 0.0)

    def _rule(self, method: str) -> Compare:
        return self._rules.get(method, self._default)

    def _name(self, asked: Asked) -> str:
        return self._shapes(asked.skel, asked.method).name if asked.skel else MESSAGES

    def _arguments(self, asked: Asked) -> str:
        """The numbers in primIn, as `rows=1, cols=2`."""
        shapes = self._shapes(asked.skel, asked.method).inputs if asked.skel else ()
        if not asked.before or not shapes or shapes[0].name:
            return ""
        values = first_element(shapes[0], self._left.recording.bytes_of(asked.before[0]))
        return ", ".join(f"{path}={value:g}" for path, value in values[:SHOWN_INPUTS])

    def _inputs(self, at: _At, one: Asked, other: Asked) -> Found:
        inputs = one.scalars >> 16 & 0xFF
        shapes = self._shapes(one.skel, one.method).inputs if one.skel else ()
        at = at._replace(where="input")
        yield from self._contents(at, one.before[:inputs], other.before[:inputs], shapes)
        yield from self._numbers(at, (one.message, other.message), None)

    def _results(self, at: _At, one: Asked, other: Asked) -> Found:
        left, right = (
            "nothing" if each.after is None else hex(each.code & 0xFFFFFFFF)
            for each in (one, other)
        )
        if left != right:
            yield at._replace(where="code").difference(left, right), False
        answer = at._replace(where="answer", name="answer")
        yield from self._numbers(answer, (one.answer, other.answer), None)
        shapes = self._shapes(one.skel, one.method).outputs if one.skel else ()
        yield from self._contents(at, one.after or (), other.after or (), shapes)

    def _contents(
        self,
        at: _At,
        left: tuple[Content, ...],
        right: tuple[Content, ...],
        shapes: tuple[Shape, ...],
    ) -> Found:
        for number, contents in enumerate(zip(left, right, strict=False)):
            shape = shapes[number] if number < len(shapes) else None
            sides = zip((self._left, self._right), contents, strict=True)
            one, other = (side.recording.bytes_of(content) for side, content in sides)
            name = shape.name if shape else f"buffer {number}"
            yield from self._numbers(at._replace(name=name), (one, other), shape)

    def _numbers(self, at: _At, pair: tuple[bytes, bytes], shape: Shape | None) -> Found:
        """How buffers with numbers differ, those of octets by the type of the rule."""
        rule = self._rule(at.method)
        if pair[0] == pair[1] or (at.name and at.name in rule.ignore):
            return
        if len(pair[0]) != len(pair[1]):
            yield at.difference(*(f"{len(data):,} bytes" for data in pair)), False
            return
        if shape is None or not shape.fields or shape.is_octets:
            shape = shape_of(at.name, rule.type)
        kept = tuple(field for field in shape.fields if field.path not in rule.ignore)
        beyond, any_ = differences(shape._replace(fields=kept), *pair, rule)
        if found := beyond or any_:
            yield at.described(found), beyond is None

    def _memory(self, at: _At) -> Found:
        """How the pages differ that changed since this was compared last."""
        for memory, place in sorted(self._touched):
            one, other = (bytes(side.page((memory, place))) for side in (self._left, self._right))
            fd, _ = self._left.recording.memories.get(memory, (-1, 0))
            where = at._replace(where="memory", name=f"of descriptor {fd}")
            for difference, accepted in self._numbers(where, (one, other), None):
                first = place * PAGE // struct.calcsize(ELEMENT_CODES[difference.type])
                yield (
                    difference._replace(
                        element=first + difference.element, last=first + difference.last
                    ),
                    accepted,
                )

    def _places(self, asked: Asked, tensors: list[Tensor]) -> list[tuple[int, int, int]]:
        """Memory, start and end of what a message may change.  Repeated calls have the same memory
        in the same order, and descriptors of their own."""
        own = [(tensor.fd, tensor.place, tensor.size) for tensor in tensors]
        own += [(fd, offset, size) for fd, size, offset in asked.buffers]
        return [(self._left.number(fd), start, start + size) for fd, start, size in own]

    def _note_stray(
        self, asked: Asked, tensors: list[Tensor], when: str, stray: tuple[int, int, int]
    ) -> None:
        memory, first, count = stray
        fd, _ = self._left.recording.memories.get(memory, (-1, 0))
        operators = ", ".join(dict.fromkeys(tensor.operator for tensor in tensors))
        self._strays.append(
            f"message {asked.number} ({operators}) {when}: {count:,} bytes from {first:,} on in the"
            f" memory of descriptor {fd}"
        )

    def _compare_tensors(self, one: Asked, other: Asked, tensors: list[Tensor]) -> None:
        states = tuple(self._batches.status(each.answer).hex() for each in (one, other))
        if states[0] != states[1]:
            at = _At(one.number, MESSAGES, where="answer")
            self._count(at, [(at.difference(*states), False)])
        for tensor in kept(tensors):
            shown = f"{', '.join(tensor.sources)} -> {tensor.type} {dimensions(tensor.shape)}"
            at = _At(one.number, tensor.operator, shown, "memory", "result")
            # Replays have the same memory in the same order, and descriptors of their own.
            place = self._left.number(tensor.fd), tensor.place, tensor.size
            pair = self._left.memory(*place), self._right.memory(*place)
            shape = shape_of("result", TENSOR_TYPES.get(tensor.type, "u8"))
            self._count(at, list(self._numbers(at, pair, shape)))


def _is_unknown(asked: Asked) -> bool:
    """Whether a reference has no answer to it (reference_calls.h)."""
    return asked.code == UNSUPPORTED if asked.skel else not asked.answer


def _plain(skel: str) -> str:
    """The name of a skel without its arch."""
    return _ARCH.sub("v", skel)


def _most(*numbers: float | None) -> float | None:
    known = [number for number in numbers if number is not None]
    return None if len(known) < len(numbers) else max(known, default=0.0)


def _finite(number: float) -> float | None:
    return number if math.isfinite(number) else None


def _number(number: float) -> float | str:
    return number if math.isfinite(number) else str(number)
