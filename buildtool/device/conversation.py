"""Runs a script on a device and exchanges data with it while it runs."""

from __future__ import annotations

import contextlib
import fcntl
import math
import os
import selectors
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import IO

from buildtool.core.processes.interrupts import restored_terminal
from buildtool.core.processes.process import PIPE, Process, running
from buildtool.device.errors import DeviceError
from buildtool.device.script import (
    CHUNK,
    REPORTED,
    WRITTEN,
    MarkedStream,
    Relay,
    ScriptReport,
    assignments,
    parse_report,
)
from buildtool.device.transports.transport import Transport

MAX_OUTPUT = 64 << 20
"""Bytes that are read, besides what programs write."""
KEPT_MESSAGES = 1 << 14
"""Bytes at the end of the standard error that explain a lost connection."""
PIPE_SIZE = 1 << 20
STDOUT = 1
LINGER_SECONDS = 3.0
"""How long a process may keep its streams open after it, or the script, has ended."""


@contextlib.contextmanager
def conversation(
    transport: Transport,
    text: str,
    variables: Mapping[str, str],
    arguments: Sequence[str] = (),
    *,
    stdin: int | None,
    stdout: int | None = PIPE,
    stderr: int | None = None,
    terminal: bool = False,
    prints: bool = True,
    report_file: Path | None = None,
    on_messages: Callable[[bytes], object] | None = None,
    started: Callable[[str], Process] | None = None,
) -> Iterator[Conversation]:
    """Run the script `text`, with shell variables and arguments, for the block.

    `stdin` and `stdout` are descriptors or `PIPE`, `stderr` a descriptor; None is this process's.
    `on_messages` gets what the script writes to standard error.  With `terminal` the script has a
    terminal for its streams: this process's on a device of this machine, otherwise one of the
    device, and `on_messages` gets what the script writes there. A device of this machine can write
    its report to `report_file`: then the script has the standard streams `stdout` and `stderr`.  A
    process that is `started` already gets the assignments, and has the script.

    A script that may end before it has read its input must not need its standard output, without
    `prints`: adbd drops what is left of that (PassInput in Android's shell_service.cpp).

    What the login shell of a device writes before the script and after it is left out.

    Raises `ToolError` when ssh or adb cannot be started.
    """
    mark = f"[{os.urandom(16).hex()}]"
    report_to = str(report_file or "")
    through = terminal and not report_file
    marked = not (terminal or report_file)
    framed = marked and prints
    variables = {"mark": mark, "report_to": report_to, "framed": "1" * framed, **variables}
    first = assignments(variables, arguments)
    first += 'printf %s "$mark"\n' * framed + 'printf %s "$mark" >&2\n' * marked
    with (
        restored_terminal() if terminal else contextlib.nullcontext(),
        contextlib.nullcontext(started(first))
        if started
        else running(
            transport.command(first + text, terminal=terminal),
            env=transport.environment,
            stdin=stdin,
            stdout=PIPE if through or marked else stdout,
            stderr=stderr if report_file else PIPE,
            own_session=not terminal,
        ) as process,
    ):
        talk = Conversation(
            transport,
            process,
            mark.encode(),
            sink=None if stdout == PIPE or not framed else STDOUT if stdout is None else stdout,
            framed=framed,
            terminal=through,
            on_messages=on_messages,
            report_file=report_file,
        )
        try:
            yield talk
        finally:
            talk.close()


