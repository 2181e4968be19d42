"""Runs a program of a release on a device, to which the release is brought if it is not there."""

from __future__ import annotations

import posixpath
import time
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from buildtool.core.errors import NOT_RUN
from buildtool.core.escape import escape
from buildtool.core.events import ProgramStarts
from buildtool.deploy.contents import ReleaseOnDevice
from buildtool.deploy.ready import Ready
from buildtool.deploy.site import (
    finish_inline_push,
    inline_push,
    make_current,
    make_current_after,
    outdated,
    verify,
)
from buildtool.device.errors import DeviceError, foreign
from buildtool.device.script import ScriptReport
from buildtool.device.sharing import DeviceLock, lock_failure
from buildtool.project.runs import Forward
from buildtool.run.program import NO_VARIABLES, RunRequest, find_command
from buildtool.run.run import OWN, Streams, sends_input, start_on_device
from buildtool.run.session import new_run

if TYPE_CHECKING:
    from buildtool.deploy.push import InlinePush
    from buildtool.run.dsp_calls import DspCalls
    from buildtool.run.first_finding import FirstFinding
    from buildtool.run.method_counts import FailedCall, MethodCounts
    from buildtool.run.profile.profile import Profile

MAX_STARTS = 4
"""How often the program is started: a device can have been booted again and be without the release,
and another user's push can remove what was just pushed."""

NOTHING_DONE = ("in-use", "unlockable", "rebooted")
"""Reports of a script that has done nothing: it cannot have the lock of the device, or what is
known of the device was true before it was booted."""
MAX_WORDS = 16 << 10
"""Characters of a command and its variables that fit into one script with a push."""


class RunResult(ReleaseOnDevice):
    """How a program ended; `failed` are calls of methods of an emulated DSP, `crash_text` is all
    that is known of a crash, also of one on the ARM64 side."""

    soc: Annotated[
        str, 'SoC of the device, and the DSP unless that is the cdsp; "" if it is unknown'
    ]
    run: Annotated[str, "name of the run; its logs are there in logs/RUN"]
    command: Annotated[tuple[str, ...], "the program and its arguments"]
    status: Annotated[int, "exit status of the program, 128+n for signal n"]
    seconds: Annotated[float, "wall time of the program"]
    forward: Annotated[tuple[Forward, ...], "TCP ports of the device that were reachable here"] = ()
    dsp_crash: Annotated[
        str, 'how the DSP process crashed, in a line; "" if it did not, or if that cannot be known'
    ] = ""
    methods: Annotated[
        tuple[MethodCounts, ...], "on the emulated device, what the DSP executed for each method"
    ] = ()
    profile: Annotated[Profile | None, "with --profile, the profile; else null"] = None
    finding: Annotated[FirstFinding | None, "why it failed, as far as that was found"] = None
    dsp_calls: Annotated[
        DspCalls | None, "with --expect-dsp, what the program asked of the DSP; else null"
    ] = None
    failed: tuple[FailedCall, ...] = ()
    crash_text: str = ""

    def as_json(self) -> dict[str, Any]:
        return {**super().as_json(), "seconds": round(self.seconds, 3)}


def status_of_run(result: RunResult, request: RunRequest) -> int:
    """The exit status of `buildtool run`: the program's, but not 0 after a crash of the DSP process
    that `request` does not expect, or without the expected use of the DSP."""
    unexpected = (result.dsp_crash and not request.dsp_may_crash) or lacks_dsp_use(result)
    return result.status or (NOT_RUN if unexpected else 0)


def lacks_dsp_use(result: RunResult) -> bool:
    """Whether calls of the DSP were counted, and are not what was expected."""
    return result.dsp_calls is not None and bool(result.dsp_calls.problem)


