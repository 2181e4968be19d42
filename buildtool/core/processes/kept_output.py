"""Output of any size, of which the beginning and the end are kept, and copies of it on the way."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable, Iterator

from buildtool.core.value import Value


class Kept(Value):
    """The beginning and the end of what was written, with `omitted` bytes between them.

    Without omitted bytes, `head` is everything.
    """

    head: bytes = b""
    omitted: int = 0
    tail: bytes = b""

    @property
    def note(self) -> bytes:
        """The line in place of what was omitted; empty if nothing was."""
        if not self.omitted:
            return b""
        before = "\n" if self.head else ""
        return f"{before}[... {self.omitted:,} bytes are omitted here ...]\n".encode()

    @property
    def data(self) -> bytes:
        """The kept output."""
        return self.head + self.note + self.tail

    @property
    def text(self) -> str:
        """The kept output, decoded; bytes that are not UTF-8 as in file names (PEP 383)."""
        return self.data.decode(errors="surrogateescape")


class KeptOutput:
    """Keeps the first `head` and the last `tail` bytes of what is added; `also` gets it, too."""

    def __init__(self, *, head: int = 0, tail: int) -> None:
        self.also: Callable[[bytes], None] = lambda _: None
        self._head_size = head
        self._tail_size = tail
        self._head = bytearray()
        self._tail = bytearray()
        self._size = 0

    def add(self, data: bytes) -> None:
        """Add what was written next."""
        self.also(data)
        self._size += len(data)
        room = self._head_size - len(self._head)
        self._head += data[:room]
        self._tail += data[room:]
        if len(self._tail) > 2 * self._tail_size:  # seldom: each time copies the end
            del self._tail[: -self._tail_size]

    def kept(self) -> Kept:
        """The kept part of all output that was added until now."""
        tail = bytes(self._tail[-self._tail_size :])
        omitted = self._size - len(self._head) - len(tail)
        if not omitted:
            return Kept(bytes(self._head) + tail)
        return Kept(bytes(self._head), omitted, tail)


CHUNK = 1 << 16
LINGER_SECONDS = 3.0
"""How long a process that the program has left may keep the descriptor open."""


@contextlib.contextmanager
def teed(
    output: KeptOutput, target: int | None = None, *, same_kind: bool = False
) -> Iterator[int]:
    """A descriptor for the block: what is written to it goes into `output`, which is complete after
    the block, and to the descriptor `target`.  When `target` takes nothing more, neither does the
    descriptor (EPIPE).  With `same_kind` it is a terminal if `target` is one."""
    if same_kind and target is not None and os.isatty(target):
        read, write = _terminal_like(target)
    else:
        read, write = os.pipe()
    pump = _Pump(read, output, target)
    pump.start()
    try:
        yield write
    finally:
        os.close(write)
        pump.join_idle()


def _terminal_like(target: int) -> tuple[int, int]:
    """The ends of a new terminal of the size of `target`, which passes on each byte as it is."""
    import termios  # noqa: PLC0415 - not without a terminal
    import tty  # noqa: PLC0415

    read, write = os.openpty()
    tty.setraw(write)
    termios.tcsetwinsize(write, termios.tcgetwinsize(target))
    return read, write


class _Pump(threading.Thread):
    def __init__(self, read: int, output: KeptOutput, target: int | None) -> None:
        super().__init__(daemon=True)
        self._read = read
        self._output = output
        self._target = target
        self._writes = False

    def run(self) -> None:
        with contextlib.suppress(OSError):  # nobody reads `target`, or a terminal has ended
            while data := os.read(self._read, CHUNK):
                self._output.add(data)
                self._pass_on(data)
        os.close(self._read)

    def _pass_on(self, data: bytes) -> None:
        if self._target is None:
            return
        self._writes = True
        while data:
            data = data[os.write(self._target, data) :]
        self._writes = False

    def join_idle(self) -> None:
        """Wait until everything has been passed on, or another process keeps the other end open
        and nothing arrives for some seconds."""
        self.join(LINGER_SECONDS)
        while self.is_alive() and self._writes:
            self.join(LINGER_SECONDS)
