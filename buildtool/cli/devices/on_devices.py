"""`--on` of `run`, `deploy` and `test`: the same command on several devices, in parallel.

Each device has a process of its own, `buildtool run DEVICE`: signals, streams and crashes of one
device do not affect the others.

Processes of a command, one for each device: they start, their output is passed on, they end.

In the output each line is after the name of its device.
"""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import signal
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, BinaryIO, TextIO

from buildtool.cli import INTERRUPTED
from buildtool.cli.devices.program_options import find_named_run
from buildtool.cli.options import BuildOptions, not_with_on
from buildtool.cli.screen import Screen
from buildtool.cli.show import print_json, show, shows_colours
from buildtool.cli.table import Table
from buildtool.core.events import Listener
from buildtool.core.processes.process import DEVNULL, PIPE, Process, running
from buildtool.core.value import Value
from buildtool.deploy.ready import DeviceChoice, target_on
from buildtool.device.selection import Chosen, ReservedDevices, select_devices
from buildtool.device.sharing import DeviceLock
from buildtool.engine.options import Options
from buildtool.flow.preparation import with_choice
from buildtool.flow.targets import build_release
from buildtool.project.model import Project
from buildtool.project.read import find_project

if TYPE_CHECKING:
    from buildtool.documents.runs import OnDeviceObject, OnDevicesDocument


SHOWN_DIGITS = 16


def check_run(name: str) -> None:
    """Raise `UsageError` unless the project has a named run that can be on several devices."""
    named = find_named_run(find_project(Path.cwd()), name)
    if named.pull or named.forward:
        raise not_with_on(f"the key {'pull' if named.pull else 'forward'} of [run.{name}]")


def on_devices(
    text: str, words: Sequence[str], choice: DeviceChoice, build: BuildOptions, *, as_json: bool
) -> int:
    """Run the command line `words`, which had `--on` with the devices `text`, on each of them.

    Returns 0, 1 when a status is not 0, and 130 after Ctrl-C.  Raises what can be said before.
    """
    done = run_on_devices(text, words, choice, build, documents=as_json)
    if as_json:
        print_json(done.as_json())
    else:
        _show_table(done.children)
    return done.status


class OnDevices(Value):
    """The results of a command on several devices."""

    children: tuple[Child, ...]
    interrupted: bool

    @property
    def ok(self) -> bool:
        return not any(child.status for child in self.children)

    @property
    def status(self) -> int:
        return INTERRUPTED if self.interrupted else int(not self.ok)

    def as_json(self) -> OnDevicesDocument:
        return {"ok": self.ok, "devices": [child.as_json() for child in self.children]}


def run_on_devices(
    text: str,
    words: Sequence[str],
    choice: DeviceChoice,
    build: BuildOptions,
    *,
    documents: bool,
    shards: bool = False,
) -> OnDevices:
    """Run the command `words` on several devices, without printing a result.  With `documents` the
    standard output of each process is its document; with `shards`, devices of one target get
    `--shard`, too."""
    project = find_project(Path.cwd())
    listener = Screen(quiet=True, verbose=build.verbose)
    with contextlib.ExitStack() as stack:
        purpose = f"{words[0]} of {project.name}"
        reserved = stack.enter_context(ReservedDevices(project, purpose, listener))
        devices = select_devices(text, project, reserved.reserve, listener, wait=choice.wait)
        targets = _targets(project, devices, choice)
        releases = _build(project, targets, choice, listener, build.for_engine())
        shown = (sys.stderr,) if documents else (sys.stdout, sys.stderr)
        names = [str(chosen) for chosen in devices]
        children = [
            stack.enter_context(
                child_of(
                    [*words, *(_shard(targets, number) if shards else ())],
                    chosen,
                    releases[targets[number]],
                    reserved.locks.get(chosen.name),
                    {stream: prefix(names, number, stream) for stream in shown},
                )
            )
            for number, chosen in enumerate(devices)
        ]
        return OnDevices(tuple(children), attend(children))


def _shard(targets: Sequence[str], number: int) -> list[str]:
    """The part of the tests of its target for device `number`."""
    target = targets[number]
    return ["--shard", f"{targets[:number].count(target) + 1}/{targets.count(target)}"]


def _targets(project: Project, devices: Sequence[Chosen], choice: DeviceChoice) -> list[str]:
    return [
        target_on(project, chosen.name, choice._replace(soc=chosen.soc or choice.soc))
        for chosen in devices
    ]


def _build(
    project: Project,
    targets: Sequence[str],
    choice: DeviceChoice,
    listener: Listener,
    options: Options,
) -> dict[str, str]:
    """The id of the release for each target, after building it."""
    releases = {}
    for target in dict.fromkeys(targets):
        wanted = with_choice(project, target, choice)
        releases[target] = build_release(wanted, target, listener, options)[1].id
    return releases


def _show_table(children: Sequence[Child]) -> None:
    rows = [
        (str(child.chosen), child.release[:SHOWN_DIGITS], str(child.status), f"{child.seconds:.1f}")
        for child in children
    ]
    show(Table(("device", "release", "status", "seconds"), rows, frozenset({2, 3})).text())


CHUNK = 1 << 16
MAX_DOCUMENT = 64 << 20


