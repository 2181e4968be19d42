"""Reads recordings of calls: docs/diverge.md has their layout, device/calls/recording.h too.

A recording comes from a device or from somebody else: nothing in it is trusted.  One that a killed
program left ends in a chunk that is not whole, before which everything counts.
"""

from __future__ import annotations

import mmap
import struct
from collections.abc import Iterator
from enum import IntEnum
from pathlib import Path, PurePosixPath

from buildtool.core.errors import BuildtoolError
from buildtool.core.escape import escape
from buildtool.core.value import Value

MAGIC = b"BTRECRD1"
PAGE = 4096
METHOD_IN_ARGUMENT = 31
MAX_HANDLES, MAX_MEMORIES, MAX_QUEUES = 1024, 1024, 64
"""What replays have room for (replay_calls.c)."""
HEADER = struct.Struct("<8sQ")
CHUNK = struct.Struct("<II")
_OPEN = struct.Struct("<IiI")
CALL = struct.Struct("<4I")
RETURN = struct.Struct("<Ii")
_MEMORY = struct.Struct("<IiQ")
CHANGED = struct.Struct("<3I")
_MAP = struct.Struct("<2i2IQiI")
_QUEUE = struct.Struct("<Ii4IQ")
_MESSAGE = struct.Struct("<6I")
_BUFFER = struct.Struct("<4IQ")
_CONTROL = struct.Struct("<IiI")
HANDLE_SIZE = 16
SETTLED = 2
"""In a chunk of changes: the DSP had answered all messages."""
MAX_BUFFERS = 256
MAX_CONTROL = 256


class Kind(IntEnum):
    """What a chunk is about."""

    PAGES = 1
    OPEN = 2
    CLOSE = 3
    CALL = 4
    RETURN = 5
    MEMORY = 6
    CHANGED = 7
    FREED = 8
    MAP = 9
    UNMAP = 10
    REGISTER = 11
    QUEUE = 12
    EXPORT = 13
    MESSAGE = 14
    ANSWER = 15
    UNQUEUE = 16
    CONTROL = 17


_SIZES = {
    Kind.OPEN: _OPEN.size,
    Kind.CLOSE: _OPEN.size,
    Kind.CALL: CALL.size,
    Kind.RETURN: RETURN.size,
    Kind.MEMORY: _MEMORY.size,
    Kind.CHANGED: CHANGED.size,
    Kind.FREED: _MEMORY.size,
    Kind.MAP: _MAP.size,
    Kind.UNMAP: _MAP.size,
    Kind.REGISTER: _MAP.size,
    Kind.QUEUE: _QUEUE.size,
    Kind.EXPORT: _QUEUE.size,
    Kind.MESSAGE: _MESSAGE.size,
    Kind.ANSWER: _MESSAGE.size,
    Kind.UNQUEUE: _QUEUE.size,
    Kind.CONTROL: _CONTROL.size,
}
"""The bytes of a chunk at least."""


class RecordingError(BuildtoolError):
    """A file is not a recording of calls, or a damaged one."""

    code = "recording"


class Content(Value):
    """The content of a buffer: the numbers of its whole pages, and the rest."""

    size: int
    pages: tuple[int, ...]
    rest: bytes


class Asked(Value):
    """A call of a method, or a message in a queue.  `before` are the contents of all buffers before
    it, `after` those of the out buffers when it returned, or None if it did not.  `changed` are the
    pages of memory that both sides see with their new contents, as they were seen before and after
    it: (memory, place, page).  `skel` is "" for a message, whose `queue` is a number."""

    number: int
    thread: int
    skel: str
    scalars: int
    method: int
    before: tuple[Content, ...]
    queue: int = 0
    message: bytes = b""
    buffers: tuple[tuple[int, int, int], ...] = ()  # descriptor, size, offset
    code: int = 0
    after: tuple[Content, ...] | None = None
    answer: bytes = b""
    quiet: bool = True  # the DSP did nothing more when it was looked at after this
    changed_before: tuple[tuple[int, int, int], ...] = ()
    changed_after: tuple[tuple[int, int, int], ...] = ()


