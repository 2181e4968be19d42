"""The verbs as compositions of stages: each stage takes one frozen value and returns the next."""

from __future__ import annotations

from collections.abc import Sequence

from buildtool.build.built import Built
from buildtool.build.plan import Plan, find_target, make_plan
from buildtool.build.run_plan import run_plan
from buildtool.core.events import Listener, Note
from buildtool.core.lock import locked
from buildtool.deploy.emulated.device import check_fits, check_platform, prepare
from buildtool.deploy.emulated.run import RunResult
from buildtool.deploy.emulated.run import run as run_program
from buildtool.deploy.emulated.socs import find_soc
from buildtool.project.model import Project
from buildtool.release.stage import Staged
from buildtool.release.stage import stage as stage_release
from buildtool.toolchains.choose import host_profile, skel_profiles


def plan(project: Project, target_name: str) -> Plan:
    """What building `target_name` consists of; nothing is touched."""
    target = find_target(project, target_name)
    return make_plan(
        project, target_name, host_profile(project, target), skel_profiles(project, target)
    )


def stage(project: Project, target_name: str, listener: Listener) -> tuple[Built, Staged]:
    """Build `target_name` and lay out what it ships."""

    def waiting() -> None:
        listener(Note("waiting for another buildtool in this project"))

    with locked(project.state / "build.lock", waiting):
        built = run_plan(plan(project, target_name), listener)
        return built, stage_release(built)


def run_emulated(
    project: Project,
    target_name: str,
    command: Sequence[str],
    *,
    soc_name: str,
    listener: Listener,
    stdout: int | None = None,
) -> RunResult:
    """Build, stage, and run `command` on the emulated device; `stdout` as in `run`."""
    soc = find_soc(soc_name)
    target = find_target(project, target_name)
    check_platform(target_name, target.platform)
    _, staged = stage(project, target_name, listener)
    device = prepare(project.state / "device" / soc.name.lower(), soc, listener)
    arch = check_fits(device, staged, target.glibc)
    return run_program(device, staged, arch, command, stdout=stdout)
