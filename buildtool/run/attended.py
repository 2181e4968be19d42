"""Runs a program on a device, with what accompanies it here: forwarded ports, the profiler, kept
output, on the emulated device a debugger and reports of crashes; finds the cause if it fails."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from buildtool.core.events import Listener, Note
from buildtool.core.processes.kept_output import KeptOutput, teed
from buildtool.core.value import Value
from buildtool.deploy.ready import DeviceChoice, Ready
from buildtool.device.device import Device
from buildtool.device.errors import DeviceError
from buildtool.device.sharing import DeviceLock
from buildtool.project.model import Project
from buildtool.project.runs import Forward
from buildtool.run.on_device import RunResult, run_on_device
from buildtool.run.program import RunRequest
from buildtool.run.run import OWN, STDERR, RunTimeoutError, Streams
from buildtool.run.session import new_run

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


class ProgramRun(Value):
    """A program that runs on the device of `ready`, and what accompanies it here."""

    project: Project
    ready: Ready
    request: RunRequest
    listener: Listener
    choice: DeviceChoice
    lock: DeviceLock | None = None  # without one, that of the device is neither held nor respected
    streams: Streams | None = None  # None: those of this process
    name: str = ""  # "": a new one
    record: RunRecord | None = None  # keeps its output
    errors: KeptOutput | None = None  # keeps what it writes to standard error


def run_attended(run: ProgramRun) -> RunResult:
    """Run the program; raises as `run_on_device`."""
    ready, request, record, errors = run.ready, run.request, run.record, run.errors
    name, streams, report, host = run.name, run.streams or OWN, None, None
    with contextlib.ExitStack() as stack:
        if ready.site.device.emulated:
            from buildtool.run.watched_run import watched_dsp  # noqa: PLC0415 - sim only

            request, report = stack.enter_context(watched_dsp(run))
        elif run.choice.profile:
            from buildtool.run.profile.profiled_run import HostProfiler  # noqa: PLC0415 - seldom

            name = name or new_run()
            host = HostProfiler(ready, name)
            request = request._replace(prefix=host.words)
        kept = record.streams["stderr"] if record else errors
        if kept and request.trace and ready.site.device.emulated:  # others report on their own
            from buildtool.run.trace.recorder import reporting  # noqa: PLC0415 - rarely used

            kept.also = reporting(kept.also, ready.site.device.name, run.listener)
        if record:
            streams = stack.enter_context(record.kept_streams(streams))
        elif errors and not request.terminal:
            target = STDERR if streams.stderr is None else streams.stderr
            copied = stack.enter_context(teed(errors, target, same_kind=True))
            streams = streams._replace(stderr=copied)
        result = run_on_device(
            *(ready, request),
            lock=run.lock,
            verify_files=run.choice.verify,
            streams=streams,
            name=name,
        )
    if result.dsp_calls:
        from buildtool.run.dsp_calls import judged  # noqa: PLC0415 - rarely used

        result = result._replace(dsp_calls=judged(run.project, result.dsp_calls))
    if host:
        result = host.profiled(result)
    if not report:
        if result.dsp_crash:
            from buildtool.run.device_logs import explain_kept_log  # noqa: PLC0415

            texts = explain_kept_log(run.project, ready, result)
            for text in texts:
                run.listener(Note(text))
            result = result._replace(crash_text="\n".join(texts))
        return result
    return result._replace(
        dsp_crash=report.crash,
        crash_text=report.crash_text,
        methods=report.methods,
        profile=report.profile,
        failed=report.failed,
    )


def run_and_explain(run: ProgramRun) -> RunResult:
    """Run the program; the result has the first finding about the cause if it failed.  The error of
    a program that did not end in time has it as its reason."""
    errors = KeptOutput(head=KEPT_BYTES, tail=KEPT_BYTES)
    ready, record, begun = run.ready, run.record, time.monotonic()
    run = run._replace(name=record.name if record else new_run(), errors=errors)
    crashes: list[str] = []

    def finding(command: Sequence[str], failed: Sequence[FailedCall] = ()) -> FirstFinding | None:
        from buildtool.run.cause_finder import CauseFinder  # noqa: PLC0415
        from buildtool.run.device_logs import explain_logged_crashes  # noqa: PLC0415

        kept = dict(record.streams) if record else {"stderr": errors}
        finder = CauseFinder(
            ready,
            run=run.name,
            program=command[0],
            seconds=time.monotonic() - begun,
            project=run.project,
        )
        try:
            output = {stream: ends.kept().data for stream, ends in kept.items()}
            found = finder.find(output, run.request.env, failed=failed)
            for text in explain_logged_crashes(run.project, ready, command[0], finder.logs):
                run.listener(Note(text))
                crashes.append(text)
            return found
        except (DeviceError, OSError) as error:
            run.listener(Note(f"the cause was not looked for on the device: {error}"))
            return None

    try:
        result = run_attended(run)
    except RunTimeoutError as error:
        if (found := finding(run.request.command or ("",))) and found.cause:
            error.why += f"\n{found.cause}\n{found.evidence}"
            error.remedy = found.remedy
        raise
    if not result.status or result.dsp_crash or not ready.release.archs:
        return result
    found = finding(result.command, result.failed)
    return result._replace(finding=found, crash_text=result.crash_text or "\n".join(crashes))
