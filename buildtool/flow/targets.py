"""Commands about targets: plan, build, release, package."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from buildtool.core import beside
from buildtool.core.errors import BuildtoolError, UsageError
from buildtool.core.events import Listener, Note, show_up_to_date, work
from buildtool.core.lock import holder_of, is_locked, locked
from buildtool.drivers.step_drivers import driver_of
from buildtool.engine.context import BuildContext, open_context
from buildtool.engine.decide import Explanation
from buildtool.engine.decide import explain as explain_plan
from buildtool.engine.decide import last_build as read_last_build
from buildtool.engine.executor import (
    check_cdsprpc_needs,
    find_up_to_date,
    run_plan,
)
from buildtool.engine.options import Options
from buildtool.engine.result import BuildResult
from buildtool.plan.plan import Plan, plan_target
from buildtool.project.model import Project, find_target
from buildtool.release.assemble import find_release, in_use, make_release
from buildtool.release.slices import Release
from buildtool.sdk.packaged_tools import find_cmake
from buildtool.toolchains.select_profiles import profiles

if TYPE_CHECKING:
    from buildtool.engine import clean as cleaning
    from buildtool.ide.write_files import Written
    from buildtool.release.package import Packaged

beside.later += (
    "sqlite3",
    "buildtool.engine.report",
    "buildtool.release.contents",
    "buildtool.release.split_debug",
    "buildtool.release.document",
)


def make_plan(project: Project, target_name: str) -> Plan:
    """The plan of building `target_name`; changes nothing.

    Raises `UsageError`, also if there is nothing to build: an empty release would look like a
    successful build.
    """
    target = find_target(project, target_name)
    if not (project.hosts or (project.skels and target.archs)):
        raise _nothing_to_build(project, target_name)
    return _plan(project, target_name)


def count_compilations(plan: Plan) -> dict[str, int]:
    """The number of compilations of those steps that CMake has configured before, by name."""
    from buildtool.drivers.cmake.tree_record import count_compilations as count

    counts = ((step.name, count(step.tree)) for step in plan.cmake_steps)
    return {name: number for name, number in counts if number is not None}


def _plan(project: Project, target_name: str) -> Plan:
    target = find_target(project, target_name)
    cmake = find_cmake(project.tool("cmake"), project.tool("ninja"))
    return plan_target(project, target_name, cmake, *profiles(project, target))


def _nothing_to_build(project: Project, target_name: str) -> UsageError:
    file = project.root / "buildtool.toml"
    if project.skels:
        return UsageError(
            f"the target {target_name!r} has nothing to build",
            why=f"{file} has only skels, and [target.{target_name}] names no DSP arch",
            remedy=f'Add the archs of the skels: archs = ["v68"] in [target.{target_name}]',
        )
    return UsageError(
        f"the target {target_name!r} has nothing to build",
        why=f"{file} has no component: neither [host.NAME] nor [skel.NAME]",
        remedy="Add one, or complete and uncomment those that buildtool init wrote as comments.",
    )


def build_release(
    project: Project, target_name: str, listener: Listener, options: Options | None = None
) -> tuple[BuildResult, Release]:
    """Build `target_name` and make the release of what it ships."""
    with open_target(project, target_name, listener, options) as (plan, context):
        return make_release_of(plan, context)


@contextlib.contextmanager
def open_target(
    project: Project, target_name: str, listener: Listener, options: Options | None
) -> Iterator[tuple[Plan, BuildContext]]:
    """The plan of `target_name` and the context to build it in, with the project's lock held."""
    fetch_packages(project, listener)
    plan = make_plan(project, target_name)
    with (
        project_lock(project, listener),
        open_context(plan.state, driver_of, listener, options) as context,
    ):
        yield plan, context


@contextlib.contextmanager
def open_release(
    project: Project,
    target_name: str,
    listener: Listener,
    options: Options | None,
    stack: contextlib.ExitStack,
    *,
    trees: bool = False,
) -> Iterator[tuple[BuildResult, Release, BuildContext]]:
    """Build `target_name` and make its release, which nobody removes before `stack` ends.

    While another process builds in the project, this waits for it only if there is something to do.
    With `trees`, steps of the ARM64 side whose build trees are missing are built, and not restored
    from a cache.
    """

    def needed_trees(plan: Plan) -> frozenset[str]:
        return frozenset(step.name for step in plan.cmake_steps if trees and step.has_tests)

    if is_locked(_lock_file(project)):
        plan = make_plan(project, target_name)
        with open_context(plan.state, driver_of, listener, options) as context:
            found = _take_finished(plan, context._replace(trees=needed_trees(plan)), stack)
            if found:
                yield (*found, context)
                return
    with open_target(project, target_name, listener, options) as (plan, context):
        build, release = make_release_of(plan, context._replace(trees=needed_trees(plan)))
        yield build, stack.enter_context(in_use(release)), context


