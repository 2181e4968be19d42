"""`diverge --write-test`: one call of a recording, as a recording of its own."""

from __future__ import annotations

import struct
from pathlib import Path

from buildtool.core.files import write_if_changed
from buildtool.run.recorded.recording import (
    CALL,
    CHANGED,
    CHUNK,
    HANDLE_SIZE,
    HEADER,
    MAGIC,
    RETURN,
    Content,
    Kind,
    Recording,
)

_KEPT = (Kind.OPEN, Kind.CONTROL, Kind.MEMORY, Kind.FREED, Kind.MAP, Kind.UNMAP, Kind.REGISTER)
_OF_QUEUES = (Kind.QUEUE, Kind.EXPORT, Kind.UNQUEUE)


def write_case(recording: Recording, number: int, file: Path) -> None:
    """Write the call or message `number` with what it needs: sessions, memory and its content, for
    a message also the methods that were called before it, which connect the queue."""
    write_if_changed(file, _Case(recording, number).data())


class _Case:
    """Puts a recording together; pages get new numbers."""

    def __init__(self, recording: Recording, number: int) -> None:
        self._recording = recording
        self._number = number
        self._is_message = not recording.of(number).skel
        self._pages: dict[int, int] = {0: 0}
        self._chunks: list[bytes] = []
        self._memory: dict[int, dict[int, int]] = {}  # what changed since the last call
        self._numbers: set[int] = set()  # of the calls that are kept

    def data(self) -> bytes:
        """The whole file."""
        done = False
        for kind, start, end in self._recording.chunks():
            raw = self._recording.raw(start, end)
            if done and kind in (Kind.CALL, Kind.MESSAGE):
                break
            number = int.from_bytes(raw[:4], "little")  # of what begins so
            wanted = number == self._number or (
                self._is_message and kind in (Kind.CALL, Kind.RETURN)
            )
            if kind == Kind.CHANGED:
                self._change(raw)
            elif kind in _KEPT or (self._is_message and kind in _OF_QUEUES):
                self._add(kind, raw)
            elif kind in (Kind.CALL, Kind.MESSAGE) and wanted:
                for memory, places in self._memory.items():
                    self._add_changed(memory, number, places, after=False)
                self._memory.clear()
                self._numbers.add(number)
                self._add(kind, self._call(raw) if kind == Kind.CALL else raw)
            elif kind in (Kind.RETURN, Kind.ANSWER) and wanted:
                self._add(kind, self._return(raw, number) if kind == Kind.RETURN else raw)
                done = number == self._number
        pages = b"".join(bytes(self._recording.page(old)) for old in list(self._pages)[1:])
        head = HEADER.pack(MAGIC, 0)
        stored = CHUNK.pack(Kind.PAGES, len(pages)) + pages if pages else b""
        return b"".join([head, stored, *self._chunks])

    def _add(self, kind: Kind, data: bytes) -> None:
        self._chunks.append(CHUNK.pack(kind, len(data)) + data)

    def _page(self, number: int) -> int:
        return self._pages.setdefault(number, len(self._pages))

    def _change(self, raw: bytes) -> None:
        memory, number, after = CHANGED.unpack_from(raw)
        numbers = struct.unpack(f"<{(len(raw) - CHANGED.size) // 4}I", raw[CHANGED.size :])
        pages = dict(zip(numbers[::2], numbers[1::2], strict=True))
        if after and number in self._numbers:
            self._add_changed(memory, number, pages, after=True)
        else:
            self._memory.setdefault(memory, {}).update(pages)

    def _add_changed(self, memory: int, number: int, pages: dict[int, int], *, after: bool) -> None:
        pairs = [struct.pack("<II", place, self._page(page)) for place, page in pages.items()]
        self._add(Kind.CHANGED, CHANGED.pack(memory, number, after) + b"".join(pairs))

    def _content(self, content: Content) -> bytes:
        pages = (self._page(number) for number in content.pages)
        rest = content.rest + bytes(-len(content.rest) % 4)
        return struct.pack(f"<I{len(content.pages)}I", content.size, *pages) + rest

    def _call(self, raw: bytes) -> bytes:
        number, _, _, scalars = CALL.unpack_from(raw)
        handles = ((scalars >> 4 & 0xF) + (scalars & 0xF)) * HANDLE_SIZE
        contents = map(self._content, self._recording.of(number).before)
        return b"".join([raw[: CALL.size], *contents, raw[len(raw) - handles :]])

    def _return(self, raw: bytes, number: int) -> bytes:
        contents = map(self._content, self._recording.of(number).after or ())
        return b"".join([raw[: RETURN.size], *contents])