def run_on_device(
    ready: Ready,
    request: RunRequest,
    *,
    lock: DeviceLock | None = None,
    verify_files: bool = False,
    streams: Streams = OWN,
    name: str = "",
) -> RunResult:
    """Run the command of `request`; `name` is that of the run.

    Without a `lock`, the lock of the device is neither held nor respected.
    The release is only pushed when the device does not have it: looking for it and starting the
    program is one command, and so is pushing a small change.  Raises `DeviceError`.
    """
    transport = ready.site.device.transport
    emulated = transport.direct and "BUILDTOOL_EXEC" in transport.environment  # by QEMU
    command = find_command(ready.release, request.command, emulated=emulated)
    request = request._replace(command=command)
    if lock and (verify_files or request.pull):
        ready.hold(lock)
    if verify_files:
        verify(ready.site, ready.deployment)
    push = None
    if outdated(ready.site, ready.deployment) and not (
        push := _push_later(ready, request, streams)
    ):
        if lock:
            ready.hold(lock)
        make_current(ready.site, ready.deployment)
    name = name or new_run()
    ready.site.listener(ProgramStarts())
    with _recording(ready, request, name), _recorded_calls(ready, request, name):
        status, seconds = _start(ready, request, name, streams, lock=lock, push=push)
    for path, target in request.pull.items():
        ready.site.device.pull(_absolute(ready, request, path), Path(target))
    dsp_crash = ""
    if request.farf and not emulated:
        from buildtool.run.device_logs import logged_crash  # noqa: PLC0415 - rarely used

        dsp_crash = logged_crash(ready.site, name, request.command[0])
    calls = None
    if request.count_calls:
        from buildtool.run.dsp_calls import read_dsp_calls  # noqa: PLC0415 - rarely used

        calls = read_dsp_calls(ready.site.device, ready.site.project, name)
    return RunResult(
        **ready.names,
        soc=ready.soc,
        run=name,
        command=request.command,
        status=status,
        seconds=seconds,
        dsp_crash=dsp_crash,
        dsp_calls=calls,
    )


def _start(
    ready: Ready,
    request: RunRequest,
    name: str,
    streams: Streams,
    *,
    lock: DeviceLock | None,
    push: InlinePush | None,
) -> tuple[int, float]:
    """Start the program until it has run; returns its exit status and wall time in seconds."""
    for _ in range(MAX_STARTS):
        started = time.monotonic()
        variables = lock.variables if lock else NO_VARIABLES
        report = start_on_device(
            *(ready.site, ready.deployment, request, name, streams), lock=variables, push=push
        )
        pushed, push = push, None
        tried = pushed and report.word not in NOTHING_DONE
        if tried and not finish_inline_push(ready.site, ready.deployment, report):
            if lock:
                lock.hold()
            make_current(ready.site, ready.deployment)
            continue
        if report.status is not None:
            return report.status, time.monotonic() - started
        if report.word == "rebooted":
            ready.renew()
        elif report.word == "in-use" and lock:
            lock.hold()
        elif report.word == "missing":
            if lock:
                lock.hold()
            make_current_after(ready.site, ready.deployment, report.text)
        else:
            raise _failure(ready, report)
    raise _failure(ready, report)


def _recorded_calls(ready: Ready, request: RunRequest, run: str) -> AbstractContextManager[None]:
    if not request.record:
        return nullcontext()
    from buildtool.run.recorded.record import recorded_calls  # noqa: PLC0415 - rarely used

    return recorded_calls(ready, request.record, run)


def _recording(ready: Ready, request: RunRequest, run: str) -> AbstractContextManager[None]:
    if not request.trace:
        return nullcontext()
    from buildtool.run.trace.records import recorded  # noqa: PLC0415 - rarely used

    return recorded(ready, run, request.command[0], with_log=bool(request.farf))


def _push_later(ready: Ready, request: RunRequest, streams: Streams) -> InlinePush | None:
    """The push of a small change, in one exchange with the start of the program; None when it needs
    exchanges of its own."""
    # The input of a program waits for it, but not for a push.
    single = not (request.terminal or sends_input(request, streams))
    single &= sum(map(len, (*request.command, *request.env.values()))) < MAX_WORDS
    return inline_push(ready.site, ready.deployment) if single else None


def _absolute(ready: Ready, request: RunRequest, path: str) -> str:
    """`path` on the device, from the working directory of the program."""
    return posixpath.join(ready.site.release(ready.deployment.id), request.cwd, path)


def _failure(ready: Ready, report: ScriptReport) -> DeviceError:
    device = ready.site.device
    if report.word == "unlockable":
        return lock_failure(device, report)
    where = f"{device.name} ({device.transport.address})"
    if report.word == "foreign":
        return foreign(where, report.text[-1000:])
    if report.word == "directory":
        return DeviceError(
            f"the program has no working directory on {where}",
            why=f"{escape(report.text[-1000:])} is not a directory that can be entered",
            remedy="--cwd takes a directory of the release, or an absolute path of the device.",
        )
    return DeviceError(
        f"the program could not be started on {where}",
        why=escape(report.text[-1000:])
        if report.word == "failed"
        else f"the device reported {report.word!r} {report.text[:80]!r}",
        remedy=f"Check the device: buildtool devices check {device.name}",
    )