def _take_finished(
    plan: Plan, context: BuildContext, stack: contextlib.ExitStack
) -> tuple[BuildResult, Release] | None:
    """The up-to-date release of `plan`, in use until `stack` ends; None if something is to do."""
    directory = plan.release.resolve()
    if not (build := find_up_to_date(plan, context)):
        return None
    if not (release := find_release(build, context.file_states)):
        return None
    with contextlib.suppress(OSError):
        release = stack.enter_context(in_use(release))
        # Others replace the link before they remove a directory that nobody uses.
        if plan.release.resolve() == directory == release.directory:
            show_up_to_date([result.step.name for result in build.steps], context.listener)
            return build, release
    return None


def fetch_packages(project: Project, listener: Listener) -> None:
    """Make the Debian packages of the project ready to be copied, if it has any."""
    if any(host.debian for host in project.hosts.values()):
        from buildtool.debian.packages import prepare_packages

        with project_lock(project, listener):
            prepare_packages(project, listener)


def make_release_of(plan: Plan, context: BuildContext) -> tuple[BuildResult, Release]:
    """Build what `plan` lists and make its release, a second time if a cache restored a step that
    cannot be released."""
    build = run_plan(plan, context)
    try:
        return build, _release_of(build, context)
    except BuildtoolError as error:
        from buildtool.engine.execute_step import reject_restored

        context = reject_restored(build, context, error)
    build = run_plan(plan, context)
    return build, _release_of(build, context)


def _release_of(build: BuildResult, context: BuildContext) -> Release:
    if built := any(step.reasons for step in build.steps):
        from buildtool.release.document import project_revision

        revision = beside.begun(partial(project_revision, build.plan.state.parent.parent))
    try:
        check_cdsprpc_needs(build.steps, context.state / "checked" / build.plan.target)
        release = make_release(build, context.file_states.with_fresh_stats())
    except BuildtoolError as error:
        from buildtool.engine.report import build_document

        error.document = build_document(build)
        raise
    if built:
        from buildtool.engine.report import share_seconds
        from buildtool.release.document import record_release

        record_release(build, release, revision)
        share_seconds(build, context)
    return release


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
    from buildtool.core.processes.interrupts import signals_as_interrupt
    from buildtool.release.document import OUTPUT, find_source
    from buildtool.release.package import (
        Ingredients,
        attest_package,
        check_formats,
        check_output,
        make_package,
    )
    from buildtool.release.supply_chain.licences import licence_files

    target = find_target(project, target_name)
    names = tuple(dict.fromkeys(formats)) or target.formats
    check_formats(names, target)
    output = output or project.root / OUTPUT
    check_output(output)
    if "deb" in names and not project.header.maintainer:
        listener(Note('the deb has no maintainer: set maintainer = "Name <address>" in [project]'))
    source = find_source(project.root, output, lambda text: listener(Note(text)))
    with signals_as_interrupt():
        with open_target(project, target_name, listener, options) as (plan, context):
            build, release = make_release_of(plan, context)
            licences = licence_files(project, build.steps)
            made_of = Ingredients(project, build, release, source, licences)
            with work(f"packaging {target_name}", listener):
                packaged = make_package(made_of, names, output, context.file_states)
                if attest or key:
                    packaged = attest_package(made_of, packaged, key)
        if twice:
            from buildtool.release.reproducible import verify_reproducible

            listener(Note("building a second time, elsewhere and without caches, to compare"))
            with work("building again", listener):
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
            cleaning.of_target(_plan(project, target_name))
            if target_name
            else cleaning.everything(project.state, include_expensive=include_expensive)
        )
        removed = cleaning.remove(project.state, paths)
        if not target_name:
            from buildtool.measure.revisions import forget_worktree

            forget_worktree(project, removed.removed)
        return removed


def explain(project: Project, target_name: str, listener: Listener) -> tuple[Explanation, ...]:
    """The outcome for each step if `target_name` were built now, and the reasons."""
    plan = make_plan(project, target_name)
    with open_context(plan.state, driver_of, listener) as context:
        return explain_plan(plan, context)


def last_build(project: Project, target_name: str) -> tuple[Explanation, ...] | None:
    """The outcome for each step in the last build of `target_name`; None when it is not known."""
    find_target(project, target_name)
    return read_last_build(project.state / "state", target_name)


def project_lock(project: Project, listener: Listener) -> contextlib.AbstractContextManager[None]:
    """Keep other processes out of the project's build trees, outputs and releases."""
    file = _lock_file(project)

    def waiting() -> None:
        holder = f": {name}" if (name := holder_of(file)) else ""
        listener(Note(f"waiting for another buildtool in this project{holder}"))

    return locked(file, waiting)


def _lock_file(project: Project) -> Path:
    return project.state / "build.lock"


def prepare_editors(
    project: Project, target_name: str, arch: str, listener: Listener
) -> tuple[tuple[Written, ...], int]:
    """Write what editors need; see `ide.prepare`."""
    from buildtool.ide import write_files

    fetch_packages(project, listener)

    with (
        project_lock(project, listener),
        open_context(project.state / "state", driver_of, listener) as context,
    ):
        plan_of = partial(make_plan, project)
        return write_files.prepare_editors(project, target_name, arch, plan_of, context)
