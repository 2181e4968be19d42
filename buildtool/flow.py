"""The commands as compositions of stages: each stage takes one value and returns the next."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from buildtool.core.errors import BuildtoolError, UsageError
from buildtool.core.events import Listener, Note
from buildtool.core.lock import locked
from buildtool.engine.check_target import check_cdsprpc_needs
from buildtool.engine.context import open_context
from buildtool.engine.executor import run_plan
from buildtool.plan.plan import Plan, find_target, plan_target
from buildtool.project.model import BUILD_TYPES, Project
from buildtool.release.assemble import in_use, make_release
from buildtool.release.slices import Release
from buildtool.sdk.cmake import find_cmake
from buildtool.toolchains.select_profiles import profiles

if TYPE_CHECKING:  # each command imports what only it needs
    from buildtool.deploy.bundle.record import RunRecord
    from buildtool.deploy.data.files import DataFile
    from buildtool.deploy.deploy import Deployed
    from buildtool.deploy.device import Device
    from buildtool.deploy.ready import DeviceChoice, Ready
    from buildtool.deploy.run.on_device import RunResult
    from buildtool.deploy.run.program import RunRequest
    from buildtool.deploy.run.run import Streams
    from buildtool.deploy.sharing.lock import DeviceLock
    from buildtool.engine import clean as cleaning
    from buildtool.engine.context import BuildContext, Options
    from buildtool.engine.explain import Explanation
    from buildtool.engine.result import BuildResult
    from buildtool.ide.write_files import Written
    from buildtool.release.package import Packaged
    from buildtool.sdk.sysroot import Sysroot
    from buildtool.testing.results import TestRun
    from buildtool.testing.session import Session


def make_plan(project: Project, target_name: str) -> Plan:
    """The plan of building `target_name`; changes nothing."""
    target = find_target(project, target_name)
    cmake = find_cmake(project.tool("cmake"), project.tool("ninja"))
    return plan_target(project, target_name, cmake, *profiles(project, target))


def build_release(
    project: Project, target_name: str, listener: Listener, options: Options | None = None
) -> tuple[BuildResult, Release]:
    """Build `target_name` and make the release of what it ships."""
    with _open_target(project, target_name, listener, options) as (plan, context):
        return _build_release(plan, context)


@contextlib.contextmanager
def _open_target(
    project: Project, target_name: str, listener: Listener, options: Options | None
) -> Iterator[tuple[Plan, BuildContext]]:
    """The plan of `target_name` and the context to build it in, with the project's lock held."""
    plan = make_plan(project, target_name)
    with project_lock(project, listener), open_context(plan.state, listener, options) as context:
        yield plan, context


def _build_release(plan: Plan, context: BuildContext) -> tuple[BuildResult, Release]:
    build = run_plan(plan, context)
    try:
        return build, _release_of(build, context)
    except BuildtoolError as error:
        from buildtool.engine.bad_actions import reject_restored

        context = reject_restored(build, context, error)
    build = run_plan(plan, context)
    return build, _release_of(build, context)


def _release_of(build: BuildResult, context: BuildContext) -> Release:
    try:
        check_cdsprpc_needs(build.steps, context.state / "checked" / build.plan.target)
        return make_release(build, context.file_states.with_fresh_stats())
    except BuildtoolError as error:
        from buildtool.engine.report import build_document

        error.document = build_document(build)
        raise


def package(
    project: Project,
    target_name: str,
    *,
    formats: Sequence[str] = (),
    output: Path | None = None,
    twice: bool = False,
    attest: bool = False,
    key: Path | None = None,
    listener: Listener,
    options: Options | None = None,
) -> Packaged:
    """Build `target_name`, check its release, and make archives of it in the directory `output`.

    By default the archives have the formats of the target, and are made in `dist` of the project.
    With `twice` they are made a second time under other conditions, and compared.  With `attest` an
    SBOM and the provenance are written beside each archive; with `key` these too, and all of them
    are signed.
    """
    from buildtool.core.process import signals_as_interrupt
    from buildtool.release.package import (
        OUTPUT,
        Ingredients,
        attest_package,
        check_formats,
        check_output,
        make_package,
    )
    from buildtool.release.source import find_source
    from buildtool.release.supply_chain.licences import licence_files

    target = find_target(project, target_name)
    names = tuple(dict.fromkeys(formats)) or target.formats
    check_formats(names, target)
    output = output or project.root / OUTPUT
    check_output(output)
    source = find_source(project.root, output, lambda text: listener(Note(text)))
    with signals_as_interrupt():
        with _open_target(project, target_name, listener, options) as (plan, context):
            build, release = _build_release(plan, context)
            licences = licence_files(project, build.steps)
            made_of = Ingredients(project, build, release, source, licences)
            packaged = make_package(made_of, names, output, context.file_states)
            if attest or key:
                packaged = attest_package(made_of, packaged, key)
        if twice:
            from buildtool.release.reproducible import verify_reproducible

            listener(Note("building a second time, elsewhere and without caches, to compare"))
            verify_reproducible(project, packaged)
    return packaged


