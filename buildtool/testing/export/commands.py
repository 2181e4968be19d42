"""The tests of a project as commands that run on a device without buildtool."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from buildtool.plan.plan import CMakeStep
from buildtool.project.model import Project
from buildtool.project.runs import seconds
from buildtool.release.slices import Release
from buildtool.run.program import find_command, variables
from buildtool.testing.ctest.tests import ListedTest, strings
from buildtool.testing.deployment import PathMap, directories
from buildtool.testing.export.exported import ROOT, ExportedTest
from buildtool.testing.suites import SUITE

NEEDS_CTEST = (
    *("PASS_REGULAR_EXPRESSION", "FAIL_REGULAR_EXPRESSION", "SKIP_REGULAR_EXPRESSION"),
    *("TIMEOUT_AFTER_MATCH", "ENVIRONMENT_MODIFICATION", "REQUIRED_FILES"),
    *("FIXTURES_REQUIRED", "FIXTURES_SETUP", "FIXTURES_CLEANUP", "DEPENDS"),
)
"""Properties of tests that CTest itself has to act on."""


def programs_as_commands(
    project: Project, release: Release, timeout: float
) -> Iterator[ExportedTest]:
    """The tests of the project file; those without a timeout have `timeout` seconds.

    Raises `ProgramError` for a program that the release does not have.
    """
    for name, test in project.tests.items():
        if test.pytest:
            yield ExportedTest(name, name, left_out="pytest runs on this machine")
            continue
        yield ExportedTest(
            SUITE,
            name,
            timeout=seconds(test.timeout) if test.timeout else timeout,
            command=find_command(release, (test.program, *test.args), emulated=False),
            cwd=test.cwd,
            env=variables(test.env),
        )


def ctest_as_commands(
    step: CMakeStep, tests: Sequence[ListedTest], timeout: float
) -> Iterator[ExportedTest]:
    """The CTest suite of the component that `step` builds."""
    paths = PathMap(directories(step))
    there = PathMap({here: f"{ROOT}/{path}" for here, path in directories(step).items()})
    for test in tests:
        known = ExportedTest(step.component, test.name)
        program = paths.path(test.launched[0]) if test.launched else ""
        if test.properties.get("DISABLED"):
            yield known._replace(left_out="disabled")
        elif not program:
            yield known._replace(left_out="its command runs on this machine")
        elif found := [name for name in NEEDS_CTEST if test.properties.get(name)]:
            yield known._replace(left_out=f"{found[0]} needs CTest")
        else:
            yield known._replace(
                timeout=test.timeout or timeout,
                command=(program, *map(there.text, test.launched[1:])),
                cwd=paths.path(test.working_directory or str(step.tree)),
                env=_environment(test, there),
                will_fail=test.will_fail,
                skip_status=test.skip_status,
            )


def _environment(test: ListedTest, there: PathMap) -> Mapping[str, str]:
    pairs = (pair.partition("=") for pair in strings(test.properties.get("ENVIRONMENT")))
    return {name: there.text(value) for name, _, value in pairs}
