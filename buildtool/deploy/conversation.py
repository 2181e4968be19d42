"""Runs a script on a device and exchanges data with it while it runs."""

from __future__ import annotations

import contextlib
import fcntl
import math
import os
import secrets
import selectors
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO

from buildtool.core.process import PIPE, Process, running
from buildtool.core.terminal import restored_terminal
from buildtool.deploy.errors import DeviceError
from buildtool.deploy.script import MarkedStream, Report, assignments, parse_report
from buildtool.deploy.transports.transport import Transport

MAX_OUTPUT = 64 << 20
"""Bytes that are read, besides what programs write."""
KEPT_MESSAGES = 1 << 14
"""Bytes at the end of the standard error that explain a lost connection."""
CHUNK = 1 << 16
PIPE_SIZE = 1 << 20
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
    report_file: Path | None = None,
    on_messages: Callable[[bytes], object] | None = None,
    started: Callable[[str], Process] | None = None,
) -> Iterator[Conversation]:
    """Run the script `text`, with shell variables and arguments, for the block.

    `stdin` and `stdout` are descriptors or `PIPE`, `stderr` a descriptor; None is this process's.
    `on_messages` gets what the script writes to standard error. With `terminal` the script has a
    terminal for its streams: this process's on a device of this machine, otherwise one of the
    device, and `on_messages` gets what the script writes there. A device of this machine can write
    its report to `report_file`: then the script has the standard error `stderr`.  A process that is
    `started` already gets the assignments, and has the script.

    Raises `ToolError` when ssh or adb cannot be started.
    """
    mark = f"[{secrets.token_hex(16)}]"
    report_to = str(report_file or "")
    first = assignments({"mark": mark, "report_to": report_to, **variables}, arguments)
    through = terminal and not report_file
    with (
        restored_terminal() if terminal else contextlib.nullcontext(),
        contextlib.nullcontext(started(first))
        if started
        else running(
            transport.command(first + text, terminal=terminal),
            env=transport.environment,
            stdin=stdin,
            stdout=PIPE if through else stdout,
            stderr=stderr if report_file else PIPE,
            own_session=not terminal,
        ) as process,
    ):
        marked = process.stdout if through else process.stderr
        talk = Conversation(
            transport,
            process,
            marked,
            MarkedStream(mark.encode(), terminal=through),
            on_messages=on_messages,
            report_file=report_file,
        )
        try:
            yield talk
        finally:
            talk.close()


class Conversation:
    """A script that runs on a device.

    `output` is what it wrote to a standard output that is a pipe, `messages` the end of what it
    wrote to standard error.
    """

    def __init__(
        self,
        transport: Transport,
        process: Process,
        marked: IO[bytes] | None,
        report_stream: MarkedStream,
        *,
        on_messages: Callable[[bytes], object] | None,
        report_file: Path | None,
    ) -> None:
        self.process = process
        self.output = bytearray()
        self.messages = b""
        self._transport = transport
        self._marked = marked
        self._stream = report_stream
        self._on_messages = on_messages
        self._report_file = report_file
        self._latest = math.inf
        self._received = 0
        self._selector = selectors.DefaultSelector()
        self._ended = os.pidfd_open(process.pid)
        self._selector.register(self._ended, selectors.EVENT_READ)
        for stream in (process.stdout, process.stderr):
            if stream:
                self._selector.register(stream, selectors.EVENT_READ)

    def close(self) -> None:
        """Close what this object opened."""
        self._selector.close()
        os.close(self._ended)

    def wait(self, until: float = math.inf, also: int | None = None) -> bool:
        """Read what the script writes until it has ended: True.

        False when `until`, a time of `time.monotonic`, comes first, or when the descriptor `also`
        can be read.
        """
        if also is not None:
            self._selector.register(also, selectors.EVENT_READ)
        try:
            while len(self._selector.get_map()) > (also is not None):
                left = min(until, self._latest) - time.monotonic()
                ready = self._selector.select(None if left == math.inf else max(left, 0))
                if not ready:
                    return time.monotonic() >= self._latest
                for key, _ in ready:
                    if key.fd == also:
                        return False
                    if key.fd == self._ended:
                        self._selector.unregister(self._ended)
                        self._ends()
                    else:
                        self._read(key.fileobj)  # type: ignore[arg-type]  # a stream of the process
        finally:
            if also is not None:
                self._selector.unregister(also)
        return True

    def report(self) -> Report:
        """What the script reported at its end; raises `DeviceError` when it did not."""
        if self._report_file and self._report_file.is_file():
            report = parse_report(self._report_file.read_bytes())
        else:
            report = self._stream.report()
        if report:
            return report
        status = self.process.poll()
        messages = self.messages
        if self._marked is self.process.stdout:  # what ssh or adb say is apart
            messages += b"\n" + self.output[-KEPT_MESSAGES:]
        raise self._transport.lost(
            0 if status is None else status, messages.decode(errors="replace")
        )

    @contextlib.contextmanager
    def sending(self, write: Callable[[IO[bytes]], object]) -> Iterator[None]:
        """Let `write` write to the script's standard input, a pipe, during the block, which reads
        what the script writes.  The script may end before it has read everything.

        Raises what `write` raises, at the end of the block.
        """
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

    def _ends(self) -> None:
        self._latest = min(self._latest, time.monotonic() + LINGER_SECONDS)

    def _read(self, stream: IO[bytes]) -> None:
        data = os.read(stream.fileno(), CHUNK)
        if not data:
            self._selector.unregister(stream)
        if stream is not self._marked:
            self.output += data
            self._count(data)
            return
        text = self._stream.feed(data) if data else self._stream.rest()
        if self._stream.marked:
            self._ends()
        self.messages = (self.messages + text)[-KEPT_MESSAGES:]
        if text and self._on_messages:
            self._on_messages(text)
        else:
            self._count(text)

    def _count(self, data: bytes) -> None:
        """Raises `DeviceError` when one of buildtool's own scripts writes for ever."""
        self._received += len(data)
        if self._received > MAX_OUTPUT:
            raise DeviceError(
                f"{self._transport.address} sent more than {MAX_OUTPUT >> 20} MiB",
                why="the answers to buildtool's own commands are shorter",
                remedy="Check what the device's shell prints when it starts.",
            )
