"""The scripts that run on devices, and the streams that they share with the login shell there.

A script reports how it ended: a word and text between marks, at the end of its standard error.
The exit status of ssh and adb cannot be relied on: ssh returns 255 for a lost connection, for a
program that a signal ended, and for a program that returns it.
"""

from __future__ import annotations

import functools
import os
import select
import threading
from collections.abc import Iterable, Mapping
from pathlib import Path

from buildtool.core.processes.process import Process
from buildtool.core.value import Value
from buildtool.device.transports.transport import quote

MAX_REPORT = 64 << 20
MAX_STATUS = 255
WRITTEN, REPORTED = 2, 3
"""How many marks are in a stream when the script has written everything, and reported how it
ended."""
LOCK_SCRIPTS = ("common", "lock", "room", "device_lock")
"""The scripts that come before those that take the lock of the device."""
CHUNK = 1 << 16
KEPT = 1 << 14
"""Bytes that are kept of what the login shell prints."""
MAX_PARTS = 2000
MAX_LINE = 200


class ScriptReport(Value):
    """How a script ended: a word, and what belongs to it."""

    word: str
    text: str = ""

    @property
    def status(self) -> int | None:
        """The exit status that is reported; None if there is none."""
        return whole_number(self.text, MAX_STATUS) if self.word == "exit" else None


@functools.cache
def script(*names: str) -> str:
    """The scripts `names` of this package one after the other, without their comments."""
    folder = Path(__file__).with_name("scripts")
    texts = [(folder / f"{name}.sh").read_text(encoding="utf-8") for name in names]
    lines = (line for text in texts for line in text.splitlines())
    return "\n".join(line for line in lines if line.strip() and not line.lstrip().startswith("#"))


def assignments(variables: Mapping[str, str], arguments: Iterable[str] = ()) -> str:
    """Shell commands that set `variables` and the arguments of the script."""
    lines = [f"{name}={quote(value)}" for name, value in variables.items()]
    return "\n".join([*lines, " ".join(["set --", *map(quote, arguments)]), ""])


class MarkedStream:
    """A stream that a script shares with the login shell, which may print before and after it.

    The script's own output is between two marks.  In a stream with a report, the report and a third
    mark follow.  A `terminal` has no mark at the beginning, and ends its lines with CR and LF.
    """

    def __init__(self, mark: bytes, *, terminal: bool = False) -> None:
        self.marks = int(terminal)
        """How many marks were seen; on a terminal one more."""
        self._mark = mark
        self._terminal = terminal
        self._held = b""
        self._report = bytearray()

    def feed(self, data: bytes) -> tuple[bytes, bytes]:
        """Add `data` to the stream; returns the new bytes that came before the script's output, and
        those of this output.  Bytes that may belong to a mark are held back until more data comes.
        No data is the end of the stream."""
        pieces = (self._held + data).split(self._mark)
        keep = self._begun(pieces[-1]) if data else 0
        self._held = pieces[-1][len(pieces[-1]) - keep :]
        pieces[-1] = pieces[-1][: len(pieces[-1]) - keep]
        parts = [b"", b""]
        for index, piece in enumerate(pieces):
            self.marks += index > 0
            if self.marks < WRITTEN:
                parts[self.marks] += piece
            elif self.marks == WRITTEN:
                self._report += piece[: MAX_REPORT - len(self._report)]
        return parts[0], parts[1]

    def report(self) -> ScriptReport | None:
        """The report; None without a whole one."""
        data = bytes(self._report)
        if self.marks < REPORTED or len(data) >= MAX_REPORT:
            return None
        return parse_report(data.replace(b"\r\n", b"\n") if self._terminal else data)

    def _begun(self, data: bytes) -> int:
        """How many bytes at the end of `data` can be the beginning of a mark."""
        sizes = range(min(len(data), len(self._mark) - 1), 0, -1)
        return next((size for size in sizes if self._mark.startswith(data[-size:])), 0)


def parse_report(data: bytes) -> ScriptReport | None:
    """The report `WORD[ TEXT]` that ends with a line break; None for anything else."""
    if not data.endswith(b"\n"):
        return None
    text = data[:-1].decode("utf-8", errors="surrogateescape")
    word, _, rest = text.partition(" ")
    return ScriptReport(word, rest)


