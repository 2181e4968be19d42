"""From records to slices: what lasted from when to when, on which thread, and which part of the DSP
belongs to which call of a program."""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence

from buildtool.core.value import Value
from buildtool.run.trace.records import DSP_SIDE, Kind, Record

NameOf = Callable[[str, int], str]
"""From the file of a skel and the number of a method to the name of the method, "" if unknown."""
Argument = int | str
NO_ARGUMENTS: Mapping[str, Argument] = {}
OPEN_METHOD, CLOSE_METHOD = 0, 1
CALLS = {
    Kind.OPEN: "open",
    Kind.CLOSE: "close",
    Kind.CALL: "",
    Kind.CALL_ASYNC: "",
    Kind.MAP: "",
    Kind.UNMAP: "",
}
_BEGINS = {Kind.BEGIN: Kind.END, Kind.DSP_BEGIN: Kind.DSP_END}


class Slice(Value):
    """Something that lasted from `start` to `end`, in nanoseconds; without a duration it is an
    instant.  An arrow leads from the slice with a number `leads` to that with `follows`."""

    start: int
    end: int
    name: str
    arguments: Mapping[str, Argument] = NO_ARGUMENTS
    leads: int = 0
    follows: int = 0
    instant: bool = False


class Thread(Value):
    """A thread of a process; with `dsp` one of the DSP that works for it."""

    process: int
    thread: int
    dsp: bool


Threads = dict[Thread, list[Slice]]


def slices_of(records: Sequence[Record], name_of: NameOf) -> Threads:
    """The slices of each thread, sorted and nested.

    Slices of calls have the method, sizes, the code, and, where the part of the DSP is known, the
    time there and in libcdsprpc.  The numbers of arrows are from 1 on.
    """
    threads: Threads = defaultdict(list)
    parts = pair_calls(records)
    arrows = {dsp: number for number, dsp in enumerate(parts.values(), 1)}
    calls = {
        dsp: records[host] for host, dsp in parts.items() if records[host].kind != Kind.CALL_ASYNC
    }
    last = max((record.end for record in records), default=0)
    open_events: dict[tuple[Thread, int], list[Record]] = defaultdict(list)
    for number, record in enumerate(records):
        thread = Thread(record.process, record.thread, record.kind >= DSP_SIDE)
        if record.kind in _BEGINS:
            open_events[thread, _BEGINS[Kind(record.kind)]].append(record)
        elif record.kind in (Kind.END, Kind.DSP_END):
            if begun := open_events[thread, record.kind]:
                first = begun.pop()
                threads[thread].append(Slice(first.start, record.start, first.name))
        elif record.kind == Kind.DSP_CALL:
            name = _call_name(record, name_of)
            given: dict[str, Argument] = {"skel": skel_of(record), "code": code_text(record.code)}
            if record.bytes_in:
                given["wrong by up to ns"] = record.bytes_in
            start, end, follows = record.start, record.end, arrows.get(number, 0)
            if call := calls.get(number):  # as far as the clocks are known it lies within
                start = min(max(start, call.start), call.end - 1)
                end = max(min(end, call.end), start + 1)
            threads[thread].append(Slice(start, end, name, given, follows=follows))
        elif record.kind in CALLS:
            part = parts.get(number)
            threads[thread].append(
                _call(record, name_of, records[part] if part is not None else None)._replace(
                    leads=arrows[part] if part is not None else 0
                )
            )
        else:
            threads[thread].append(_instant(record))
    for (thread, _), unfinished in open_events.items():
        threads[thread] += (
            Slice(each.start, last, each.name, {"ended": "no"}) for each in unfinished
        )
    return {thread: nested(slices) for thread, slices in threads.items()}


def pair_calls(records: Sequence[Record]) -> dict[int, int]:
    """For calls of programs, by their place in `records`, the place of their part on the DSP.  That
    of a call lies within it; that of an asynchronous call begins after it."""
    sides: dict[tuple[int, str, int], tuple[list[int], list[int], list[int]]] = defaultdict(
        lambda: ([], [], [])
    )
    for number, record in enumerate(records):
        if record.kind == Kind.DSP_CALL:
            sides[record.process, skel_of(record), record.method][2].append(number)
        elif record.kind in (Kind.CALL, Kind.CALL_ASYNC, Kind.OPEN, Kind.CLOSE):
            which = int(record.kind == Kind.CALL_ASYNC)
            sides[record.process, skel_of(record), _method_of(record)][which].append(number)
    pairs: dict[int, int] = {}
    for calls, queued, parts in sides.values():
        found = _within(records, calls, parts)
        pairs |= found
        left = sorted(set(parts) - set(found.values()), key=lambda part: records[part].start)
        for call in sorted(queued, key=lambda call: records[call].start):
            later = [part for part in left[:1] if records[part].start >= records[call].start]
            if later:
                pairs[call] = left.pop(0)
    return pairs


