"""`buildtool build [TARGET]`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from buildtool.cli.options import Json, here, print_json

if TYPE_CHECKING:
    from buildtool.build.built import Built
    from buildtool.build.plan import Plan


def build(
    target: Annotated[str, typer.Argument(help="Target of buildtool.toml.")] = "",
    *,
    plan: Annotated[bool, typer.Option("--plan", help="Print the steps; do nothing.")] = False,
    json: Json = False,
) -> None:
    """Build everything that a target ships: the ARM64 side and its skels."""
    from buildtool import flow
    from buildtool.cli.screen import Screen
    from buildtool.project.read import find_project

    project = find_project(here())
    name = target or project.header.default_target
    if plan:
        steps = flow.plan(project, name)
        print_json(steps.as_json()) if json else _show_plan(steps)
        return
    built = flow.build(project, name, Screen())
    print_json(built.as_json()) if json else _show_built(built)


def _show_plan(plan: Plan) -> None:
    print(f"target {plan.target}:")
    for number, step in enumerate(plan.steps, 1):
        print(f"  {number}. {step.name}: build {step.summary}")
        print(f"     from {step.source}")
        print(f"     in   {step.tree}")
    print(f"  staged in {plan.stage}")


def _show_built(built: Built) -> None:
    for finished in built.steps:
        for name, path in finished.files.items():
            place = f"dsp/{finished.step.arch}/{path.name}" if finished.step.arch else name
            print(f"{place:<44} {path.stat().st_size:>10,} B")