def clean(
    project: Project, target_name: str, *, include_expensive: bool, listener: Listener
) -> cleaning.Removed:
    """Remove what builds of `target_name` made, of all targets if it is ""; with
    `include_expensive` also what is slow to recreate."""
    from buildtool.engine import clean as cleaning

    if target_name and include_expensive:
        raise UsageError(
            "--all is for all targets",
            why="packages and emulated devices belong to no target",
            remedy="buildtool clean --all",
        )
    with project_lock(project, listener):
        paths = (
            cleaning.of_target(make_plan(project, target_name))
            if target_name
            else cleaning.everything(project.state, include_expensive=include_expensive)
        )
        return cleaning.remove(project.state, paths)


def with_options(
    project: Project, target_name: str, *, build_type: str = "", strict_isa: bool = False
) -> Project:
    """The project with the options of a command line for that target; raises `UsageError`."""
    if build_type and build_type not in BUILD_TYPES:
        raise UsageError(
            f"{build_type!r} is not a build type", remedy=f"Take one of: {', '.join(BUILD_TYPES)}."
        )
    target = find_target(project, target_name)
    target = target._replace(
        build_type=build_type or target.build_type, strict_isa=strict_isa or target.strict_isa
    )
    return project._replace(targets={**project.targets, target_name: target})


def explain(project: Project, target_name: str, listener: Listener) -> tuple[Explanation, ...]:
    """What building `target_name` would do now, and why."""
    from buildtool.engine.explain import explain as explain_plan

    plan = make_plan(project, target_name)
    with open_context(plan.state, listener) as context:
        return explain_plan(plan, context)


def last_build(project: Project, target_name: str) -> tuple[Explanation, ...] | None:
    """What the last build of `target_name` did; None when it is not known."""
    from buildtool.engine.explain import last_build as read_last_build

    find_target(project, target_name)
    return read_last_build(project.state / "state", target_name)


def project_lock(project: Project, listener: Listener) -> contextlib.AbstractContextManager[None]:
    """Keep other processes out of the project's build trees, outputs and releases."""

    def waiting() -> None:
        listener(Note("waiting for another buildtool in this project"))

    return locked(project.state / "build.lock", waiting)


def prepare_editors(
    project: Project, target_name: str, arch: str, listener: Listener
) -> tuple[tuple[Written, ...], int]:
    """Write what editors need; see `ide.prepare`."""
    from buildtool.ide import prepare

    with (
        project_lock(project, listener),
        open_context(project.state / "state", listener) as context,
    ):
        plan_of = partial(make_plan, project)
        return prepare.prepare_editors(project, target_name, arch, plan_of, context)


def deploy(
    project: Project,
    device_name: str,
    choice: DeviceChoice,
    listener: Listener,
    options: Options | None = None,
) -> Deployed:
    """Build, make the release, and make it current on the device."""
    from buildtool.deploy.deploy import deploy as deploy_release

    with (
        _ready(project, device_name, choice, listener, options) as (ready, _, _),
        _lock(ready.site.device, f"deploy of {project.name}", choice, listener) as lock,
    ):
        lock.hold()
        return deploy_release(ready, verify_files=choice.verify)


def run(
    project: Project,
    device_name: str,
    request: RunRequest,
    *,
    choice: DeviceChoice,
    listener: Listener,
    options: Options | None = None,
    streams: Streams | None = None,
    record: RunRecord | None = None,
) -> RunResult:
    """Build, make the release, bring it onto the device if it is not there, and run a program of
    it; `streams` as in `deploy.run.run`.  `record` gets to know what happens."""
    from buildtool.deploy.run.attended import run_attended, with_ports

    purpose = request.command[0] if request.command else f"run of {project.name}"
    with (
        with_ports(device_name, request, listener) as forwarding,
        _ready(project, device_name, choice, listener, options, record=record) as (ready, renew, _),
        _lock(ready.site.device, purpose, choice, listener) as lock,
        forwarding(ready.site.device) as ports,
    ):
        start = partial(run_attended, project, ready, request, listener, choice=choice)
        done = start(renew=renew, lock=lock, streams=streams, record=record)
        return done._replace(forward=ports)


def test(
    project: Project,
    device_name: str,
    patterns: Sequence[str],
    *,
    timeout: float,
    choice: DeviceChoice,
    listener: Listener,
    options: Options,
    shard: str,
) -> TestRun:
    """Build, and run the tests that `patterns` select, all of them without patterns, on a device.

    Tests without a timeout of their own have `timeout` seconds; `shard` is a part of the tests, as
    in "2/3", and "" all of them.
    """
    from buildtool.testing.shard import in_shard, parse_shard
    from buildtool.testing.suites import find_suites, no_tests, run_suites, select

    part = parse_shard(shard) if shard else None

    with device_session(project, device_name, choice, listener, options, trees=True) as session:
        selected = select(find_suites(project, timeout, session), patterns)
        done = run_suites(in_shard(selected, part) if part else selected, session, listener)
        if not done.tests and not part:
            raise no_tests()
        return done