class Recording:
    """A recording: `asked` in the order in which calls and messages began; `left_out` is the
    number of those that are not in it; `cut` if its end is missing; `memories` have descriptor and
    size."""

    def __init__(self, path: Path) -> None:
        """Read the file.  Raises `RecordingError`, and `OSError`."""
        self.path = path
        with path.open("rb") as stream:
            size = stream.seek(0, 2)
            if size < HEADER.size:
                raise self._error("it has no header")
            self._data = memoryview(mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ))
        magic, self.left_out = HEADER.unpack_from(self._data)
        if magic != MAGIC:
            raise self._error("its first bytes are those of another file")
        self.cut = False
        self.memories: dict[int, tuple[int, int]] = {}
        self._page_at = [0]
        self._skels: dict[int, str] = {}
        self._asked: dict[int, Asked] = {}
        self._open = 0
        self._changed: list[tuple[int, int, int]] = []
        for kind, start, end in self.chunks():
            try:
                self._read(kind, start, end)
            except (struct.error, LookupError, ValueError) as error:
                raise self._error(f"the chunk at {start - CHUNK.size} has wrong numbers") from error
        self.asked = tuple(self._asked.values())

    def page(self, number: int) -> memoryview:
        """The bytes of a page."""
        start = self._page_at[number]
        return self._data[start : start + PAGE] if number else memoryview(bytes(PAGE))

    def bytes_of(self, content: Content) -> bytes:
        """The bytes of a buffer."""
        return b"".join([*map(self.page, content.pages), content.rest])

    def _error(self, why: str) -> RecordingError:
        return RecordingError(
            f"{self.path} is no recording of calls that can be read",
            why=why,
            remedy="Record again: buildtool run DEVICE --record-calls FILE",
        )

    def of(self, number: int) -> Asked:
        """The call or message with that number."""
        return self._asked[number]

    def raw(self, start: int, end: int) -> bytes:
        """The bytes of a part of the file."""
        return bytes(self._data[start:end])

    def chunks(self) -> Iterator[tuple[Kind, int, int]]:
        """The chunks: kind, start and end of what they hold."""
        at = HEADER.size
        while at + CHUNK.size <= len(self._data):
            number, size = CHUNK.unpack_from(self._data, at)
            start, end = at + CHUNK.size, at + CHUNK.size + size
            if (
                number not in Kind._value2member_map_
                or size % 4
                or size < _SIZES.get(Kind(number), 0)
            ):
                raise self._error(f"the chunk at {at} is of no known kind, or too small")
            if end > len(self._data):
                break
            yield Kind(number), start, end
            at = end
        self.cut = at != len(self._data)

    def _read(self, kind: Kind, start: int, end: int) -> None:
        data = self._data
        match kind:
            case Kind.PAGES:
                if (end - start) % PAGE:
                    raise ValueError("no whole pages")
                self._page_at.extend(range(start, end, PAGE))
            case Kind.OPEN:
                self._read_open(start, end)
            case Kind.CALL:
                self._read_call(start, end)
            case Kind.RETURN:
                number, code = RETURN.unpack_from(data, start)
                call = self._asked[number]
                outs = call.scalars >> 8 & 0xFF
                after, _ = self._contents(start + RETURN.size, end, outs)
                self._asked[number] = call._replace(code=code, after=after)
            case Kind.MEMORY:
                number, fd, size = _MEMORY.unpack_from(data, start)
                _below(number, MAX_MEMORIES)
                if not 0 <= fd < 1 << 16 or not 0 < size < 1 << 40:
                    raise ValueError("memory")
                self.memories[number] = fd, size
            case Kind.CHANGED:
                self._read_changed(start, end)
            case Kind.MESSAGE | Kind.ANSWER:
                self._read_message(kind, start, end)
            case Kind.CLOSE:
                _below(_OPEN.unpack_from(data, start)[0], MAX_HANDLES)
            case Kind.FREED:
                _below(_MEMORY.unpack_from(data, start)[0], MAX_MEMORIES)
            case Kind.QUEUE | Kind.EXPORT | Kind.UNQUEUE:
                _below(_QUEUE.unpack_from(data, start)[0], MAX_QUEUES)
            case Kind.CONTROL:
                if end - start - _CONTROL.size > MAX_CONTROL:
                    raise ValueError("a long request")

    def _read_open(self, start: int, end: int) -> None:
        handle, _, _ = _OPEN.unpack_from(self._data, start)
        _below(handle, MAX_HANDLES)
        uri = bytes(self._data[start + _OPEN.size : end]).rstrip(b"\0")
        if bytes(self._data[end - 1 : end]) != b"\0":
            raise ValueError("a name without an end")
        text = escape(uri.decode(errors="replace"))
        self._skels[handle] = PurePosixPath(text.partition("?")[0]).name

    def _read_call(self, start: int, end: int) -> None:
        number, thread, handle, scalars = CALL.unpack_from(self._data, start)
        _below(handle, MAX_HANDLES)
        ins, outs = scalars >> 16 & 0xFF, scalars >> 8 & 0xFF
        before, at = self._contents(start + CALL.size, end, ins + outs)
        handles = (scalars >> 4 & 0xF) + (scalars & 0xF)
        if at + handles * HANDLE_SIZE != end:
            raise ValueError("handles")
        method = scalars >> 24 & 0x1F
        if method == METHOD_IN_ARGUMENT and ins and before[0].size >= 4:
            first = self.bytes_of(before[0])
            method = int.from_bytes(first[:4], "little")
        skel = self._skels.get(handle, "unknown")
        self._add(Asked(number, thread, skel, scalars, method, before))

    def _add(self, asked: Asked) -> None:
        if asked.number in self._asked:
            raise ValueError("two calls of one number")
        self._asked[asked.number] = asked._replace(changed_before=tuple(self._changed))
        self._changed.clear()

    def _contents(self, at: int, end: int, count: int) -> tuple[tuple[Content, ...], int]:
        """The contents of so many buffers at `at`, and where they end."""
        found = []
        for _ in range(count):
            (size,) = struct.unpack_from("<I", self._data, at)
            whole, rest = divmod(size, PAGE)
            after = at + 4 + whole * 4 + (rest + 3) // 4 * 4
            if after > end:
                raise ValueError("a buffer beyond its chunk")
            pages = struct.unpack_from(f"<{whole}I", self._data, at + 4)
            if pages and max(pages) >= len(self._page_at):
                raise IndexError("a page that is not there")
            tail = at + 4 + whole * 4
            found.append(Content(size, pages, bytes(self._data[tail : tail + rest])))
            at = after
        return tuple(found), at

    def _read_changed(self, start: int, end: int) -> None:
        memory, number, after = CHANGED.unpack_from(self._data, start)
        _, size = self.memories[memory]
        numbers = struct.unpack_from(
            f"<{(end - start - CHANGED.size) // 4}I", self._data, start + 12
        )
        pairs = list(zip(numbers[::2], numbers[1::2], strict=True))
        for place, page in pairs:
            if place * PAGE >= size or page >= len(self._page_at):
                raise IndexError("a page that is not there")
        changed = tuple((memory, place, page) for place, page in pairs)
        if after:
            asked = self._asked.get(number)
            if asked:  # else what an answer without a message came with
                changed = asked.changed_after + changed
                quiet = asked.quiet or after == SETTLED
                self._asked[number] = asked._replace(changed_after=changed, quiet=quiet)
        else:
            self._changed += changed

    def _read_message(self, kind: Kind, start: int, end: int) -> None:
        number, thread, queue, _, count, length = _MESSAGE.unpack_from(self._data, start)
        _below(queue, MAX_QUEUES)
        if count > MAX_BUFFERS:
            raise ValueError("buffers")
        at = start + _MESSAGE.size
        rows = [_BUFFER.unpack_from(self._data, at + i * _BUFFER.size) for i in range(count)]
        at += count * _BUFFER.size
        if at + (length + 3) // 4 * 4 != end:
            raise ValueError("a message")
        message = bytes(self._data[at : at + length])
        if kind == Kind.MESSAGE:
            buffers = tuple((fd, size, offset) for fd, size, offset, _, _ in rows)
            self._open += 1
            self._add(
                Asked(
                    *(number, thread, "", 0, 0, ()),
                    queue=queue,
                    message=message,
                    buffers=buffers,
                    quiet=False,
                )
            )
        elif number:
            asked = self._asked[number]
            self._open -= 1
            self._asked[number] = asked._replace(
                after=(), answer=message, quiet=asked.quiet or not self._open
            )


def _below(number: int, limit: int) -> None:
    if not number < limit:
        raise ValueError("a number that is too large")
