"""What commands about devices do first: build, make the release, find out where it goes."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING

from buildtool.core.events import Listener, Note
from buildtool.engine.context import BuildContext
from buildtool.engine.options import Options
from buildtool.engine.result import BuildResult
from buildtool.flow.targets import open_release, with_options
from buildtool.project.model import Project

if TYPE_CHECKING:
    from buildtool.deploy.contents import DataFile
    from buildtool.deploy.ready import DeviceChoice, Ready
    from buildtool.device.device import Device
    from buildtool.device.sharing import DeviceLock
    from buildtool.run.bundle.record import RunRecord


def lock_of(device: Device, purpose: str, choice: DeviceChoice, listener: Listener) -> DeviceLock:
    """The lock of `device`, which is not held yet, for a command that uses it for `purpose`."""
    from buildtool.device.sharing import DeviceLock

    return DeviceLock(device, purpose, listener, wait=choice.wait, share=choice.share)


@contextlib.contextmanager
def ready_on_device(
    project: Project,
    device_name: str,
    choice: DeviceChoice,
    listener: Listener,
    options: Options | None,
    *,
    trees: bool = False,
    record: RunRecord | None = None,
    device: Device | None = None,
) -> Iterator[tuple[Ready, BuildResult]]:
    """Build what the device needs, and find out where it goes there; also returns what was built.

    With `trees`, steps of the ARM64 side whose build trees are missing are built, and not restored
    from a cache.  `record` gets what was built.  `device`, unless it is an emulated one, is what
    `device_name` means, whatever the project says."""
    from buildtool.deploy.ready import Ready, device_for, target_on

    target = target_on(project, device_name, choice, device)
    project = with_choice(project, target, choice)
    for name, skel in project.skels.items() if choice.sanitize else ():
        if not skel.source:
            listener(Note(f"skel {name} is prebuilt: --sanitize checks nothing in it"))
    with contextlib.ExitStack() as stack:
        opened = open_release(project, target, listener, options, stack, trees=trees)
        with opened as (build, release, context):
            if record:
                record.built = build, release
            data = data_of(project, context)
        if device and not device.emulated:
            device = device._replace(target=target)
        else:
            device = device_for(project, device_name, target, choice, listener)
        if choice.expect_dsp or choice.trace:
            from buildtool.deploy.ready import read_facts_of
            from buildtool.run.dsp_calls import counted_release

            platform, facts = project.targets[target].platform, read_facts_of(device)
            option = "--expect-dsp" if choice.expect_dsp else "--trace"
            release = stack.enter_context(
                counted_release(release, platform, facts, project.state, option)
            )
        ready = Ready(project, device, release, listener, data, force=choice.force)
        if choice.expect_dsp or choice.trace:
            ready.go_beside("counted")
        yield ready, build


def with_choice(project: Project, target_name: str, choice: DeviceChoice) -> Project:
    """The project with the options of `choice` for that target; raises `UsageError`."""
    return with_options(
        project,
        target_name,
        build_type=choice.build_type,
        strict_isa=choice.strict_isa,
        sanitize=choice.sanitize,
    )


def data_of(project: Project, context: BuildContext) -> tuple[DataFile, ...]:
    """The large files of the project."""
    if not project.data:
        return ()
    from buildtool.deploy.contents import find_data

    return find_data(project, context.file_states, context.listener)
