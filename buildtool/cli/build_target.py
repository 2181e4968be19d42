"""`buildtool build` without its options: most builds have none, and need no typer."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from buildtool import flow
from buildtool.cli.screen import Screen
from buildtool.cli.show import show, show_files
from buildtool.engine.context import Options
from buildtool.project.read import find_project

if TYPE_CHECKING:
    from buildtool.plan.plan import Plan
    from buildtool.release.slices import Release


def build_target(
    target: str = "",
    *,
    plan: bool = False,
    verbose: bool = False,
    build_type: str = "",
    strict_isa: bool = False,
    as_json: bool = False,
    options: Options | None = None,
) -> None:
    """Build everything that `target` ships ("": the project's default), and print the result.

    With `plan` only print the steps.
    """
    project = find_project(Path.cwd())
    name = target or project.header.default_target
    project = flow.with_options(project, name, build_type=build_type, strict_isa=strict_isa)
    if plan:
        steps = flow.make_plan(project, name)
        if as_json:
            _print_json(steps.as_json())
        else:
            _show_plan(steps)
        return
    build, release = flow.build_release(project, name, Screen(verbose=verbose), options)
    if as_json:
        from buildtool.engine.report import build_document

        document = build_document(build)
        _print_json(
            {**document, "directory": str(release.directory), "release": release.id, "error": None}
        )
    else:
        _show_release(release)


def _print_json(document: Mapping[str, Any]) -> None:
    from buildtool.cli.options import print_json  # imports typer, already loaded if --json is given

    print_json(document)


def _show_plan(plan: Plan) -> None:
    show(f"target {plan.target}:")
    for number, step in enumerate(plan.steps, 1):
        show(f"  {number}. {step.name}: build {step.summary}")
        show(f"     from {step.source}")
        show(f"     in   {step.directories[0]}")
    show(f"  release in {plan.release}")


def _show_release(release: Release) -> None:
    show_files(release.directory)
    show(f"in {release.directory}")
