"""Writes limits into the project file, and leaves everything else in it as it is."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping

from buildtool.core.errors import UsageError
from buildtool.core.files import write_if_changed
from buildtool.project.budgets import COUNTS, Budget
from buildtool.project.model import Project
from buildtool.project.read import ProjectError, parse_project
from buildtool.project.tables import NAME, read_toml

Limits = Mapping[str, Mapping[str, int]]
"""Limits by the names of budgets and their keys."""


def new_limits(
    budgets: Mapping[str, Budget], bench: str, uses: Limits, sizes: Limits, margin: float
) -> Limits:
    """The limits for what a run of `bench` needed, and each skel of its release, with `margin`
    percent more: of those in `budgets`, the keys that are there; others if a table for the same
    method or skel is missing."""
    found = {bench: dict(uses[bench])}
    for name, numbers in uses.items():
        method = name.removeprefix(f"{bench}/")
        if method != name and method not in budgets:
            found[name] = {"packets": numbers["packets"]}
    for name, numbers in sizes.items():
        if "/" in name and name.rpartition("/")[0] not in budgets:
            found[name] = dict(numbers)
    for name, budget in budgets.items():
        numbers = uses.get(name) or sizes.get(name) or {}
        found.setdefault(name, {}).update(
            {key: numbers[key] for key in budget.limits if key in numbers}
        )
    limits = {
        name: {
            key: math.ceil(round(number * (1 + margin / 100), 6))
            for key, number in numbers.items()
            if number > 0 or (number == 0 and key in ("code", "data"))
        }
        for name, numbers in found.items()
    }
    return {name: keys for name, keys in limits.items() if keys}


def write_limits(project: Project, limits: Limits) -> Project:
    """Write `limits` into the project file, over those that it has; returns the project with them.

    Raises `UsageError` if its tables have a form that is not changed here.
    """
    file = (project.root / "buildtool.toml").resolve()
    fresh = with_limits(read_toml(file, ProjectError), limits)
    try:
        changed = parse_project(project.root / "buildtool.toml", fresh)
    except (ValueError, ProjectError) as error:  # as with inline tables
        raise _by_hand(project, str(error)) from error
    found = {name: budget.limits for name, budget in changed.budgets.items()}
    if any(found.get(name, {}) != {**found.get(name, {}), **keys} for name, keys in limits.items()):
        raise _by_hand(project, "the result would have other limits")
    write_if_changed(file, fresh, mode=file.stat().st_mode & 0o777)
    return project._replace(budgets=changed.budgets)


def _by_hand(project: Project, why: str) -> UsageError:
    return UsageError(
        f"the budgets in {project.root / 'buildtool.toml'} have a form that is not changed here",
        why=why,
        remedy="Write each as a table of its own: [budget.NAME]",
    )


def with_limits(text: str, limits: Limits) -> str:
    """The text of a project file with these limits, and everything else as it was."""
    lines = text.splitlines(keepends=True)
    if lines and not lines[-1].endswith("\n"):
        lines[-1] += "\n"
    for name, keys in limits.items():
        quoted = rf"(?:\"{re.escape(name)}\"|'{re.escape(name)}'|{re.escape(name)})"
        header = re.compile(rf"[ \t]*\[[ \t]*budget[ \t]*\.[ \t]*{quoted}[ \t]*\]")
        at = next((at for at, line in enumerate(lines) if header.match(line)), None)
        if at is None:
            shown = name if re.fullmatch(NAME, name) and "." not in name else f'"{name}"'
            lines += ["\n" if lines else "", f"[budget.{shown}]\n"]
            at = len(lines) - 1
        for key, limit in keys.items():
            _set(lines, at, key, limit)
    return "".join(lines)


def _set(lines: list[str], header: int, key: str, limit: int) -> None:
    """Set a key of the table that begins at the line `header`."""
    value = f"{limit:_}" if key in COUNTS else f'"{limit}"'
    at = last = header
    for at in range(header + 1, len(lines)):
        if lines[at].lstrip().startswith("["):
            break
        if found := re.match(rf"([ \t]*{key}[ \t]*=[ \t]*)[^#\n]*?([ \t]*(?:#.*)?\n)", lines[at]):
            lines[at] = f"{found[1]}{value}{found[2]}"
            return
        if re.match(r"[ \t]*[a-z]", lines[at]):
            last = at
    lines.insert(last + 1, f"{key} = {value}\n")
