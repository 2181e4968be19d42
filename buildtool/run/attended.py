"""Runs a program on a device, with what accompanies it here: forwarded ports, and on the emulated
device a debugger and the reports of crashes."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from buildtool.core.events import Listener, Note
from buildtool.core.processes.kept_output import KeptOutput, teed
from buildtool.deploy.ready import DeviceChoice, Ready
from buildtool.device.device import Device
from buildtool.device.errors import DeviceError
from buildtool.device.sharing import DeviceLock
from buildtool.project.model import Project
from buildtool.project.runs import Forward
from buildtool.run.on_device import RunResult, run_on_device
from buildtool.run.program import RunRequest
from buildtool.run.run import OWN, STDERR, RunTimeoutError, Streams, new_run

if TYPE_CHECKING:
    from buildtool.run.bundle.record import RunRecord
    from buildtool.run.first_finding import FirstFinding
    from buildtool.run.forward import Listeners
    from buildtool.run.method_counts import FailedCall

KEPT_BYTES = 1 << 16
"""Of each end of a program's standard error, for the search for the cause of a failure."""


@contextlib.contextmanager
def reserved_ports(project: Project, device_name: str, request: RunRequest) -> Iterator[Listeners]:
    """Reserve the ports here that `request` forwards, for the block; raises `UsageError`."""
    if not request.forward:
        yield ()
        return
    from buildtool.device.configuration import is_here  # noqa: PLC0415 - rarely needed
    from buildtool.run.forward import opened  # noqa: PLC0415 - as above

    with opened(request.forward, same_machine=is_here(device_name, project)) as listeners:
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
    name: str = "",
    record: RunRecord | None = None,
    errors: KeptOutput | None = None,
) -> RunResult:
    """Run the command of `request`, and keep its output in `record`, or what it writes to standard
    error in `errors`.

    `lock`, `streams`, `name` and errors are those of `run_on_device`.
    """
    report = host = None
    with contextlib.ExitStack() as stack:
        if ready.site.device.emulated:
            from buildtool.run.watched_run import watched_dsp  # noqa: PLC0415 - sim only

            terminal = not request.terminal and streams is None  # which a debugger may have
            watch = watched_dsp(project, ready, request, choice, listener, terminal=terminal)
            request, report = stack.enter_context(watch)
        elif choice.profile:
            from buildtool.run.profile.profiled_run import HostProfiler  # noqa: PLC0415 - seldom

            name = name or new_run()
            host = HostProfiler(ready, name)
            request = request._replace(prefix=host.words)
        streams = streams or OWN
        kept = record.streams["stderr"] if record else errors
        if kept and request.trace and ready.site.device.emulated:  # others report on their own
            from buildtool.run.trace.recorder import reporting  # noqa: PLC0415 - rarely used

            kept.also = reporting(kept.also, ready.site.device.name, listener)
        if record:
            streams = stack.enter_context(record.kept_streams(streams))
        elif errors and not request.terminal:
            target = STDERR if streams.stderr is None else streams.stderr
            streams = streams._replace(
                stderr=stack.enter_context(teed(errors, target, same_kind=True))
            )
        result = run_on_device(
            ready,
            request,
            lock=lock,
            verify_files=choice.verify,
            streams=streams,
            name=name,
        )
    if result.calls:
        from buildtool.run.dsp_calls import judged  # noqa: PLC0415 - rarely used

        result = result._replace(calls=judged(project, result.calls))
    if host:
        result = host.profiled(result)
    if not report:
        if result.dsp_crash:
            from buildtool.run.device_logs import explain_kept_log  # noqa: PLC0415

            for text in explain_kept_log(project, ready, result):
                listener(Note(text))
        return result
    return result._replace(
        dsp_crash=report.crash,
        methods=report.methods,
        profile=report.profile,
        failed=report.failed,
    )


def run_and_explain(
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
    """Run the command of `request`; the result has the first finding about the cause if it failed.

    The error of a program that did not end in time has it as its reason.
    """
    errors = KeptOutput(head=KEPT_BYTES, tail=KEPT_BYTES)
    name, begun = record.name if record else new_run(), time.monotonic()

    def finding(command: Sequence[str], failed: Sequence[FailedCall] = ()) -> FirstFinding | None:
        from buildtool.run.cause_finder import CauseFinder  # noqa: PLC0415
        from buildtool.run.device_logs import explain_logged_crashes  # noqa: PLC0415

        kept = dict(record.streams) if record else {"stderr": errors}
        seconds = time.monotonic() - begun
        finder = CauseFinder(ready, run=name, program=command[0], seconds=seconds, project=project)
        try:
            output = {stream: ends.kept().data for stream, ends in kept.items()}
            found = finder.find(output, request.env, failed=failed)
            for text in explain_logged_crashes(project, ready, command[0], finder.logs):
                listener(Note(text))
            return found
        except (DeviceError, OSError) as error:
            listener(Note(f"the cause was not looked for on the device: {error}"))
            return None

    try:
        result = run_attended(
            *(project, ready, request, listener),
            choice=choice,
            lock=lock,
            streams=streams,
            name=name,
            record=record,
            errors=errors,
        )
    except RunTimeoutError as error:
        if (found := finding(request.command or ("",))) and found.cause:
            error.why += f"\n{found.cause}\n{found.evidence}"
            error.remedy = found.remedy
        raise
    if not result.status or result.dsp_crash or not ready.release.archs:
        return result
    return result._replace(finding=finding(result.command, result.failed))