def whole_number(text: str, limit: int) -> int | None:
    """The decimal number `text` of a device, 0 to `limit`; None for anything else."""
    if not (text.isascii() and text.isdecimal()) or len(text) > len(str(limit)):
        return None
    return found if (found := int(text)) <= limit else None


class Relay:
    """Writes the script's part of `stream`, the standard output of `process`, to `sink`.

    A reader there may be slow: it does not delay what this process does meanwhile, and signals to
    this process neither lose nor repeat a byte.  `done` is a descriptor that can be read when all
    is written that the script prints, when the stream stays open for `linger` seconds after the
    process, and when nothing can be written any more: then `broken` is set, and `error` unless the
    reader has gone.  `others` is the end of what came before the script.
    """

    def __init__(self, process: Process, stream: MarkedStream, sink: int, linger: float) -> None:
        assert process.stdout
        self.error: OSError | None = None
        self.broken = False
        self.others = b""
        self._stream = stream
        self._linger = linger
        self.done, self._running = os.pipe()
        # Whoever starts the process may close its own descriptors before the thread has ended.
        self._source = os.dup(process.stdout.fileno())
        self._sink = os.dup(sink)
        self._process = os.pidfd_open(process.pid)
        process.stdout.close()
        threading.Thread(target=self._run, daemon=True).start()

    def _run(self) -> None:
        try:
            while self._stream.marks < WRITTEN and self._pass_on():
                pass
        except OSError as error:
            self.broken = True
            self.error = None if isinstance(error, BrokenPipeError) else error
        os.close(self._sink)
        os.close(self._running)
        # ssh loses messages when it cannot write output.
        while self._read():
            pass
        os.close(self._source)
        os.close(self._process)

    def _pass_on(self) -> bool:
        """Write the next piece; False when it was the last."""
        data = self._read()
        others, text = self._stream.feed(data)
        self.others = (self.others + others)[-KEPT:]
        while text:
            text = text[os.write(self._sink, text) :]
        return bool(data)

    def _read(self) -> bytes:
        """The next piece; empty at the end, and when the process has ended long ago."""
        poll = select.poll()
        poll.register(self._source, select.POLLIN)
        poll.register(self._process, select.POLLIN)
        if self._source not in dict(poll.poll()):
            poll.unregister(self._process)
            if not poll.poll(self._linger * 1000):
                return b""
        return os.read(self._source, CHUNK)


class Parts(Value):
    """The output of the script: parts with a name and text, and parts about paths."""

    texts: Mapping[str, bytes]
    files: Mapping[str, Mapping[str, bytes]]

    def text(self, name: str) -> str:
        """The first line of a part, as one printable line."""
        return printable(self.texts.get(name, b""))

    def lines(self, name: str) -> list[str]:
        return self.texts.get(name, b"").decode("utf-8", errors="replace").splitlines()

    def of(self, kind: str) -> Mapping[str, bytes]:
        """The parts of this kind by path."""
        return self.files.get(kind, {})


def parse_parts(data: bytes, fence: str) -> Parts | None:
    """The parts in what the script printed; None when it did not print all of them."""
    texts: dict[str, bytes] = {}
    files: dict[str, dict[str, bytes]] = {}
    pieces = data.split(f"\n{fence} ".encode(), MAX_PARTS)[1:]
    for piece in pieces:
        title, _, text = piece.partition(b"\n")
        kind, _, path = title.decode("utf-8", errors="replace").partition(" ")
        if path.startswith("/") and path.isprintable():
            files.setdefault(kind, {}).setdefault(path, text)
        elif not path:
            texts.setdefault(kind, text)
    return Parts(texts, files) if "end" in texts else None


def printable(data: bytes) -> str:
    """The first line of what a device printed, without control characters."""
    lines = data.replace(b"\0", b"\n").strip().splitlines()
    text = lines[0].decode("utf-8", errors="replace") if lines else ""
    return "".join(letter for letter in text if letter.isprintable())[:MAX_LINE].strip()
