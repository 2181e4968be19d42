"""Whether skels keep the limits of code and data in `[budget.NAME]`."""

from __future__ import annotations

import contextlib
from collections import Counter
from typing import TYPE_CHECKING

from buildtool.core.elf.read import ElfError, read_memory_sizes
from buildtool.core.errors import BuildtoolError
from buildtool.project.model import Project
from buildtool.release.slices import HOST, Release
from buildtool.run.budget_names import check_budgets
from buildtool.run.budgets import BudgetSubject, BudgetVerdict, Uses, judge

if TYPE_CHECKING:
    from buildtool.engine.result import BuildResult


class BudgetError(BuildtoolError):
    """A skel has more code or data than its budget allows."""

    code = "budget"


def sizes_of(release: Release) -> Uses:
    """The bytes of code and data in memory that the files of each skel have, as "SKEL/ARCH", and as
    "SKEL" for the arch with most."""
    found: dict[str, Counter[str]] = {}
    for part in release.slices:
        for file in part.files if part.name != HOST else ():
            with contextlib.suppress(OSError, ElfError):
                code, data = read_memory_sizes(release.directory / file.path)
                _, _, step = file.step.partition("/")
                found.setdefault(step, Counter()).update({"code": code, "data": data})
    most: dict[str, Counter[str]] = {}
    for name, sizes in found.items():
        most[name.rpartition("/")[0]] = most.get(name.rpartition("/")[0], Counter()) | sizes
    return {**found, **most}


def judge_sizes(project: Project, release: Release) -> tuple[BudgetVerdict, ...]:
    """The verdicts on all limits of skels that `release` has."""
    if not project.budgets:
        return ()
    subject = BudgetSubject(project, "build", release.target, release.id)
    return judge(subject, (), sizes_of(release))


def check_sizes(project: Project, build: BuildResult, release: Release) -> None:
    """Raise `BudgetError` if a skel of `release`, which `build` made, is too large, `UsageError`
    for a budget that means nothing."""
    check_budgets(project, None)
    exceeded = [verdict for verdict in judge_sizes(project, release) if verdict.exceeded]
    if not exceeded:
        return
    from buildtool.engine.report import build_document  # noqa: PLC0415 - rarely needed

    (message, *rest), *others = (list(verdict.lines()) for verdict in exceeded)
    error = BudgetError(
        message,
        why="\n".join([*map(str.strip, rest), *(line for lines in others for line in lines)]),
        remedy="Make it smaller, or raise the limit in buildtool.toml.",
    )
    error.document = build_document(build)
    raise error
