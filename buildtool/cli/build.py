"""`buildtool build [TARGET]`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from buildtool.cli.options import Json, here, print_json

if TYPE_CHECKING:
    from buildtool.build.plan import Plan
    from buildtool.release.stage import Staged


def build(
    target: Annotated[str, typer.Argument(help="Target of buildtool.toml.")] = "",
    *,
    plan: Annotated[bool, typer.Option("--plan", help="Print the steps; do nothing.")] = False,
    jobs: Annotated[
        int, typer.Option("--jobs", "-j", min=0, help="Commands at once, of all steps together.")
    ] = 0,
    keep_going: Annotated[
        bool,
        typer.Option("--keep-going", "-k", help="After a failure build what does not need it."),
    ] = False,
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Print all that the tools print.")
    ] = False,
    build_type: Annotated[
        str, typer.Option(help="CMake's build type, in place of the target's: Debug, Release, ...")
    ] = "",
    launcher: Annotated[
        str, typer.Option(help="Compiler launcher of both sides: ccache, sccache, ... or none.")
    ] = "",
    json: Json = False,
) -> None:
    """Build everything that a target ships: the ARM64 side and its skels."""
    from buildtool import flow
    from buildtool.build.building import Options
    from buildtool.cli.screen import Screen
    from buildtool.project.read import find_project

    project = find_project(here())
    name = target or project.header.default_target
    if build_type:
        project = flow.with_build_type(project, name, build_type)
    if plan:
        steps = flow.plan(project, name)
        print_json(steps.as_json()) if json else _show_plan(steps)
        return
    options = Options(jobs=jobs, keep_going=keep_going, launcher=launcher)
    built, staged = flow.stage(project, name, Screen(verbose=verbose), options)
    if json:
        print_json({**built.as_json(), "stage": str(staged.directory), "id": staged.id})
    else:
        _show_staged(staged)


def _show_plan(plan: Plan) -> None:
    print(f"target {plan.target}:")
    for number, step in enumerate(plan.steps, 1):
        print(f"  {number}. {step.name}: build {step.summary}")
        print(f"     from {step.source}")
        print(f"     in   {step.tree}")
    print(f"  staged in {plan.stage}")


def _show_staged(staged: Staged) -> None:
    for path in sorted(staged.directory.rglob("*")):
        if path.is_file():
            name = str(path.relative_to(staged.directory))
            print(f"{name:<44} {path.stat().st_size:>12,} B")
    print(f"in {staged.directory}")
