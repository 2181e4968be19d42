"""`buildtool run --replay`: the release of an earlier run, ready to run on a device."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

from buildtool.core.errors import UsageError
from buildtool.core.escape import escape
from buildtool.core.events import Listener
from buildtool.deploy.contents import DataFile, find_data
from buildtool.deploy.ready import DeviceChoice, Ready, device_for, read_facts_of, target_on
from buildtool.device.configuration import open_device
from buildtool.device.device import Device
from buildtool.device.emulated.device import PLATFORM
from buildtool.device.emulated.socs import known_socs
from buildtool.device.errors import DeviceError
from buildtool.drivers.step_drivers import driver_of
from buildtool.engine.context import open_context
from buildtool.engine.options import Options
from buildtool.flow.preparation import counting_option, ready_on_device
from buildtool.project.model import BUILT_IN_TARGET, Project
from buildtool.project.read import find_optional_project
from buildtool.release.slices import Release
from buildtool.run.bundle.replay import Replay, ReplayError

SHOWN = 5
DIRECTORY = "replay"


def project_of(replay: Replay) -> Project:
    """The project whose release runs: that of the working directory for a bundle without its
    release; raises `NoProjectError`."""
    around = find_optional_project(Path.cwd())
    if replay.project:
        return replay.project._replace(tools=around.tools) if around else replay.project
    if around:
        return around
    raise ReplayError(
        f"{replay.path} does not contain the release that ran",
        why="its README.txt says why",
        remedy=f"Replay it in the project {replay.file.project}, at the revision that release.json"
        " names: the release is built there, and has to have the same id.",
    )


def choice_of(replay: Replay, device_name: str, choice: DeviceChoice) -> DeviceChoice:
    """`choice`, with what is to be repeated of the earlier run's."""
    file = replay.file
    choice = choice._replace(
        target=choice.target or file.target,
        expect_dsp=choice.expect_dsp or file.expect_dsp,
        domain=choice.domain or file.domain,
    )
    if device_name != BUILT_IN_TARGET:
        return choice
    soc = file.soc if file.soc.upper() in known_socs() else ""
    return choice._replace(soc=choice.soc or soc, strict=choice.strict or file.strict)


@contextlib.contextmanager
def ready_to_replay(
    replay: Replay,
    project: Project,
    device_name: str,
    choice: DeviceChoice,
    listener: Listener,
    *,
    options: Options | None,
) -> Iterator[Ready]:
    """Bring the release of `replay` to where it can run; that of `project_of` is built for a bundle
    without it.  On the device it is in a directory of its own.

    Raises `ReplayError` and `DeviceError`.
    """
    if not replay.release:
        with ready_on_device(project, device_name, choice, listener, options) as (ready, _):
            _check_same(replay, ready.release)
            yield ready
        return
    around = find_optional_project(Path.cwd())
    device = _device(replay, project, device_name, choice, listener, around=around)
    data = _data(replay, around, listener)
    with contextlib.ExitStack() as stack:
        release = replay.release
        if counted := counting_option(choice, device):
            from buildtool.run.dsp_calls import counted_release

            platform = project.targets[release.target].platform
            facts = read_facts_of(device)
            made = counted_release(release, platform, facts, project.state, option=counted)
            release = stack.enter_context(made)
        ready = Ready(project, device, release, listener, data, force=choice.force)
        ready.go_beside(DIRECTORY)
        yield ready


def _device(
    replay: Replay,
    project: Project,
    name: str,
    choice: DeviceChoice,
    listener: Listener,
    *,
    around: Project | None,
) -> Device:
    target = replay.file.target
    if name != BUILT_IN_TARGET:
        device = open_device(name, around, wait=choice.wait, listener=listener)
        device = device._replace(target=target, domain=choice.domain)
        target_on(project, name, choice, device)
        return device
    platform = project.targets[target].platform
    if platform != PLATFORM:
        raise DeviceError(
            f"the run of {replay.path} was on {platform}, which the emulated device is not",
            why=f"it is an ARM64 Linux with glibc, for releases of the platform {PLATFORM}",
            remedy=f"Replay it on a phone: buildtool run PHONE --replay {replay.path}",
        )
    target_on(project, name, choice)
    return device_for(project, name, target, choice, listener)


def _data(replay: Replay, around: Project | None, listener: Listener) -> tuple[DataFile, ...]:
    """The large files of the run, which the project of the working directory may have."""
    wanted = replay.file.data
    if not wanted:
        return ()
    found: dict[tuple[str, str], DataFile] = {}
    if around and around.data:
        with open_context(around.state / "state", driver_of, listener) as context:
            files = find_data(around, context.file_states, listener)
        found = {(file.path, file.sha256): file for file in files}
    missing = [row for row in wanted if (row.path, row.sha256) not in found]
    if missing:
        lines = [
            f"{escape(row.path)}: {row.size:,} bytes, sha256 {row.sha256}"
            for row in missing[:SHOWN]
        ]
        more = [f"… and {len(missing) - SHOWN} more"] if len(missing) > SHOWN else []
        raise UsageError(
            f"the run of {replay.path} needs data that no bundle contains",
            why="\n".join([*lines, *more]),
            remedy="Get these files, and replay it in a project whose [data.NAME] has them.",
        )
    return tuple(found[row.path, row.sha256] for row in wanted)


def _check_same(replay: Replay, release: Release) -> None:
    """Raises `ReplayError` unless `release`, which was built here, is that of the run."""
    if release.id == replay.file.release:
        return
    here = {file.path: file.sha256 for file in release.files}
    here |= {link.path: link.target for link in release.links}
    paths = sorted(here.keys() | replay.listed.keys()) if replay.listed else []
    differ = [path for path in paths if here.get(path) != replay.listed.get(path)]
    more = [f"… and {len(differ) - SHOWN} more"] if len(differ) > SHOWN else []
    raise ReplayError(
        f"the release that was built here is not that of {replay.path}",
        why="\n".join(
            [
                f"its id is {release.id}, that of the run {replay.file.release}",
                *(f"{path} differs" for path in differ[:SHOWN]),
                *more,
            ]
        ),
        remedy="Build the revision and the build type, with the compilers, that release.json of"
        " the bundle names.",
    )
