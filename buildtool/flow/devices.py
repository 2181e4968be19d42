"""Commands about devices: deploy, run, roll back, pull a sysroot."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from buildtool.core.events import Listener, Note, RunsOn, work
from buildtool.engine.options import Options
from buildtool.flow.preparation import lock_of, release_on_device
from buildtool.project.model import Project

if TYPE_CHECKING:
    from buildtool.deploy.ready import DeviceChoice, Ready
    from buildtool.deploy.site import Deployed
    from buildtool.run.bundle.record import RunRecord
    from buildtool.run.bundle.replay import Replay
    from buildtool.run.on_device import RunResult
    from buildtool.run.program import RunRequest
    from buildtool.run.run import Streams
    from buildtool.sdk.sysroot import Sysroot


def deploy(
    project: Project,
    device_name: str,
    choice: DeviceChoice,
    listener: Listener,
    options: Options | None = None,
) -> Deployed:
    """Build, make the release, and make it current on the device."""
    from buildtool.deploy.site import deploy as deploy_release

    with (
        release_on_device(project, device_name, choice, listener, options) as ready,
        lock_of(ready.site.device, f"deploy of {project.name}", choice, listener) as lock,
    ):
        ready.hold(lock)
        return deploy_release(ready, verify_files=choice.verify)


def run_program(
    project: Project,
    device_name: str,
    request: RunRequest,
    *,
    choice: DeviceChoice,
    listener: Listener,
    options: Options | None = None,
    streams: Streams | None = None,
    record: RunRecord | None = None,
    replay: Replay | None = None,
) -> RunResult:
    """Build, make the release, bring it onto the device if it is not there, and run a program of
    it; `streams` as in `start_on_device`.  `record` gets to know what happens.

    With `replay` the release is that of an earlier run."""
    from buildtool.run.attended import (
        ProgramRun,
        forwarded_ports,
        reserved_ports,
        run_and_explain,
    )
    from buildtool.run.on_device import status_of_run

    purpose = request.command[0] if request.command else f"run of {project.name}"
    prepared: contextlib.AbstractContextManager[Ready]
    if replay:
        from buildtool.flow.replays import ready_to_replay

        prepared = ready_to_replay(
            *(replay, project, device_name, choice, listener), options=options
        )
    else:
        prepared = release_on_device(project, device_name, choice, listener, options, record=record)
    with (
        reserved_ports(project, device_name, request) as reserved,
        prepared as ready,
        lock_of(ready.site.device, purpose, choice, listener) as lock,
        forwarded_ports(reserved, ready.site.device, listener) as ports,
    ):
        if record:
            record.ready = ready
        listener(RunsOn(ready.site.device.name, ready.soc, ready.arch))
        request = request._replace(count_calls=choice.expect_dsp, trace=choice.trace)
        if choice.record:
            from buildtool.run.recorded.record import numbered

            request = request._replace(record=numbered(project, ready.release, choice.record))
        started = ProgramRun(project, ready, request, listener, choice, lock, streams)
        result = run_and_explain(started._replace(record=record))._replace(forward=ports)
        if status_of_run(result, request):
            from buildtool.run.first_finding import record_failed_run

            record_failed_run(project, ready, result)
        if record:
            record.result = result
        return result


def rollback(
    project: Project, device_name: str, choice: DeviceChoice, listener: Listener
) -> tuple[str, str]:
    """Make the release current on the device that was deployed before; returns the ids of the
    former one and of this one."""
    from buildtool.deploy.ready import device_for, read_facts_of, site_on, target_on
    from buildtool.deploy.site import rollback as roll_back

    target = target_on(project, device_name, choice)
    device = device_for(project, device_name, target, choice, listener)
    facts = read_facts_of(device)
    with lock_of(device, f"rollback of {project.name}", choice, listener) as lock:
        lock.hold()
        if lock.is_other_boot(facts.boot):
            facts = read_facts_of(device, refresh=True)
        return roll_back(site_on(project, device, facts, listener))


def pull_sysroot(
    device_name: str, *, name: str, libc: bool, soc_name: str, listener: Listener
) -> tuple[Sysroot, bool]:
    """Fetch the sysroot of `device_name`: `sim`, a device of `devices.toml`, or a directory;
    `soc_name` is for `sim`.

    Returns it and whether it changed.  It is called `name`, by default as the device is.
    """
    from buildtool.device.sysroot.pull import pull
    from buildtool.device.sysroot.source import open_source

    device, known_as = open_source(device_name, soc_name, listener)
    name = name or known_as
    with work(f"fetching {name}", listener) as shown:
        return pull(
            device,
            name,
            libc=libc,
            waiting=lambda: listener(Note(f"waiting for another pull of {name}")),
            shown=shown,
        )
