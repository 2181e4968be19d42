"""The record of a run while it goes on, for a bundle."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from buildtool.core.events import Event, Listener, Note, StepFailed, Warned
from buildtool.core.processes.kept_output import KeptOutput, teed
from buildtool.engine.result import BuildResult
from buildtool.project.model import Project
from buildtool.release.slices import Release
from buildtool.run.program import RunRequest
from buildtool.run.run import STDERR, STDOUT, Streams, new_run

if TYPE_CHECKING:
    from buildtool.deploy.ready import DeviceChoice, Ready
    from buildtool.run.bundle.write import WrittenBundle
    from buildtool.run.on_device import RunResult

END_BYTES = 1 << 20
"""Bytes that are kept of each end of a stream."""


class RunRecord:
    """A run of `request` on `device`, with the options of `choice`, by the command line
    `arguments`, and how far it came.

    Its attributes are set while it goes on: `built`, the build and its release; `ready`, the place
    of the release on the device; `result`; or `error`; and `bundle`.  `name` is the name
    of the run.
    """

    def __init__(
        self,
        project: Project,
        device: str,
        request: RunRequest,
        choice: DeviceChoice,
        arguments: Sequence[str],
    ) -> None:
        self.project = project
        self.device = device
        self.request = request
        self.choice = choice
        self.arguments = tuple(arguments)
        self.name = new_run()
        self.begin()
        self.streams = {"stdout": _both_ends(), "stderr": _both_ends()}
        self.messages = _both_ends()
        self.has_terminal = False
        self.built: tuple[BuildResult, Release] | None = None
        self.ready: Ready | None = None
        self.result: RunResult | None = None
        self.error: Exception | None = None
        self.bundle: WrittenBundle | None = None

    def begin(self) -> None:
        """Measure the time from now on."""
        self.begun = time.time()
        self._begun = time.monotonic()

    @property
    def seconds(self) -> float:
        """How long ago the program, or without one the command, began."""
        return time.monotonic() - self._begun

    def listen(self, listener: Listener) -> Listener:
        """A listener that also keeps what `listener` tells the user beside the steps."""

        def both(event: Event) -> None:
            match event:
                case Note(text) | Warned(text=text):
                    self.messages.add(os.fsencode(f"{text}\n"))
                case StepFailed(name, error):
                    self.messages.add(os.fsencode(f"{name}: {error}\n"))
            listener(event)

        return both

    @contextlib.contextmanager
    def kept_streams(self, streams: Streams) -> Iterator[Streams]:
        """The streams of the program for the block: what it writes is kept, and passed on to
        `streams`.  A program that has this process's terminal keeps it.
        """
        self.begin()
        self.has_terminal = self.request.terminal and self.device_is_here
        if self.has_terminal:
            yield streams
            return
        stdout = STDOUT if streams.stdout is None else streams.stdout
        stderr = STDERR if streams.stderr is None else streams.stderr
        with (
            teed(self.streams["stdout"], stdout) as out,
            teed(self.streams["stderr"], stderr) as err,
        ):
            yield Streams(streams.stdin, out, err)

    @property
    def device_is_here(self) -> bool:
        """Whether the device is the emulated one."""
        return self.ready is not None and self.ready.site.device.transport.direct


def _both_ends() -> KeptOutput:
    return KeptOutput(head=END_BYTES, tail=END_BYTES)
