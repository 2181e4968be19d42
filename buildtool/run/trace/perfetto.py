"""Writes traces that Perfetto opens: its protobuf messages, as far as they are needed here.

The field numbers are those of protos/perfetto/trace in github.com/google/perfetto.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from buildtool.run.trace.calls import Argument, Slice

REALTIME, MONOTONIC, BOOTTIME = 1, 3, 6
"""Clocks (BuiltinClock)."""
SLICE_BEGIN, SLICE_END, INSTANT, COUNTER = 1, 2, 3, 4
"""TrackEvent.Type."""
UNIT_SIZE_BYTES = 3
"""CounterDescriptor.Unit."""
VARINT, FIXED64, BYTES = 0, 1, 2
"""Wire types."""
SEQUENCE = 1
MASK = (1 << 64) - 1
_SMALL = [bytes([value]) for value in range(0x80)]


def varint(value: int) -> bytes:
    """An integer of at most 64 bits; negative ones as their two's complement."""
    if 0 <= value <= 0x7F:
        return _SMALL[value]
    value &= MASK
    data = bytearray()
    while value > 0x7F:
        data.append(value & 0x7F | 0x80)
        value >>= 7
    data.append(value)
    return bytes(data)


def number(field: int, value: int) -> bytes:
    """A field that is an integer."""
    return varint(field << 3 | VARINT) + varint(value)


def fixed(field: int, value: int) -> bytes:
    """A field that is an integer of 8 bytes."""
    return varint(field << 3 | FIXED64) + struct.pack("<Q", value & MASK)


def message(field: int, data: bytes) -> bytes:
    """A field that is a message."""
    return varint(field << 3 | BYTES) + varint(len(data)) + data


@lru_cache(maxsize=1 << 12)
def text(field: int, data: str) -> bytes:
    """A field that is a text; most of them are in many packets."""
    return message(field, data.encode(errors="replace"))


class TraceWriter:
    """Collects the packets of a trace.  Times are nanoseconds of CLOCK_MONOTONIC here."""

    def __init__(self, clocks: Mapping[int, int]) -> None:
        """`clocks` are readings of clocks of one moment."""
        self._packets: list[bytes] = []
        self._tracks = 0
        snapshot = b"".join(
            message(1, number(1, clock) + number(2, time)) for clock, time in clocks.items()
        )
        self._packet(message(6, snapshot))

    def data(self) -> bytes:
        """The trace."""
        return b"".join(self._packets)

    def process(self, name: str, pid: int) -> int:
        """A new track for the process `pid`."""
        return self._track(message(3, number(1, pid) + text(6, name)))

    def thread(self, name: str, pid: int, tid: int) -> int:
        """A new track for a thread of a process that has a track."""
        return self._track(message(4, number(1, pid) + number(2, tid) + text(5, name)))

    def track(self, name: str, parent: int = 0) -> int:
        """A new track below the track `parent`."""
        return self._track(text(2, name) + (number(5, parent) if parent else b""))

    def counter(self, name: str, parent: int, *, in_bytes: bool = False, unit: str = "") -> int:
        """A new track of values, in bytes or in a unit with a name."""
        how = number(3, UNIT_SIZE_BYTES) if in_bytes else text(6, unit)
        return self._track(text(2, name) + number(5, parent) + message(8, how))

    def values(self, track: int, values: Sequence[tuple[int, int]]) -> None:
        """The values of a counter, each with its time."""
        for time, value in values:
            self._event(time, number(9, COUNTER) + number(11, track) + number(30, value))

    def slices(self, track: int, slices: Sequence[Slice]) -> None:
        """Slices that are sorted and nested, as `calls.nested` does."""
        ends: list[int] = []
        on_track = number(11, track)
        for each in slices:
            while ends and ends[-1] <= each.start:
                self._event(ends.pop(), number(9, SLICE_END) + on_track)
            kind = INSTANT if each.instant else SLICE_BEGIN
            event = number(9, kind) + on_track + text(23, each.name)
            if each.leads:
                event += fixed(47, each.leads)
            if each.follows:
                event += fixed(48, each.follows)
            for name, value in each.arguments.items():
                event += message(4, text(10, name) + _value(value))
            self._event(each.start, event)
            if not each.instant:
                ends.append(each.end)
        while ends:
            self._event(ends.pop(), number(9, SLICE_END) + on_track)

    def _track(self, descriptor: bytes) -> int:
        self._tracks += 1
        self._packet(message(60, number(1, self._tracks) + descriptor))
        return self._tracks

    def _event(self, time: int, event: bytes) -> None:
        self._packet(number(8, time) + number(58, MONOTONIC) + message(11, event))

    def _packet(self, fields: bytes) -> None:
        self._packets.append(message(1, fields + number(10, SEQUENCE)))


def _value(value: Argument) -> bytes:
    return text(6, value) if isinstance(value, str) else number(4, value)
