"""What a comparison of recorded calls found, as `--json` prints it and in words."""

from __future__ import annotations

from typing import Annotated, Literal

from buildtool.core.value import Described

Where = Literal["output", "memory", "answer", "code", "input", "order"]


class Difference(Described):
    """Where a call differs from the recorded one."""

    call: Annotated[int, "number of the call or message, from 1"]
    method: Annotated[
        str, "C name of the method; of a message the operator of the backend, if known"
    ]
    arguments: Annotated[str, "its arguments that are numbers; the shapes of an operator"]
    where: Annotated[
        Where,
        'what differs: "output", "memory" that both sides see, the "answer" to a message, the'
        ' "code" that it returned, an "input", or the "order" of calls',
    ]
    name: Annotated[str, 'name of the parameter; "" for a value that is returned']
    recorded: Annotated[float | str, "the recorded number"]
    other: Annotated[float | str, "the number in the other recording, or when it was repeated"]
    element: Annotated[int, "number of the first element that differs"] = 0
    field: Annotated[str, 'the field of the element that differs; "" if it has no fields'] = ""
    type: Annotated[str, 'type of the number; "" if it is none of a buffer'] = ""
    differ: Annotated[int, "how many numbers of the buffer differ"] = 1
    last: Annotated[int, "number of the last element that differs"] = 0
    numbers: Annotated[int, "numbers in the buffer"] = 1
    largest: Annotated[float | None, "largest difference; null if it is not finite"] = None
    nmse: Annotated[
        float | None, "mean squared error of floats as a share of their squares; null likewise"
    ] = None
    unwritten: Annotated[
        bool, "the number is what sim fills buffers with: the method has not written it"
    ] = False

    def lines(self, other: str = "") -> tuple[str, ...]:
        """The difference in words; `other` is the name of the other recording, if it is one."""
        called = f"{self.method}({self.arguments})" if self.arguments else self.method
        first = f"the first difference is in call {self.call}: {called}"
        if self.where == "order":
            return first, f"  {other or 'the other one'} goes on with {self.other}"
        if not self.type:
            what = f"{self.where} {self.name}".rstrip()
            now = f"{self.other} in {other}" if other else f"now {self.other}"
            return first, f"  the {what} was {self.recorded} when it was recorded, {now}"
        field = f".{self.field}" if self.field and self.name else self.field
        place = f"{self.name}[{self.element}]{field}" if self.name else field or "the answer"
        by = f", by {self.largest:g} at most" if self.largest is not None else ""
        error = f", NMSE {self.nmse:.2g}" if self.nmse else ""
        now = f"{_text(self.other)} in {other}" if other else f"now {_text(self.other)}"
        range_ = f", up to element {self.last:,}" if self.differ > 1 else ""
        return (
            first,
            f"  {self.where} {place} ({self.type}): {_text(self.recorded)} was recorded, {now}",
            f"  {self.differ:,} of {self.numbers:,} numbers differ{range_}{by}{error}",
            *(("  the method has not written it: sim fills outputs with 0x7e",) * self.unwritten),
        )


class MethodRow(Described):
    """The calls of a method, or the results of an operator."""

    method: Annotated[str, "C name of the method, or operator"]
    calls: Annotated[int, "calls that were compared"]
    equal: Annotated[int, "calls with equal results"]
    within: Annotated[int, "calls whose results differ as [compare.METHOD] accepts"]
    differ: Annotated[int, "calls whose results differ by more"]
    other: Annotated[int, "calls with other inputs, which are not compared"]
    first: Annotated[int, "number of the first one that differs; 0 if there is none"]
    largest: Annotated[float | None, "largest difference of all; null if it is not finite"]
    nmse: Annotated[float | None, "largest mean squared error; null likewise"]


class Divergence(Described):
    """What a comparison of recordings found."""

    compared: Annotated[int, "calls and messages that were compared"]
    missing: Annotated[int, "calls and messages that only one of both has"]
    left_out: Annotated[int, "calls and messages that were not recorded"]
    unknown: Annotated[int, "calls and messages that the reference does not know"]
    first: Annotated[Difference | None, "the first difference; null if there is none"]
    strays: Annotated[
        tuple[str, ...], "messages during which memory changed that is no result of them"
    ]
    unused: Annotated[
        tuple[str, ...], "names of [compare.NAME] that nothing has which was compared"
    ]
    methods: Annotated[tuple[MethodRow, ...], "a row for each method"]


def _text(number: float | str) -> str:
    return number if isinstance(number, str) else f"{number:.9g}"
