"""`buildtool build [TARGET]`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

from buildtool import first_look
from buildtool.cli.options import BuildOptions, Json, NoCache, TargetName, wait_seconds
from buildtool.cli.parameters import Option
from buildtool.cli.screen import Screen
from buildtool.cli.show import print_json, show, show_files
from buildtool.core.errors import UsageError
from buildtool.engine.result import StepOutcome
from buildtool.flow.targets import build_release, count_compilations, make_plan
from buildtool.plan.plan import Plan
from buildtool.project.model import with_options
from buildtool.project.read import find_project


def build(
    target: TargetName = "",
    *,
    plan: Annotated[bool, Option("--plan", "Print the steps; build nothing.")] = False,
    shard: Annotated[
        str,
        Option("--shard", "Build part I of N of the steps, for the remote cache: 2/3.", "I/N"),
    ] = "",
    wait: Annotated[
        str,
        Option("--wait", "Wait at most TIME for a step of another shard; default: 10m.", "TIME"),
    ] = "",
    options: BuildOptions = BuildOptions(),
    no_cache: NoCache = False,
    json: Json = False,
) -> None:
    """Build what a target ships: its ARM64 side and its skels."""
    project = find_project(Path.cwd())
    name = target or project.header.default_target
    project = with_options(
        project, name, build_type=options.build_type, strict_isa=options.strict_isa
    )
    if plan and shard:
        raise UsageError("--plan cannot be used with --shard", remedy="Omit one of them.")
    if wait and not shard:
        raise UsageError("--wait is for --shard I/N", remedy="Omit --wait.")
    if plan:
        steps = make_plan(project, name)
        compilations = count_compilations(steps)
        if json:
            print_json(steps.as_json(compilations))
        else:
            _show_plan(steps, compilations)
        return
    screen = Screen(verbose=options.verbose)
    engine_options = options.for_engine(use_caches=not no_cache)
    if shard:
        from buildtool.engine.report import build_document
        from buildtool.flow.shards import build_shard

        done, summary = build_shard(
            project,
            name,
            shard,
            wait=wait_seconds(wait or "10m"),
            listener=screen,
            options=engine_options,
        )
        if json:
            print_json(build_document(done))
        else:
            show(summary)
        return
    done, release = build_release(project, name, screen, engine_options)
    if project.budgets:
        from buildtool.run.size_budgets import check_sizes

        check_sizes(project, done, release)
    if all(step.outcome is StepOutcome.UP_TO_DATE for step in done.steps):
        first_look.keep_in(done.plan.state)
    if json:
        from buildtool.engine.report import build_document

        document = build_document(done)
        document.update({"directory": str(release.directory), "release": release.id})
        print_json(document)
    else:
        show_files(release.directory)
        show(f"in {release.directory}")


def _show_plan(plan: Plan, compilations: Mapping[str, int]) -> None:
    show(f"target {plan.target}:")
    for number, step in enumerate(plan.steps, 1):
        show(f"  {number}. {step.name}: build {step.summary}")
        show(f"     from {step.source}")
        show(f"     in   {step.directories[0]}")
        if step.name in compilations:
            show(f"     compilations: {compilations[step.name]}")
    show(f"  release in {plan.release}")