class Conversation:
    """A script that runs on a device.  `output` is what it wrote to a standard output that is a
    pipe, `messages` the end of what came on standard error."""

    def __init__(
        self,
        transport: Transport,
        process: Process,
        mark: bytes,
        *,
        sink: int | None,
        framed: bool,
        terminal: bool,
        on_messages: Callable[[bytes], object] | None,
        report_file: Path | None,
    ) -> None:
        self.process = process
        self.output = bytearray()
        self.messages = b""
        self._transport = transport
        self._on_messages = on_messages
        self._report_file = report_file
        self._latest = math.inf
        self._received = 0
        self._others = b""  # the end of what came beside the script's streams
        self._marked = MarkedStream(mark, terminal=terminal)
        self._written = MarkedStream(mark) if framed else None
        self._selector = selectors.DefaultSelector()
        self._becomes_unread = False
        self._relay: Relay | None = None
        if sink is not None and self._written:
            self._relay = Relay(process, self._written, sink, LINGER_SECONDS)
            self._selector.register(self._relay.done, selectors.EVENT_READ, self._relayed)
        self._ended = os.pidfd_open(process.pid)
        self._selector.register(self._ended, selectors.EVENT_READ, self._end)
        # The script writes to its terminal only; then ssh and adb write to standard error.
        reads = (self._read_marked, self._read_output)
        for stream, read in zip(
            (process.stdout, process.stderr), reads if terminal else reads[::-1], strict=True
        ):
            if stream and not stream.closed:
                self._selector.register(stream, selectors.EVENT_READ, partial(read, stream))

    def close(self) -> None:
        """Close what this object opened."""
        self._selector.close()
        os.close(self._ended)
        if self._relay:
            os.close(self._relay.done)

    def wait(self, until: float = math.inf, also: int | None = None, *, line: bool = False) -> bool:
        """Read what the script writes until it has ended: True.

        False when `until`, a time of `time.monotonic`, comes first, or when the descriptor `also`
        can be read, or with `line` when `output` has a line, or when the output becomes `unread`.
        """
        if also is not None:
            self._selector.register(also, selectors.EVENT_READ)
        try:
            while len(self._selector.get_map()) > (also is not None):
                left = min(until, self._latest) - time.monotonic()
                ready = self._selector.select(None if left == math.inf else max(left, 0))
                if not ready:
                    if time.monotonic() < self._latest:
                        return False
                    self._leave()
                for key, _ in ready:
                    if key.fd == also:
                        return False
                    key.data()
                becomes_unread, self._becomes_unread = self._becomes_unread, False
                if becomes_unread or (line and b"\n" in self.output):
                    return False
        finally:
            if also is not None:
                self._selector.unregister(also)
        return True

    def report(self) -> ScriptReport:
        """The report of the script at its end.  Raises `DeviceError` when there is none, or when
        the end of its output is missing; and `OSError` when its output could not be written
        here."""
        if self._relay and self._relay.error:
            raise self._relay.error
        if self._report_file and self._report_file.is_file():
            report = parse_report(self._report_file.read_bytes())
        else:
            report = self._marked.report() if self._is_written else None
        if report:
            return report
        status = self.process.poll()
        others = self._relay.others if self._relay else self._others
        messages = self.messages + b"\n" + others
        raise self._transport.lost(
            0 if status is None else status, messages.decode(errors="replace")
        )

    @property
    def reported(self) -> bool:
        """Whether the script has reported how it ended; output may still be on its way."""
        return self._marked.marks >= REPORTED

    @property
    def unread(self) -> bool:
        """Whether output could not be written here, since its reader has gone, for example."""
        return self._relay is not None and self._relay.broken

    @contextlib.contextmanager
    def sending(self, write: Callable[[IO[bytes]], object]) -> Iterator[None]:
        """Let `write` write to the script's standard input, a pipe, during the block, which reads
        what the script writes.  The script may end before it has read everything.  Raises what
        `write` raises, at the end of the block."""
        assert self.process.stdin
        stream = self.process.stdin
        with contextlib.suppress(OSError):  # as large as the system allows
            fcntl.fcntl(stream, fcntl.F_SETPIPE_SZ, PIPE_SIZE)
        errors: list[BaseException] = []

        def run() -> None:
            try:
                with contextlib.suppress(BrokenPipeError), stream:
                    write(stream)
            except Exception as error:
                errors.append(error)
                # What was sent is incomplete, and the script must not take its end for the end.
                self.process.kill()

        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        yield
        if errors:
            raise errors[0]

    @property
    def _is_written(self) -> bool:
        """Whether all that the script wrote to standard output has arrived."""
        written = not self._written or self._written.marks >= WRITTEN
        return written or self.unread

    def _end(self) -> None:
        self._selector.unregister(self._ended)
        self._linger()

    def _leave(self) -> None:
        """Let the process and its streams be, which stay open for too long; what has arrived is
        still passed on."""
        self._latest = math.inf
        for key in [*self._selector.get_map().values()]:
            if key.data not in (None, self._relayed):
                self._selector.unregister(key.fileobj)

    def _relayed(self) -> None:
        assert self._relay
        self._selector.unregister(self._relay.done)
        self._becomes_unread = self.unread
        self._linger_if_reported()

    def _linger(self) -> None:
        self._latest = min(self._latest, time.monotonic() + LINGER_SECONDS)

    def _read_marked(self, stream: IO[bytes]) -> None:
        """Read the stream that ends with the report."""
        data = self._read(stream)
        others, text = self._marked.feed(data)
        self.messages = (self.messages + others + text)[-KEPT_MESSAGES:]
        if text and self._on_messages:
            self._on_messages(text)
        else:
            others += text
        self._count(data if self._marked.marks >= WRITTEN else others)
        self._linger_if_reported()

    def _read_output(self, stream: IO[bytes]) -> None:
        """Read the other stream."""
        others, text = self._read(stream), b""
        if self._written:
            others, text = self._written.feed(others)
        self._others = (self._others + others)[-KEPT_MESSAGES:]
        self.output += text
        self._count(others + text)
        self._linger_if_reported()

    def _read(self, stream: IO[bytes]) -> bytes:
        data = os.read(stream.fileno(), CHUNK)
        if not data:
            self._selector.unregister(stream)
        return data

    def _linger_if_reported(self) -> None:
        if self.reported and self._is_written:
            self._linger()

    def _count(self, data: bytes) -> None:
        """Raises `DeviceError` when one of buildtool's own scripts writes for ever."""
        self._received += len(data)
        if self._received > MAX_OUTPUT:
            raise DeviceError(
                f"{self._transport.address} sent more than {MAX_OUTPUT >> 20} MiB",
                why="the answers to buildtool's own commands are shorter",
                remedy="Check what the device's shell prints when it starts.",
            )
