"""Runs a program on a device, with what accompanies it here: forwarded ports, and on the emulated
device a debugger and the reports of crashes."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING

from buildtool.core.events import Listener, Note
from buildtool.deploy.ready import DeviceChoice, Ready
from buildtool.device.device import Device
from buildtool.device.sharing.lock import DeviceLock
from buildtool.project.model import BUILT_IN_TARGET, Project
from buildtool.project.runs import Forward
from buildtool.run.on_device import RunResult, run_on_device
from buildtool.run.program import RunRequest
from buildtool.run.run import OWN, Streams

if TYPE_CHECKING:
    from buildtool.run.bundle.record import RunRecord

Forwarding = Callable[[Device], contextlib.AbstractContextManager[tuple[Forward, ...]]]


@contextlib.contextmanager
def with_ports(device: str, request: RunRequest, listener: Listener) -> Iterator[Forwarding]:
    """Reserve the ports here that `request` forwards, for the block.

    It gets a function that makes a context manager: in its block the ports, which it gives, lead to
    the device.
    Raises `UsageError`, and the context manager `DeviceError`.
    """
    if not request.forward:
        yield lambda _: contextlib.nullcontext(())
        return
    from buildtool.run.forward import forwarding, opened  # noqa: PLC0415 - rarely needed

    with opened(request.forward, same_machine=device == BUILT_IN_TARGET) as listeners:
        yield partial(forwarding, listeners, note=lambda text: listener(Note(text)))


def run_attended(
    project: Project,
    ready: Ready,
    request: RunRequest,
    listener: Listener,
    *,
    choice: DeviceChoice,
    lock: DeviceLock,
    streams: Streams | None = None,
    record: RunRecord | None = None,
) -> RunResult:
    """Run the command of `request`, and keep its output in `record`.

    `lock`, `streams` and errors are those of `run_on_device`.
    """
    own = streams or OWN
    start = partial(run_on_device, lock=lock, verify_files=choice.verify)
    start = partial(_recorded, start, record, own) if record else partial(start, streams=own)
    if ready.site.device.name != BUILT_IN_TARGET:
        return start(ready, request)
    from buildtool.run.watched_run import run_watched  # noqa: PLC0415 - sim only

    return run_watched(
        project,
        ready,
        request,
        start=start,
        choice=choice,
        listener=listener,
        terminal=not request.terminal and streams is None,
    )


def _recorded(
    start: Callable[..., RunResult],
    record: RunRecord,
    streams: Streams,
    ready: Ready,
    request: RunRequest,
) -> RunResult:
    record.ready = ready
    with record.kept_streams(streams) as kept:
        record.result = start(ready, request, name=record.name, streams=kept)
    return record.result
