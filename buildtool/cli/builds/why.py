"""`buildtool why [TARGET]`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from buildtool.cli.options import BuildType, Json, StrictIsa, TargetName
from buildtool.cli.parameters import Option
from buildtool.cli.show import print_json, show
from buildtool.core.errors import UsageError

if TYPE_CHECKING:
    from buildtool.documents.builds import WhyDocument
    from buildtool.engine.decide import Explanation
    from buildtool.engine.result import Reason

SHOWN = 10
"""How many reasons are shown for a step without --all."""


def why(
    target: TargetName = "",
    *,
    last: Annotated[
        bool, Option("--last", "Explain the last build instead of the next one.")
    ] = False,
    build_type: BuildType = "",
    strict_isa: StrictIsa = False,
    every: Annotated[bool, Option("--all", "Print all reasons instead of ten.")] = False,
    json: Json = False,
) -> None:
    """Explain, step by step, what a build would do now and why."""
    from buildtool.cli.screen import Screen
    from buildtool.flow.targets import explain, last_build
    from buildtool.project.model import with_options
    from buildtool.project.read import find_project

    project = find_project(Path.cwd())
    name = target or project.header.default_target
    project = with_options(project, name, build_type=build_type, strict_isa=strict_isa)
    if last:
        rows = last_build(project, name)
        if rows is None:
            raise UsageError(
                f"no build of {name!r} is recorded",
                why=f"there is no record of it in {project.state}",
                remedy=f"buildtool build {name}",
            )
    else:
        rows = explain(project, name, Screen())
    if json:
        document: WhyDocument = {"target": name, "steps": [row.as_json() for row in rows]}
        print_json(document)
        return
    for row in rows:
        _show(row, sys.maxsize if every else SHOWN)


def _show(row: Explanation, shown: int) -> None:
    words = {
        "up-to-date": "up to date",
        "restored": f"restored from the {row.origin} cache",
        "built": "rebuilt",
        "waits": f"waits for {row.waits_for}, which is rebuilt",
        "failed": "failed",
        "skipped": "skipped, as another step failed",
        "interrupted": "interrupted by Ctrl-C",
    }
    show(f"{row.name}: {words.get(row.outcome, row.outcome)}")
    _show_reasons(row.reasons, shown)
    if row.nearest and row.nearest != row.reasons:
        show(
            "    the one state of it in the cache differs:"
            if row.known == 1
            else f"    of {row.known} states of it in the cache the most similar one differs:"
        )
        _show_reasons(row.nearest, shown, "      ")


def _show_reasons(reasons: Sequence[Reason], shown: int, margin: str = "    ") -> None:
    from buildtool.inputs import roots

    for reason in reasons[:shown]:
        text = roots.shown(reason.text).replace("\n", "\\n")
        show(margin + text)
    if len(reasons) > shown:
        show(f"{margin}and {len(reasons) - shown} more (--all)")
