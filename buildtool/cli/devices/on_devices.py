"""`--on` of `run`, `deploy` and `test`: the same command on several devices, in parallel.

Each device has a process of its own, `buildtool run DEVICE`: signals, streams and crashes of one
device do not affect the others.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from buildtool import flow
from buildtool.cli import INTERRUPTED
from buildtool.cli.devices.device_processes import Child, attend, child_of, prefix
from buildtool.cli.devices.run import find_named_run
from buildtool.cli.options import BuildOptions, not_with_on
from buildtool.cli.screen import Screen
from buildtool.cli.show import print_json, show
from buildtool.cli.table import Table
from buildtool.core.events import Listener
from buildtool.core.value import Value
from buildtool.deploy.ready import DeviceChoice, target_on
from buildtool.device.selection import Chosen, select_devices
from buildtool.device.sharing.reserved import ReservedDevices
from buildtool.engine.context import Options
from buildtool.project.model import Project
from buildtool.project.read import find_project

if TYPE_CHECKING:
    from buildtool.documents.on_devices import OnDevicesDocument

SHOWN_DIGITS = 16


def check_run(name: str) -> None:
    """Raise `UsageError` unless the project has a named run that can be on several devices."""
    named = find_named_run(find_project(Path.cwd()), name)
    if named.pull or named.forward:
        raise not_with_on(f"the key {'pull' if named.pull else 'forward'} of [run.{name}]")


def on_devices(
    text: str, words: Sequence[str], choice: DeviceChoice, build: BuildOptions, *, as_json: bool
) -> int:
    """Run the command line `words`, which had `--on` with the devices `text`, on each of them.

    Returns 0, 1 when a status is not 0, and 130 after Ctrl-C.  Raises what can be said before.
    """
    done = run_on_devices(text, words, choice, build, documents=as_json)
    if as_json:
        print_json(done.as_json())
    else:
        _show_table(done.children)
    return done.status


class OnDevices(Value):
    """The results of a command on several devices."""

    children: tuple[Child, ...]
    interrupted: bool

    @property
    def ok(self) -> bool:
        return not any(child.status for child in self.children)

    @property
    def status(self) -> int:
        return INTERRUPTED if self.interrupted else int(not self.ok)

    def as_json(self) -> OnDevicesDocument:
        return {"ok": self.ok, "devices": [child.as_json() for child in self.children]}


def run_on_devices(
    text: str,
    words: Sequence[str],
    choice: DeviceChoice,
    build: BuildOptions,
    *,
    documents: bool,
    shards: bool = False,
) -> OnDevices:
    """As `on_devices`, without printing a result.  With `documents` the standard output of each
    process is its document; with `shards`, devices of one target get `--shard`, too."""
    project = find_project(Path.cwd())
    listener = Screen(quiet=True, verbose=build.verbose)
    with contextlib.ExitStack() as stack:
        purpose = f"{words[0]} of {project.name}"
        reserved = stack.enter_context(ReservedDevices(project, purpose, listener))
        devices = select_devices(text, project, reserved.reserve, listener, wait=choice.wait)
        targets = _targets(project, devices, choice)
        releases = _build(project, targets, choice, listener, build.for_engine())
        shown = (sys.stderr,) if documents else (sys.stdout, sys.stderr)
        names = [str(chosen) for chosen in devices]
        children = [
            stack.enter_context(
                child_of(
                    [*words, *(_shard(targets, number) if shards else ())],
                    chosen,
                    releases[targets[number]],
                    reserved.locks.get(chosen.name),
                    {stream: prefix(names, number, stream) for stream in shown},
                )
            )
            for number, chosen in enumerate(devices)
        ]
        return OnDevices(tuple(children), attend(children))


def _shard(targets: Sequence[str], number: int) -> list[str]:
    """The part of the tests of its target for device `number`."""
    target = targets[number]
    return ["--shard", f"{targets[:number].count(target) + 1}/{targets.count(target)}"]


def _targets(project: Project, devices: Sequence[Chosen], choice: DeviceChoice) -> list[str]:
    return [
        target_on(project, chosen.name, choice._replace(soc=chosen.soc or choice.soc))
        for chosen in devices
    ]


def _build(
    project: Project,
    targets: Sequence[str],
    choice: DeviceChoice,
    listener: Listener,
    options: Options,
) -> dict[str, str]:
    """The id of the release for each target, after building it."""
    releases = {}
    for target in dict.fromkeys(targets):
        wanted = flow.with_choice(project, target, choice)
        releases[target] = flow.build_release(wanted, target, listener, options)[1].id
    return releases


def _show_table(children: Sequence[Child]) -> None:
    rows = [
        (str(child.chosen), child.release[:SHOWN_DIGITS], str(child.status), f"{child.seconds:.1f}")
        for child in children
    ]
    show(Table(("device", "release", "status", "seconds"), rows, frozenset({2, 3})).text())
