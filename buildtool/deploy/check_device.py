"""Checks whether a target's programs can run on a device, from the facts about the device."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from buildtool.deploy.fit import misfits
from buildtool.device.board import Board
from buildtool.device.board_checks import FAULTS, check_board
from buildtool.device.errors import DeviceFinding
from buildtool.device.facts import Facts
from buildtool.project.model import Target
from buildtool.release.slices import HOST, Release, Slice

REQUIRED_TOOLS = (
    *("cat", "chmod", "cp", "df", "find", "head", "kill", "ln", "mkdir", "mkfifo", "mv"),
    *("readlink", "rm", "rmdir", "setsid", "sha256sum", "sleep", "stat", "tail", "tar", "touch"),
)
"""Programs that buildtool's scripts run on devices."""
LITTLE_SPACE = 64 << 20
CHECKS = FAULTS | {"root", "root-executable", "root-links", "space", "tools", "fit"}
"""The names of all faults that a check can find."""


def check_device(
    facts: Facts, board: Board, name: str, target: Target | None
) -> tuple[DeviceFinding, ...]:
    """The findings about a device whose target is `target`, called `name`."""
    findings = [*_root(facts), *_tools(facts)]
    if target.archs if target else facts.arch or facts.nodes or board.processors:
        findings += check_board(board, facts)
    if target:
        findings += _fit(facts, name, target)
    return tuple(findings)


def _root(facts: Facts) -> Iterator[DeviceFinding]:
    if facts.unwritable:
        yield DeviceFinding(
            "root",
            f"releases cannot be installed in {facts.root}: {facts.unwritable}",
            f"Create it there for the user {facts.user or facts.uid}: sudo install -d -o"
            f" {facts.user or facts.uid} {facts.root}; or set another root in devices.toml.",
        )
        return
    yield DeviceFinding("root", f"releases can be installed in {facts.root}")
    if not facts.executable:
        yield DeviceFinding(
            "root-executable",
            f"programs in {facts.root} cannot be executed: its file system is mounted with noexec,"
            " or a security policy forbids it",
            "Set another root in devices.toml.",
        )
    if not facts.links:
        yield DeviceFinding(
            "root-links",
            f"the file system of {facts.root} has no symbolic links, which releases need",
            "Set another root in devices.toml.",
        )
    space = f"{facts.free >> 20:,} MiB are free in {facts.root}"
    if facts.free < LITTLE_SPACE:
        yield DeviceFinding(
            "space", space, "Delete files there, or set another root in devices.toml."
        )
    else:
        yield DeviceFinding("space", space)


def _tools(facts: Facts) -> Iterator[DeviceFinding]:
    missing = [tool for tool in REQUIRED_TOOLS if tool not in facts.tools]
    if missing:
        yield DeviceFinding(
            "tools",
            f"the device has no {', '.join(missing)}",
            "Install them there: Debian has them in coreutils, findutils, tar and util-linux;"
            " busybox and toybox have them too.",
        )
    else:
        yield DeviceFinding("tools", "the device has the programs that buildtool runs there")


def _fit(facts: Facts, name: str, target: Target) -> Iterator[DeviceFinding]:
    nowhere = Path()
    slices = tuple(Slice(part, (), ()) for part in (HOST, *target.archs))
    found = [*misfits(facts, Release(name, nowhere, nowhere, slices), target)]
    for misfit in found:
        yield DeviceFinding("fit", f"{misfit.problem}: {misfit.evidence}", misfit.remedy)
    if not found:
        yield DeviceFinding("fit", f"the target {name!r} fits")
