"""Exact counts of a run on the emulated device: what the DSP executed for each method.

QEMU counts packets and instructions, and the shell reads its counters around each call
(emulator/shell/counts.c).  The numbers are the same in each run of a program that calls the same
methods with the same data.  They are no measure of time.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from buildtool.core.escape import escape
from buildtool.core.value import Described, Value

if TYPE_CHECKING:
    from buildtool.diagnose.method_names import SkelMethods

COUNTS = ("packets", "instructions", "hvx")
"""What the emulated DSP counts."""
MAX_BYTES = 1 << 20
MAX_DIGITS = 20
NUMBERS = ("primIn", "primROut")
"""The buffers of all parameters that are no buffers, as generated code calls them."""
MAX_LENGTHS = 8
"""Buffers of a call that failed of which the length is known.  Source: emulator/shell/counts.c."""
QUEUES = 0xFFFFFFFF
"""In place of the number of a method: callbacks of queues.  Source: emulator/shell/counts.h."""
_NUMBERS = 12
"""Numbers of a line between the method and the name of the skel."""


class MethodCounts(Described, kw_only=True):
    """The calls of a method of a skel.

    Packets and instructions include what threads of the skel executed meanwhile, except `waiting`.
    `within` is not known if QEMU's counters of 32 bits may have wrapped.

    The method `QUEUES` stands for the callbacks of a skel's queues; its calls are messages.
    Without a `skel` the counts are those of threads of skels while no call, or more than one, was
    running.
    """

    skel: Annotated[str, 'file name of the skel; "" for its threads outside of calls']
    method: Annotated[
        int, "number of the method in the IDL; 4294967295: callbacks of the skel's queues"
    ]
    name: Annotated[str, 'name of the method; "" if it is unknown'] = ""
    calls: Annotated[int, "number of calls, or of messages in queues"]
    packets: Annotated[int, "packets that the DSP executed, without those of loops that wait"]
    instructions: Annotated[int, "instructions that the DSP executed"]
    hvx: Annotated[int, "HVX instructions among them"]
    waiting: Annotated[
        int, "packets of loops in which threads waited, and of callbacks that looked for messages"
    ] = 0
    bytes_in: Annotated[int, "bytes of in buffers"]
    bytes_out: Annotated[int, "bytes of out buffers"]
    bytes_copied: Annotated[int, "bytes of these buffers that were not shared memory"]
    exact: Annotated[bool, "false if another run with the same data can have other counts"] = True
    within: Annotated[int, "by how many packets, if that is known; else 0"] = 0
    vtcm: Annotated[
        int, "the most bytes of VTCM that the process held when the method acquired some"
    ] = 0
    stack: Annotated[
        int, "the most bytes of stack that a thread used for it; 0: none, or not measured"
    ] = 0

    @property
    def comparable(self) -> MethodCounts:
        """The counts without what is chance."""
        return self._replace(waiting=0, within=0, exact=True, vtcm=0, stack=0)


class FailedCall(Value):
    """The last call of a method that returned `code`, which is no success; the lengths are those of
    its buffers, with the `parameters` that they hold, as far as these are known."""

    skel: str
    method: int
    code: int
    inputs: tuple[int, ...] = ()
    outputs: tuple[int, ...] = ()
    name: str = ""
    parameters: tuple[str, ...] = ()

    @property
    def called(self) -> str:
        """The method, with its number and its skel."""
        number = f"method {self.method}"
        return f"{self.name} ({number})" if self.name else f"{number} of {self.skel}"

    @property
    def lengths(self) -> str:
        """The lengths of the buffers in words, "" if they are not known."""
        names = [*self.parameters, *[""] * len((*self.inputs, *self.outputs))]
        parts = []
        for which, lengths in (("in", self.inputs), ("out", self.outputs)):
            named = [*zip(names, lengths, strict=False)]
            del names[: len(lengths)]
            sizes = [f"{name} {length:,}".strip() for name, length in named if name not in NUMBERS]
            parts += [f"{which} {', '.join(sizes)}"] if sizes else []
        return f"bytes of its buffers: {'; '.join(parts)}" if parts else ""


def counts_from_json(row: Any) -> MethodCounts:
    """The value whose `as_json` this is; raises `LookupError` and `TypeError`."""
    return MethodCounts(**{field: row[field] for field in MethodCounts._fields})


def read_method_counts(file: Path) -> tuple[MethodCounts, ...]:
    """The counts of all DSP processes of a run, which have written them to `file`, unless the
    program has removed it."""
    sums: dict[tuple[str, int], list[int]] = {}
    peaks = 2  # at the end of the numbers
    for line in _lines(file):
        method, *words = line.split(" ", _NUMBERS + 1)
        if len(words) != _NUMBERS + 1 or not all(map(_is_number, (method, *words[:-1]))):
            continue
        row = sums.setdefault((words[-1], int(method)), [0] * _NUMBERS)
        numbers = [*map(int, words[:_NUMBERS])]
        most = [max(pair) for pair in zip(row[-peaks:], numbers[-peaks:], strict=True)]
        row[:] = [*map(sum, zip(row[:-peaks], numbers[:-peaks], strict=True)), *most]
    counts = []
    for (skel, number), row in sorted(sums.items()):
        calls, packets, instructions, hvx, waiting, bytes_in, bytes_out, copied, *unsure = row
        counts.append(
            MethodCounts(
                skel=escape(skel),
                method=number,
                calls=calls,
                packets=packets,
                instructions=instructions,
                hvx=hvx,
                bytes_in=bytes_in,
                bytes_out=bytes_out,
                bytes_copied=copied,
                waiting=waiting,
                within=unsure[1],
                exact=not any(unsure[:2]),
                vtcm=unsure[2],
                stack=unsure[3],
                name="callbacks of dspqueue" if number == QUEUES else "",
            )
        )
    return tuple(counts)


def read_failed_calls(file: Path) -> tuple[FailedCall, ...]:
    """The calls of methods that failed in a run, as `read_method_counts` reads counts."""
    calls = []
    for line in _lines(file):
        word, *words = line.split(" ", 5)
        if word != "failed" or len(words) != 5 or not all(map(_is_number, words[:4])):
            continue
        method, code, _, inputs = map(int, words[:4])
        outputs, *rest = words[4].split(" ")
        if not _is_number(outputs):
            continue
        count = min(inputs + int(outputs), MAX_LENGTHS)
        lengths = [int(length) for length in rest[:count] if _is_number(length)]
        if len(lengths) == count and rest[count:]:
            skel = escape(" ".join(rest[count:]))
            given, taken = tuple(lengths[:inputs]), tuple(lengths[inputs:])
            calls.append(FailedCall(skel, method, code, given, taken))
    return tuple(calls)


def _lines(file: Path) -> list[str]:
    if not file.is_file():
        return []
    with file.open("rb") as stream:
        return stream.read(MAX_BYTES).decode(errors="replace").split("\n")


def _is_number(word: str) -> bool:
    return word.isascii() and word.isdecimal() and len(word) <= MAX_DIGITS


def with_names(find: SkelMethods, counts: Iterable[MethodCounts]) -> tuple[MethodCounts, ...]:
    """The counts with the names of the methods, as far as IDL files of the project have them."""
    named = ((one, find(one.skel, one.method)) for one in counts)
    return tuple(one._replace(name=names.name) if names else one for one, names in named)


def with_parameters(find: SkelMethods, calls: Iterable[FailedCall]) -> tuple[FailedCall, ...]:
    """The calls with the names of their methods and parameters, as `with_names`."""
    named = ((one, find(one.skel, one.method)) for one in calls)
    return tuple(
        one._replace(name=names.name, parameters=names.buffers) if names else one
        for one, names in named
    )