def _within(
    records: Sequence[Record], calls: Sequence[int], parts: Sequence[int]
) -> dict[int, int]:
    """A part for as many calls as possible that lies within the call: from the last call to the
    first, each takes the part that ends last and not after it.  A part whose
    times can be wrong may exceed the call by as much."""
    wrong = {part: records[part].bytes_in for part in parts}
    spans = {n: (records[n].start + wrong[n], records[n].end - wrong[n]) for n in parts}
    waiting = sorted(parts, key=lambda part: spans[part])
    heap: list[tuple[int, int]] = []
    pairs = {}
    for call in sorted(calls, key=lambda call: -records[call].start):
        while waiting and spans[waiting[-1]][0] >= records[call].start:
            part = waiting.pop()
            heapq.heappush(heap, (-spans[part][1], part))
        # Parts in the heap begin after this call does, and so after all calls that are left: one
        # that is too long for this call may fit an earlier one, which ends later.
        too_long = []
        while heap and -heap[0][0] > records[call].end:
            too_long.append(heapq.heappop(heap))
        if heap:
            pairs[call] = heapq.heappop(heap)[1]
        for each in too_long:
            heapq.heappush(heap, each)
    return pairs


def nested(slices: Iterable[Slice]) -> list[Slice]:
    """The slices by their start, outer ones first.  One that overlaps the end of another ends with
    it, and none is shorter than a nanosecond."""
    ordered: list[Slice] = []
    outer: list[int] = []  # ends
    for each in sorted(slices, key=lambda each: (each.start, -each.end)):
        if each.instant:
            ordered.append(each)
            continue
        while outer and outer[-1] <= each.start:
            outer.pop()
        end = max(each.end, each.start + 1)
        end = min(end, outer[-1]) if outer else end
        ordered.append(each if end == each.end else each._replace(end=end))
        outer.append(end)
    return ordered


def skel_of(record: Record) -> str:
    """The file of the skel of a call: that of file:///libdemo_skel.so?demo_skel_handle_invoke."""
    return record.name.partition("?")[0].rpartition("/")[2]


def _method_of(record: Record) -> int:
    if record.kind == Kind.OPEN:
        return OPEN_METHOD
    return CLOSE_METHOD if record.kind == Kind.CLOSE else record.method


def code_text(code: int) -> str:
    """A return code, as 0 or in hex."""
    return hex(code & 0xFFFFFFFF) if code else "0"


def _call_name(record: Record, name_of: NameOf) -> str:
    skel, method = skel_of(record), _method_of(record)
    return name_of(skel, method) or f"method {method} of {skel or 'an unknown skel'}"


def _call(record: Record, name_of: NameOf, part: Record | None) -> Slice:
    given: dict[str, Argument] = {"code": code_text(record.code)}
    if record.kind in (Kind.MAP, Kind.UNMAP):
        return Slice(record.start, record.end, record.name, {**given, "bytes": record.bytes_in})
    given["skel"] = skel_of(record)
    name = f"{CALLS[Kind(record.kind)]} {skel_of(record)}"
    if record.kind in (Kind.CALL, Kind.CALL_ASYNC):
        name = _call_name(record, name_of)
        given |= {
            "method": record.method,
            "bytes in": record.bytes_in,
            "bytes out": record.bytes_out,
        }
    if record.kind == Kind.CALL_ASYNC:
        given["asynchronous"] = "yes"
    elif part:
        inside = part.end - part.start
        given["DSP ns"] = inside
        given["libcdsprpc ns"] = record.end - record.start - inside
    return Slice(record.start, record.end, name, given)


def _instant(record: Record) -> Slice:
    given: dict[str, Argument] = {}
    name = record.name
    if record.kind == Kind.MESSAGE:
        given = {"bytes": record.bytes_in, "code": code_text(record.code)}
    elif record.kind == Kind.LATENCY:
        name = (
            f"vote for a latency of {record.bytes_in} us" if record.bytes_in else "no latency vote"
        )
        given = {"code": code_text(record.code)}
    return Slice(record.start, record.start, name, given, instant=True)


def mapped_bytes(records: Iterable[Record]) -> dict[int, list[tuple[int, int]]]:
    """For each process, what is mapped for the DSP after each change: the time, and the bytes."""
    mapped: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for record in sorted(records, key=lambda record: record.end):
        if record.kind in (Kind.MAP, Kind.UNMAP) and not record.code:
            row = mapped[record.process] or [(record.start, 0)]
            sign = 1 if record.kind == Kind.MAP else -1
            row.append((record.end, max(0, row[-1][1] + sign * record.bytes_in)))
            mapped[record.process] = row
    return dict(mapped)
