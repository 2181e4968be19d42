"""`buildtool test`: the tests of a project on a device."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from buildtool.core.events import Listener, Note
from buildtool.engine.options import Options
from buildtool.flow.preparation import lock_of, ready_on_device
from buildtool.project.model import Project

if TYPE_CHECKING:
    from buildtool.deploy.ready import DeviceChoice
    from buildtool.testing.results import TestRun
    from buildtool.testing.session import Session


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
    from buildtool.device.configuration import configured_devices
    from buildtool.device.status import LastRun, remember_run
    from buildtool.engine.shards import parse_shard
    from buildtool.testing.budgets import check_budgets_of, unmeasured
    from buildtool.testing.results import record_tests, with_causes, without_devices, without_tests
    from buildtool.testing.suites import find_suites, in_shard, no_tests, run_suites, select

    part = parse_shard(shard) if shard else None
    with device_session(project, device_name, choice, listener, options, trees=True) as session:
        suites = find_suites(project, timeout, session)
        check_budgets_of(project, suites)
        selected = select(suites, patterns)
        done = run_suites(in_shard(selected, part) if part else selected, session, listener)
        if not done.tests and not part:
            raise no_tests()
        if not done.interrupted:
            numbers = len(done.tests), len(done.bad), done.started + done.seconds
            remember_run(session.ready.site.device, LastRun(project.name, *numbers))
        if not (part or patterns or done.interrupted):
            devices, expected = configured_devices(project), project.expected_failures
            for line in (
                *without_devices(project, devices, session.tags),
                *without_tests(expected, session.tags, done.tests),
                *unmeasured(project, done.tests),
            ):
                listener(Note(line))
        done = with_causes(done, session.ready, lambda text: listener(Note(text)))
        record_tests(project, done)
        return done


def list_tests(
    project: Project,
    device_name: str,
    patterns: Sequence[str],
    *,
    choice: DeviceChoice,
    listener: Listener,
    options: Options,
    shard: str,
) -> list[tuple[str, str]]:
    """Suite and name of the tests that `patterns` and `shard` select, as for `test`.  Those of
    CTest are known after a build; programs that tell the names of theirs run on the device."""
    from buildtool.engine.shards import parse_shard
    from buildtool.testing.ctest.tests import may_have_tests
    from buildtool.testing.suites import TIMEOUT, find_suites, in_shard, names_of, select

    part = parse_shard(shard or "1/1")
    with contextlib.ExitStack() as stack:
        session = None
        if may_have_tests(project):
            entered = device_session(project, device_name, choice, listener, options, trees=True)
            session = stack.enter_context(entered)
        return names_of(in_shard(select(find_suites(project, TIMEOUT, session), patterns), part))


@contextlib.contextmanager
def device_session(
    project: Project,
    device_name: str,
    choice: DeviceChoice,
    listener: Listener,
    options: Options,
    *,
    trees: bool = False,
    directory: str = "",
) -> Iterator[Session]:
    """Build, make the release, and run programs of it on a device for the block; with `trees` also
    the tests of the build trees of the ARM64 side, which are built for that.  `directory` is that
    of another session, for which this one runs programs."""
    from buildtool.testing.ctest.tests import may_have_tests
    from buildtool.testing.session import Session, directory_of

    trees = trees and may_have_tests(project)
    prepared = ready_on_device(project, device_name, choice, listener, options, trees=trees)
    with (
        prepared as (ready, build),
        lock_of(ready.site.device, f"tests of {project.name}", choice, listener) as lock,
    ):
        ready.hold(lock)
        own = contextlib.nullcontext(directory) if directory else directory_of(ready, "tests")
        with own as name:
            yield Session(
                *(project, ready, choice), build=build, options=options, lock=lock, directory=name
            )
