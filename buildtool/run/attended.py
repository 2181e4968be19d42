"""Runs a program on a device, with what accompanies it here: forwarded ports, and on the emulated
device a debugger and the reports of crashes."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
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
    from buildtool.run.forward import Listeners


@contextlib.contextmanager
def reserved_ports(device_name: str, request: RunRequest) -> Iterator[Listeners]:
    """Reserve the ports here that `request` forwards, for the block; raises `UsageError`."""
    if not request.forward:
        yield ()
        return
    from buildtool.run.forward import opened  # noqa: PLC0415 - rarely needed

    with opened(request.forward, same_machine=device_name == BUILT_IN_TARGET) as listeners:
        yield listeners


@contextlib.contextmanager
def forwarded_ports(
    listeners: Listeners, device: Device, listener: Listener
) -> Iterator[tuple[Forward, ...]]:
    """The ports of `listeners`, which lead to `device` in the block; raises `DeviceError`."""
    if not listeners:
        yield ()
        return
    from buildtool.run.forward import forwarding  # noqa: PLC0415 - rarely needed

    with forwarding(listeners, device, lambda text: listener(Note(text))) as ports:
        yield ports


def run_attended(
    project: Project,
    ready: Ready,
    request: RunRequest,
    listener: Listener,
    *,
    choice: DeviceChoice,
    lock: DeviceLock | None = None,
    streams: Streams | None = None,
    record: RunRecord | None = None,
) -> RunResult:
    """Run the command of `request`, and keep its output in `record`.

    `lock`, `streams` and errors are those of `run_on_device`.
    """
    report = None
    with contextlib.ExitStack() as stack:
        if ready.site.device.emulated:
            from buildtool.run.watched_run import watched_dsp  # noqa: PLC0415 - sim only

            terminal = not request.terminal and streams is None  # which a debugger may have
            watch = watched_dsp(project, ready, request, choice, listener, terminal=terminal)
            request, report = stack.enter_context(watch)
        streams = streams or OWN
        if record:
            streams = stack.enter_context(record.kept_streams(streams))
        result = run_on_device(
            ready,
            request,
            lock=lock,
            verify_files=choice.verify,
            streams=streams,
            name=record.name if record else "",
        )
    if not report:
        if result.dsp_crash:
            from buildtool.run.dsp_log import explain_logged_crashes  # noqa: PLC0415

            for text in explain_logged_crashes(project, ready, result):
                listener(Note(text))
        return result
    return result._replace(dsp_crash=report.crash, methods=report.methods)
