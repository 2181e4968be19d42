"""Runs programs for the DSP on the emulated device in forks of a process that has begun.

That takes half the processor time of starting `run-dsp-program` each time: QEMU has translated the
code of it and its libraries, and a fork keeps that (host/dsp-program/serve.c).  Each program has a
process of its own, and a process domain of its own on the DSP.
"""

from __future__ import annotations

import contextlib
import math
import os
import select
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

from buildtool.core.errors import BuildtoolError
from buildtool.run.program import RUNNER_PATH, RunRequest
from buildtool.run.run import GRACE_SECONDS, Streams

SERVE = "--serve"
WARM_VARIABLE = "BUILDTOOL_SIM_WARM"
"""Lets DSP processes be forks of one that has loaded this skel; see emulator/cdsprpc/warm.c."""
LOADER_SKEL = "libdsp_program_skel.so"
STATUS_BYTES = LENGTH_BYTES = 4
# Variables that count when a process starts, and those among them that only programs read.
_OF_START = ("LD_", "QEMU_", "ADSP_", "DSP_", "GLIBC_", "MALLOC_", "BUILDTOOL_")
_OF_PROGRAM = ("BUILDTOOL_SIM_CRASHES", "BUILDTOOL_SIM_COUNTS", "BUILDTOOL_SIM_STRICT")


class ProgramServers:
    """The processes for the release in `directory`; several threads may share them.  `start` starts
    a program there with these streams, and returns when it has ended."""

    def __init__(
        self, directory: Path, start: Callable[[tuple[str, ...], Streams], object]
    ) -> None:
        self._directory = directory
        self._start = start
        self._idle: list[_Server] = []

    def run(self, request: RunRequest, streams: Streams) -> int | None:
        """The exit status of the program of `request`, which is for the DSP; None if it has to be
        started in another way.  It ends early as `request.stop` says."""
        names = set(request.env).difference(_OF_PROGRAM)
        directory = self._directory / request.cwd
        if (
            request.command[0] != RUNNER_PATH
            or any(name.startswith(_OF_START) for name in names)
            or not directory.is_dir()
        ):
            return None
        server = self._idle.pop() if self._idle else _Server(self._start)
        status = server.run(request, directory, streams)
        if status is None or server.is_stopped:
            server.close()
        else:
            self._idle.append(server)
        return status

    def close(self) -> None:
        """End all processes; no program may run."""
        while self._idle:
            self._idle.pop().close()


class _Server:
    """A process that runs programs, one after the other."""

    def __init__(self, start: Callable[[tuple[str, ...], Streams], object]) -> None:
        self._socket, self._theirs = socket.socketpair()
        self.is_stopped = False
        """Whether a program was ended early: a signal that came too late may be on its way."""
        self._thread = threading.Thread(target=self._attend, args=(start,), daemon=True)
        self._thread.start()

    def _attend(self, start: Callable[[tuple[str, ...], Streams], object]) -> None:
        """Stay with the process; its end is that of the socket."""
        with (
            self._theirs,
            open(os.devnull, "wb") as null,  # noqa: PTH123 - it has no other properties of a path
            contextlib.suppress(BuildtoolError, OSError),  # programs are started without it then
        ):
            own = Streams(self._theirs.fileno(), null.fileno(), null.fileno())
            start((RUNNER_PATH, SERVE), own)

    def run(self, request: RunRequest, directory: Path, streams: Streams) -> int | None:
        """The exit status of a program that works in `directory`; None if the process has ended."""
        pairs = [f"{name}={value}" for name, value in request.env.items()]
        words = [str(directory), str(len(pairs)), *pairs, *request.command]
        body = b"".join(os.fsencode(word) + b"\0" for word in words)
        with contextlib.suppress(OSError), contextlib.ExitStack() as stack:
            stdin = streams.source
            if not request.input:
                stdin = os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)
                stack.callback(os.close, stdin)
            given = [stdin, streams.stdout or 1, streams.stderr or 2]
            length = len(body).to_bytes(LENGTH_BYTES, sys.byteorder)
            socket.send_fds(self._socket, [length], given)
            self._socket.sendall(body)
            self._wait(request)
            status = self._socket.recv(STATUS_BYTES, socket.MSG_WAITALL)
            if len(status) == STATUS_BYTES:
                return int.from_bytes(status, sys.byteorder)
        return None

    def _wait(self, request: RunRequest) -> None:
        """Wait until there is a status, and end the program as `request.stop` says."""
        stop, deadline = request.stop, math.inf
        own, waiting = self._socket.fileno(), {self._socket.fileno()}
        if stop:
            waiting.add(stop.fileno())
        while True:
            left = None if deadline == math.inf else max(0, deadline - time.monotonic())
            ready, _, _ = select.select(waiting, [], [], left)
            if own in ready:
                return
            if word := "KILL" if not ready or not stop else stop.wanted():
                self.is_stopped = True
                self._socket.send(bytes([signal.Signals[f"SIG{word}"]]))
                waiting, deadline = {own}, time.monotonic() + GRACE_SECONDS

    def close(self) -> None:
        """End the process."""
        self._socket.close()
        self._thread.join()
