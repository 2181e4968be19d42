"""The record of a run while it goes on, for a bundle, and the archives in a bundle.

These are the release that ran, so that it can run elsewhere, and the debug information of its
skels, so that crashes there have names and lines.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from buildtool.core.events import Event, Listener, Note, StepFailed, Warned
from buildtool.core.processes.kept_output import KeptOutput, teed
from buildtool.core.value import Value
from buildtool.engine.result import BuildResult
from buildtool.project.model import Project
from buildtool.release.slices import HOST, Release, slice_of
from buildtool.run.program import RunRequest
from buildtool.run.run import STDERR, STDOUT, Streams
from buildtool.run.session import new_run

if TYPE_CHECKING:
    from buildtool.deploy.ready import DeviceChoice, Ready
    from buildtool.release.formats.entries import PackageEntry
    from buildtool.release.package import Ingredients
    from buildtool.run.bundle.redact import Redactor
    from buildtool.run.bundle.write import WrittenBundle
    from buildtool.run.on_device import RunResult

END_BYTES = 1 << 20
"""Bytes that are kept of each end of a stream."""
NAME, DEBUG_NAME = "release.tar.zst", "debug.tar.zst"
MAX_BYTES = 64 << 20
"""Bytes of the files that are included without being asked for."""
_INCLUDE = "buildtool capture --release includes it"


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


class Part(Value):
    """The files of an archive in the bundle, in its directory `top`, all with the time `epoch`."""

    entries: tuple[PackageEntry, ...]
    epoch: int
    top: str


class LeftOut(Value):
    """Why a bundle does not contain the release."""

    why: str


def release_parts(
    record: RunRecord, made_of: Ingredients, redact: Redactor, wanted: bool | None
) -> Mapping[str, Part] | LeftOut:
    """The archives by name, or why there are none.

    The default, None for `wanted`, leaves out a release that is large or contains the value of a
    secret: nothing can be replaced in programs.  Raises `BuildtoolError` and `OSError`.
    """
    from buildtool.release.package import package_of  # noqa: PLC0415 - not in most runs
    from buildtool.release.supply_chain.licences import check_redistribution  # noqa: PLC0415

    if wanted is False:
        return LeftOut("--no-release")
    check_redistribution(record.project, made_of.build.steps)
    package, debug = package_of(made_of), tuple(_debug_entries(made_of.release))
    if wanted is None:
        entries = [entry for entry in (*package.entries, *debug) if not entry.link]
        size = sum(entry.size for entry in entries)
        if size > MAX_BYTES:
            limit = MAX_BYTES >> 20
            return LeftOut(f"its files have {size:,} bytes, more than {limit} MiB; {_INCLUDE}")
        for entry in entries:
            with entry.stream() as stream:
                if redact.occurs_in(stream.read()):
                    return LeftOut(f"{entry.path} contains the value of a secret; {_INCLUDE}")
    parts = {NAME: Part(package.entries, package.epoch, package.stem)}
    return {**parts, DEBUG_NAME: Part(debug, package.epoch, "debug")} if debug else parts


def _debug_entries(release: Release) -> Iterator[PackageEntry]:
    """The debug files of the skels, by build-id, with links by the names of the skels."""
    from buildtool.release.formats.entries import PackageEntry  # noqa: PLC0415 - not in most runs

    skels = [file for file in release.files if file.build_id and slice_of(file.path) != HOST]
    paths = {f.path: f".build-id/{f.build_id[:2]}/{f.build_id[2:]}.debug" for f in skels}
    there = {place: path for place, path in paths.items() if (release.debug / path).is_file()}
    for path in sorted({*there.values()}):
        yield PackageEntry(path, 0o644, release.debug / path)
    for place, path in sorted(there.items()):
        target = os.path.relpath(path, os.path.dirname(place))  # noqa: PTH120 - of an archive
        yield PackageEntry(f"{place}.debug", 0o777, b"", target)
