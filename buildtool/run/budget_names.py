"""What the tables `[budget.NAME]` may name: programs, methods and skels of the project."""

from __future__ import annotations

from collections.abc import Collection

from buildtool.core.errors import UsageError
from buildtool.project.budgets import OF_SKELS
from buildtool.project.model import Project
from buildtool.project.tables import suggest


def check_budgets(project: Project, others: Collection[str] | None = ()) -> None:
    """Raise `UsageError` for a budget of something that the project does not have, or that cannot
    have such a limit.  `others` are names of tests besides those in the project file; None: they
    are not known, and may be anything."""
    if not project.budgets:
        return
    programs = {*project.benches, *project.tests, *(others or ())}
    programs |= {f"test/{name}" for name in project.tests}
    methods = _methods(project)
    skels = {*project.skels}
    skels |= {f"{name}/{arch}" for name, skel in project.skels.items() for arch in skel.archs}
    parts = {f"{program}/{method}" for program in programs for method in methods}
    for name, budget in project.budgets.items():
        runs = name in programs or name in methods or name in parts
        if not (runs or name in skels) and others is not None:
            known = {*parts, *skels} if "/" in name else {*programs, *methods, *project.skels}
            remedy = suggest(name, sorted(known))
            raise _problem(project, name, "there is nothing of this name", remedy)
        kinds = {key in OF_SKELS for key in budget.limits}
        if runs and name not in skels and True in kinds:
            remedy = f"Move them to the table of the skel. Known: {', '.join(project.skels)}."
            raise _problem(project, name, "code and data are limits of skels", remedy)
        if name in skels and not runs and False in kinds:
            remedy = "Move the others to the table of a method, test or bench."
            raise _problem(project, name, "a skel has limits of code and data only", remedy)


def _problem(project: Project, name: str, what: str, remedy: str) -> UsageError:
    file = project.root / "buildtool.toml"
    return UsageError(f'{file}: [budget."{name}"]: {what}', remedy=remedy)


def _methods(project: Project) -> set[str]:
    """The C names of all methods."""
    from buildtool.idl.errors import IdlError  # noqa: PLC0415 - few projects have budgets
    from buildtool.idl.parse import load  # noqa: PLC0415 - as above

    found = {"callbacks of dspqueue"}
    for skel in project.skels.values():
        try:
            interfaces = load(project.root / skel.idl, ()).interfaces if skel.idl else ()
        except IdlError:
            continue
        found |= {f"{one.c_name}_{method.name}" for one in interfaces for method in one.methods}
    return found
