"""Puts the sections of a report together."""

from __future__ import annotations

from buildtool.core.value import Value
from buildtool.project.model import Project
from buildtool.report import benches, builds, devices, sizes, tests
from buildtool.report.blocks import Section
from buildtool.report.profiles import profiles_section


class Report(Value):
    """The report of `project`, made at `made` in seconds since the epoch."""

    project: str
    made: float
    sections: tuple[Section, ...]


def make_report(project: Project, made: float) -> Report:
    """The report of all that is recorded of `project`, and the cards of this user's devices."""
    state = project.state
    built, build_problems = builds.read_builds(state)
    released, release_problems = sizes.read_releases(state)
    tested, test_problems = tests.read_tests(state)
    failed_runs, run_problems = tests.read_failed_runs(state)
    failures = [*builds.failures_of(built), *tests.failures_of(tested), *failed_runs]
    revisions = {each.release: each.revision for each in reversed(released)}
    sections = (
        builds.builds_section(built, build_problems),
        tests.tests_section(tested, test_problems),
        tests.failures_section(failures, run_problems),
        sizes.sizes_section(released, release_problems),
        benches.benches_section(*benches.read_benches(state), revisions),
        devices.devices_section(*devices.read_cards()),
        profiles_section(state),
    )
    return Report(project.name, made, sections)