class Child:
    """The process of a device, and where it writes: lines, or a document if they are None."""

    def __init__(
        self,
        process: Process,
        chosen: Chosen,
        release: str,
        lock: DeviceLock | None,
        lines: Sequence[PrefixedLines | None],
    ) -> None:
        assert process.stdout
        assert process.stderr
        self.process = process
        self.chosen = chosen
        self.release = release
        self.status: int | None = None
        self.seconds = 0.0
        self.lines = dict(zip((process.stdout, process.stderr), lines, strict=True))
        self._lock = lock
        self._started = time.monotonic()
        self._document = bytearray()

    def read(self, stream: IO[bytes]) -> bool:
        """Pass on what can be read from `stream`; False if there is nothing more."""
        try:
            data = os.read(stream.fileno(), CHUNK)
        except BlockingIOError:
            return False
        if lines := self.lines[stream]:
            lines.feed(data)
        elif len(self._document) < MAX_DOCUMENT:
            self._document += data
        return bool(data)

    def finish(self) -> None:
        """Pass on the rest after the process has ended."""
        for stream, lines in self.lines.items():
            while self.read(stream):
                pass
            if lines:
                lines.end()
        self.seconds = time.monotonic() - self._started
        status = self.process.wait()
        self.status = status if status >= 0 else 128 - status
        if self._lock:
            self._lock.release()
            self._lock.device.leave()

    @property
    def document(self) -> Any:
        """The document that it printed; None without one."""
        with contextlib.suppress(ValueError, RecursionError):
            return json.loads(self._document)
        return None

    def as_json(self) -> OnDeviceObject:
        """Its row, with its document, after it has ended."""
        assert self.status is not None
        return {
            "device": str(self.chosen),
            "release": self.release,
            "status": self.status,
            "seconds": round(self.seconds, 3),
            "document": self.document,
        }


@contextlib.contextmanager
def child_of(
    arguments: Sequence[str],
    chosen: Chosen,
    release: str,
    lock: DeviceLock | None,
    prefixes: Mapping[TextIO, bytes],
) -> Iterator[Child]:
    command, *rest = arguments
    soc = ["--soc", chosen.soc] if chosen.soc else []
    with running(
        [sys.executable, "-P", "-m", "buildtool", command, chosen.name, *soc, *rest],
        env={**os.environ, **(lock.environment if lock else {})},
        stdin=DEVNULL,
        stdout=PIPE,
        stderr=PIPE,
        pass_fds=lock.device.lifelines if lock else (),
    ) as process:
        lines = [
            PrefixedLines(prefixes[stream], stream.buffer) if stream in prefixes else None
            for stream in (sys.stdout, sys.stderr)
        ]
        child = Child(process, chosen, release, lock, lines)
        for stream in child.lines:
            os.set_blocking(stream.fileno(), False)
        yield child


def attend(children: Sequence[Child]) -> bool:
    """Pass on what the processes write until all have ended; returns whether Ctrl-C was pressed,
    which each of them gets too."""
    interrupted = False
    with selectors.DefaultSelector() as selector, contextlib.ExitStack() as stack:
        for child in children:
            ended = os.pidfd_open(child.process.pid)
            stack.callback(os.close, ended)
            selector.register(ended, selectors.EVENT_READ, child)
            for stream in child.lines:
                selector.register(stream, selectors.EVENT_READ, child)
        while selector.get_map():
            try:
                for key, _ in selector.select():
                    _handle(selector, key)
            except KeyboardInterrupt:
                if interrupted:
                    raise
                interrupted = True
                for child in children:
                    if child.status is None:
                        child.process.send_signal(signal.SIGINT)
    return interrupted


def _handle(selector: selectors.BaseSelector, key: selectors.SelectorKey) -> None:
    child: Child = key.data
    if child.status is not None:
        return
    if isinstance(key.fileobj, int):
        child.finish()
        for source in [k.fileobj for k in selector.get_map().values() if k.data is child]:
            selector.unregister(source)
    elif not child.read(key.fileobj):  # type: ignore[arg-type]  # a stream of the process
        selector.unregister(key.fileobj)


MAX_LINE = 1 << 16
COLOURS = (36, 33, 32, 35, 34, 31)


class PrefixedLines:
    """Writes what arrives in pieces to `stream`, in whole lines after `prefix`.

    Lines of more than `MAX_LINE` bytes are broken.
    """

    def __init__(self, prefix: bytes, stream: BinaryIO) -> None:
        self._prefix = prefix
        self._stream = stream
        self._held = b""

    def feed(self, data: bytes) -> None:
        """Add what arrived next, and write the lines that are complete."""
        *lines, self._held = (self._held + data).split(b"\n")
        while len(self._held) > MAX_LINE:
            lines.append(self._held[:MAX_LINE])
            self._held = self._held[MAX_LINE:]
        if lines:
            self._stream.write(
                b"".join(self._prefix + line.removesuffix(b"\r") + b"\n" for line in lines)
            )
            self._stream.flush()

    def end(self) -> None:
        """Write the last line, which may have no line break."""
        if self._held:
            self.feed(b"\n")


def prefix(names: Sequence[str], number: int, stream: TextIO) -> bytes:
    """The prefix of the lines of process `number` in `stream`; all of them have the same width."""
    text = f"{names[number]:<{max(map(len, names))}} | "
    if shows_colours(stream):
        text = f"\x1b[{COLOURS[number % len(COLOURS)]}m{text}\x1b[0m"
    return text.encode()
