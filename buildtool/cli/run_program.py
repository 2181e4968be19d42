"""`buildtool run` without its options: most runs have none, and need no typer."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from buildtool import flow
from buildtool.cli.screen import Screen
from buildtool.core.errors import UsageError
from buildtool.deploy.ready import DeviceChoice
from buildtool.deploy.run.program import NO_VARIABLES, RunRequest
from buildtool.project.model import Project, Run
from buildtool.project.read import find_project
from buildtool.project.runs import DURATION_FORM, seconds
from buildtool.project.validate import suggest

if TYPE_CHECKING:
    from buildtool.engine.context import Options

ANY = DeviceChoice()
FARF_LEVELS = "0x1f001f"
"""All levels of messages in the DSP's library and in skels; see log_config.c of libcdsprpc."""


def run_program(
    device: str = "sim",
    name: str = "",
    *,
    command: Sequence[str] = (),
    env: Sequence[str] = (),
    cwd: str = "",
    timeout: str = "",
    pull: Sequence[str] = (),
    farf: bool = False,
    terminal: bool = False,
    choice: DeviceChoice = ANY,
    verbose: bool = False,
    as_json: bool = False,
    options: Options | None = None,
) -> int:
    """Build and push what changed, run a program on `device`, and return its status.

    `name` is a named run of the project; `command`, the variables `env` and the other arguments add
    to it or take the place of its own.  Without any it runs the target's only program.
    """
    project = find_project(Path.cwd())
    named = _named(project, name)
    request = RunRequest(
        command=tuple(command) or ((named.program, *named.args) if named else ()),
        env={**_named_env(named), **dict(_variable(text) for text in env)},
        cwd=cwd or (named.cwd if named else ""),
        timeout=_seconds(timeout or (named.timeout if named and not choice.debug else "")),
        terminal=terminal,
        farf=FARF_LEVELS if farf or (named and named.farf) else "",
        pull=dict(_pulled(text) for text in (*(named.pull if named else ()), *pull)),
    )
    result = flow.run(
        project,
        device,
        request,
        choice=choice,
        listener=Screen(quiet=True, verbose=verbose),
        options=options,
        stdout=sys.stderr.fileno() if as_json else None,
    )
    if as_json:
        from buildtool.cli.options import print_json

        print_json(result.as_json())
    return result.status


def _named(project: Project, name: str) -> Run | None:
    if not name:
        return None
    if found := project.runs.get(name):
        return found
    raise UsageError(
        f"there is no run {name!r} in the project",
        why="a program is named after --, a named run of buildtool.toml before it",
        remedy=suggest(name, project.runs)
        if project.runs
        else f"Add [run.{name}] to buildtool.toml, or write: buildtool run DEVICE -- {name}",
    )


def _named_env(named: Run | None) -> Mapping[str, str]:
    if not named:
        return NO_VARIABLES
    return {
        name: str(value).lower() if isinstance(value, bool) else str(value)
        for name, value in named.env.items()
    }


def _variable(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise UsageError(
            f"--env {text}: a variable has the form NAME=VALUE", remedy="For example: --env N=4096"
        )
    return name, value


def _pulled(text: str) -> tuple[str, str]:
    """FILE or FILE:HERE as a path on the device and a path here."""
    there, _, here = text.partition(":")
    return there, here or Path(there).name


def _seconds(text: str) -> float:
    if not text:
        return 0
    try:
        return seconds(text)
    except ValueError as error:
        raise UsageError(f"--timeout: {error}", remedy=DURATION_FORM) from error