def list_tests(
    project: Project,
    device_name: str,
    patterns: Sequence[str],
    *,
    choice: DeviceChoice,
    listener: Listener,
    options: Options,
) -> list[tuple[str, str]]:
    """Suite and name of the tests that `patterns` select.  Those of CTest are known after a build;
    programs that tell the names of theirs run on the device."""
    from buildtool.testing.ctest import may_have_tests
    from buildtool.testing.suites import TIMEOUT, find_suites, names_of

    if not may_have_tests(project):
        return names_of(find_suites(project, TIMEOUT), patterns)
    with device_session(project, device_name, choice, listener, options, trees=True) as session:
        return names_of(find_suites(project, TIMEOUT, session), patterns)


@contextlib.contextmanager
def device_session(
    project: Project,
    device_name: str,
    choice: DeviceChoice,
    listener: Listener,
    options: Options,
    *,
    trees: bool = False,
) -> Iterator[Session]:
    """Build, make the release, and run programs of it on a device for the block; with `trees` also
    the tests of the build trees of the ARM64 side, which are built for that."""
    from buildtool.testing.ctest import may_have_tests
    from buildtool.testing.session import Session

    trees = trees and may_have_tests(project)
    prepared = _ready(project, device_name, choice, listener, options, trees=trees)
    with (
        prepared as (ready, renew, build),
        _lock(ready.site.device, f"tests of {project.name}", choice, listener) as lock,
    ):
        lock.hold()
        yield Session(project, ready, renew, choice, build=build, options=options, lock=lock)


def rollback(
    project: Project, device_name: str, choice: DeviceChoice, listener: Listener
) -> tuple[str, str]:
    """Make the release current on the device that was deployed before; returns the ids of the
    former one and of this one."""
    from buildtool.deploy.ready import select, site_on
    from buildtool.deploy.site import rollback as roll_back

    site = site_on(project, select(project, device_name, choice), listener)
    with _lock(site.device, f"rollback of {project.name}", choice, listener) as lock:
        lock.hold()
        return roll_back(site)


def _lock(device: Device, purpose: str, choice: DeviceChoice, listener: Listener) -> DeviceLock:
    from buildtool.deploy.sharing.lock import DeviceLock

    return DeviceLock(device, purpose, listener, wait=choice.wait, share=choice.share)


@contextlib.contextmanager
def _ready(
    project: Project,
    device_name: str,
    choice: DeviceChoice,
    listener: Listener,
    options: Options | None,
    *,
    trees: bool = False,
    record: RunRecord | None = None,
) -> Iterator[tuple[Ready, Callable[[], Ready], BuildResult]]:
    """Build what the device needs, and find out where it goes there; also returns a function that
    finds it out again, and what was built.  With `trees`, steps of the ARM64 side whose build trees
    are missing are built, and not restored from a cache.  `record` gets what was built."""
    from buildtool.deploy.ready import make_ready, select

    selected = select(project, device_name, choice)
    project = with_options(
        project, selected.target, build_type=choice.build_type, strict_isa=choice.strict_isa
    )
    with contextlib.ExitStack() as stack:
        with _open_target(project, selected.target, listener, options) as (plan, context):
            host = (step.name for step in plan.cmake_steps if trees and not step.arch)
            build, release = _build_release(plan, context._replace(trees=frozenset(host)))
            release = stack.enter_context(in_use(release))
            if record:
                record.built = build, release
            data = _data(project, context)
        prepare = partial(make_ready, project, selected, release, listener, data=data)
        yield prepare(), partial(prepare, refresh=True), build


def _data(project: Project, context: BuildContext) -> tuple[DataFile, ...]:
    if not project.data:
        return ()
    from buildtool.deploy.data.files import find_data

    return find_data(project, context.file_states, context.listener)


def pull_sysroot(
    device_name: str, *, name: str, libc: bool, soc_name: str, listener: Listener
) -> tuple[Sysroot, bool]:
    """Fetch the sysroot of `device_name`: `sim`, a device of `devices.toml`, or a directory;
    `soc_name` is for `sim`.

    Returns it and whether it changed.  It is called `name`, by default as the device is.
    """
    from buildtool.deploy.sysroot.pull import pull
    from buildtool.deploy.sysroot.source import open_source

    device, known_as = open_source(device_name, soc_name, listener)
    name = name or known_as
    return pull(
        device,
        name,
        libc=libc,
        waiting=lambda: listener(Note(f"waiting for another pull of {name}")),
    )
