"""What commands about devices do first: build, make the release, find out where it goes."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from buildtool import first_look
from buildtool.core.events import Listener, Note, show_up_to_date
from buildtool.core.lock import held_directory
from buildtool.core.value import Value
from buildtool.deploy.ready import DeviceChoice, Ready, device_for, read_facts_of, target_on
from buildtool.device.facts import CDSP
from buildtool.project.model import Project, with_options
from buildtool.release.slices import Release, slices_from_json

if TYPE_CHECKING:
    from buildtool.deploy.contents import DataFile
    from buildtool.device.device import Device
    from buildtool.device.sharing import DeviceLock
    from buildtool.engine.context import BuildContext
    from buildtool.engine.options import Options
    from buildtool.engine.result import BuildResult
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
    from buildtool.flow.targets import open_release

    wanted = _wanted(project, device_name, choice, listener, device)
    with contextlib.ExitStack() as stack:
        opened = open_release(
            *(wanted.project, wanted.target, listener, options, stack), trees=trees
        )
        with opened as (build, release, context):
            if record:
                record.built = build, release
            data = data_of(wanted.project, context)
        yield wanted.ready(release, data, stack), build


@contextlib.contextmanager
def release_on_device(
    project: Project,
    device_name: str,
    choice: DeviceChoice,
    listener: Listener,
    options: Options | None,
    *,
    record: RunRecord | None = None,
) -> Iterator[Ready]:
    """The same for a command that does not ask what was built: that there is nothing to do is known
    from what the last one looked at."""
    if record or project.data:
        made = ready_on_device(project, device_name, choice, listener, options, record=record)
        with made as (ready, _):
            yield ready
        return
    wanted = _wanted(project, device_name, choice, listener)
    with contextlib.ExitStack() as stack:
        asked = (wanted.project, wanted.target, listener, options, stack)
        release = known_release(*asked) or made_release(*asked)
        yield wanted.ready(release, (), stack)


class _Wanted(Value):
    """A target of `project`, which has the options of `choice`, on a device."""

    project: Project
    target: str
    device_name: str
    choice: DeviceChoice
    listener: Listener
    device: Device | None

    def ready(
        self, release: Release, data: tuple[DataFile, ...], stack: contextlib.ExitStack
    ) -> Ready:
        choice, listener = self.choice, self.listener
        if self.device and not self.device.emulated:
            domain = choice.domain or self.device.domain
            device = self.device._replace(target=self.target, domain=domain, signed=choice.signed)
        else:
            device = device_for(self.project, self.device_name, self.target, choice, listener)
        counted = counting_option(choice, device)
        if counted:
            from buildtool.run.dsp_calls import counted_release

            platform, facts = self.project.targets[self.target].platform, read_facts_of(device)
            release = stack.enter_context(
                counted_release(release, platform, facts, self.project.state, option=counted)
            )
        ready = Ready(self.project, device, release, listener, data, force=choice.force)
        if counted:
            ready.go_beside("counted")
        return ready


def counting_option(choice: DeviceChoice, device: Device) -> str:
    """The option for which a library is between the program and libcdsprpc; "" for none."""
    options = {
        "--expect-dsp": choice.expect_dsp,
        "--trace": choice.trace,
        "--record-calls": choice.record,
        "--domain": device.domain != CDSP,
        "--signed": device.signed,
    }
    return next(filter(options.get, options), "")


def known_release(
    project: Project,
    target: str,
    listener: Listener,
    options: Options | None,
    stack: contextlib.ExitStack,
) -> Release | None:
    """The release of `target`, in use until `stack` ends, if everything that the last
    `made_release` looked at is as it was then."""
    directory = project.release(target).resolve()
    if not (known := first_look.look_again(*_look(project, target, options))):
        return None
    names, debug, slices = known
    with contextlib.suppress(OSError):
        stack.enter_context(held_directory(directory))
        # Others replace the link before they remove a directory that nobody uses.
        if project.release(target).resolve() == directory:
            show_up_to_date(names, listener)
            return Release(target, directory, Path(debug), slices_from_json(slices))
    return None


def made_release(
    project: Project,
    target: str,
    listener: Listener,
    options: Options | None,
    stack: contextlib.ExitStack,
) -> Release:
    """The same when something may have to be built."""
    from buildtool.engine.result import StepOutcome
    from buildtool.flow.targets import open_release

    with (
        first_look.looking(*_look(project, target, options)) as keep,
        open_release(project, target, listener, options, stack) as (build, release, _),
    ):
        if all(step.outcome is StepOutcome.UP_TO_DATE for step in build.steps):
            names = [step.step.name for step in build.steps]
            keep([names, str(release.debug), release.slices])
    return release


def _look(project: Project, target: str, options: Options | None) -> tuple[str, object]:
    file = project.state / "state" / "first-looks" / f"release-{target}"
    return str(file), (project, target, options)


def _wanted(
    project: Project,
    device_name: str,
    choice: DeviceChoice,
    listener: Listener,
    device: Device | None = None,
) -> _Wanted:
    target = target_on(project, device_name, choice, device)
    project = with_choice(project, target, choice)
    for name, skel in project.skels.items() if choice.sanitize else ():
        if not skel.source:
            listener(Note(f"skel {name} is prebuilt: --sanitize checks nothing in it"))
    return _Wanted(project, target, device_name, choice, listener, device)


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
