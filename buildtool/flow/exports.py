"""Tests on devices of other services: `buildtool test --export` and `--import`."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from buildtool.core.errors import UsageError
from buildtool.core.events import Listener, Note
from buildtool.engine.options import Options
from buildtool.flow.preparation import data_of, with_choice
from buildtool.flow.targets import make_release_of, open_target
from buildtool.plan.plan import CMakeStep
from buildtool.project.keys import arch_number
from buildtool.project.model import Project, find_target
from buildtool.project.tables import suggest
from buildtool.release.assemble import in_use

if TYPE_CHECKING:
    from buildtool.deploy.ready import DeviceChoice
    from buildtool.testing.ctest.tests import ListedTest
    from buildtool.testing.export.exported import Export
    from buildtool.testing.results import TestRun


def export_tests(
    project: Project,
    directory: Path,
    service: str,
    patterns: Sequence[str],
    *,
    timeout: float,
    choice: DeviceChoice,
    listener: Listener,
    options: Options,
) -> Export:
    """Build, and write the tests that `patterns` select, all of them without patterns, to
    `directory` for the `service` "NAME:DEVICE,DEVICE".  Raises `UsageError`."""
    from buildtool.testing.ctest.tests import (
        FOLDER,
        CTestError,
        files_of_tests,
        has_tests,
        held_test_release,
        tested_component,
    )
    from buildtool.testing.export.exported import service_of
    from buildtool.testing.export.write import (
        check_directory,
        ctest_as_commands,
        make_export,
        programs_as_commands,
        write_export,
    )
    from buildtool.testing.results import matches, title
    from buildtool.testing.suites import no_tests

    target = choice.target or project.header.default_target
    platform = find_target(project, target).platform
    name, devices = service_of(service, platform)
    check_directory(directory)
    project = with_choice(project, target, choice)
    with contextlib.ExitStack() as stack:
        with open_target(project, target, listener, options) as (plan, context):
            # The programs for the oldest arch run on all DSPs that the release is for.
            archs = sorted({step.arch for step in plan.cmake_steps if step.arch}, key=arch_number)
            tested = (None, *archs[:1])
            steps = [step for step in plan.cmake_steps if step.has_tests and step.arch in tested]
            trees = frozenset(step.name for step in steps)
            _, release = make_release_of(plan, context._replace(trees=trees))
            release = stack.enter_context(in_use(release))
            data = data_of(project, context)

        def list_of(step: CMakeStep) -> Sequence[ListedTest]:
            try:
                return _listed(step)
            except CTestError:
                if not step.arch:
                    raise
                # CTest keeps what they tell in the tree.
                _list_on_sim(project, choice._replace(soc=step.arch), listener, options)
                return _listed(step)

        suites = [(step, list_of(step)) for step in steps if has_tests(step.tree)]
        tests = [*programs_as_commands(project, release, timeout)]
        for step, listed in suites:
            tests += ctest_as_commands(step, listed, timeout)
        for pattern in patterns:
            if not any(matches(test.suite, test.name, [pattern]) for test in tests):
                titles = [title(test.suite, test.name) for test in tests]
                raise UsageError(f"there is no test {pattern!r}", remedy=suggest(pattern, titles))
        tests = [test for test in tests if matches(test.suite, test.name, patterns or "*")]
        if not tests:
            raise no_tests()
        if all(test.left_out for test in tests):
            raise UsageError(
                "no test can run there",
                why="; ".join(f"{test.name}: {test.left_out}" for test in tests[:3]),
                remedy="Run them with buildtool: buildtool test DEVICE",
            )
        for test in tests:
            if test.left_out:
                listener(Note(f"not exported: {test.suite}/{test.name}: {test.left_out}"))
        added = [
            files_of_tests(step, listed, tested_component(project, step).test_files, ())
            for step, listed in suites
        ]
        release = held_test_release(stack, project.state / FOLDER, release, added)
        export = make_export(tests, release, platform, name, devices)
        write_export(export, release, data, directory, project.name)
        return export


def _listed(step: CMakeStep) -> Sequence[ListedTest]:
    """The tests of a build tree.  Programs that tell the names of theirs run on this machine."""
    from buildtool.testing.ctest.tests import CTest

    with tempfile.TemporaryDirectory() as folder:
        ctest = CTest(step.cmake, step.tree, Path(folder))
        ctest.prepare()
        return ctest.tests(os.environ)


def _list_on_sim(
    project: Project, choice: DeviceChoice, listener: Listener, options: Options
) -> None:
    """Let programs for the DSP that tell the names of their tests run on the emulated device."""
    from buildtool.flow.tests import device_session
    from buildtool.testing.ctest.suite import CTestSuites
    from buildtool.testing.suites import TIMEOUT

    with device_session(project, "sim", choice, listener, options, trees=True) as session:
        for suite in CTestSuites(session, TIMEOUT).suites:
            suite.names()


def import_results(project: Project, directory: Path, results: Path) -> list[TestRun]:
    """The results that came back for the export in `directory`, which are recorded, too.

    Raises `UsageError`, `ResultsError`, `ArchiveError` and `OSError`."""
    from buildtool.testing.export.exported import read_list
    from buildtool.testing.export.results import read_results
    from buildtool.testing.results import as_expected, record_tests

    export = read_list(directory)
    runs = []
    with tempfile.TemporaryDirectory() as folder:
        for run in read_results(export, results, Path(folder)):
            tags = frozenset({run.device, run.arch, export.platform} - {""})
            tests = (as_expected(test, project.expected_failures, tags) for test in run.tests)
            runs.append(run._replace(tests=tuple(tests)))
            record_tests(project, runs[-1])
    return runs
