"""Checks whether a target's programs can run on a device; proposes a name and a target for one."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from buildtool.core.processes.process import capture, check
from buildtool.core.value import Value
from buildtool.deploy.fit import fitting_arch, misfits
from buildtool.device.board import Board
from buildtool.device.board_checks import FAULTS, check_board
from buildtool.device.errors import DeviceFinding
from buildtool.device.facts import Facts
from buildtool.project.keys import arch_number
from buildtool.project.model import BUILT_IN_TARGET, Target, Tool
from buildtool.release.slices import HOST, Release, Slice
from buildtool.sdk.device_programs import find_adb
from buildtool.sdk.tool_search import require_usable

REQUIRED_TOOLS = (
    *("cat", "chmod", "cp", "df", "find", "head", "kill", "ln", "mkdir", "mkfifo", "mv"),
    *("readlink", "rm", "rmdir", "setsid", "sha256sum", "sleep", "stat", "tail", "tar", "touch"),
)
"""Programs that buildtool's scripts run on devices."""
LITTLE_SPACE = 64 << 20
CHECKS = frozenset({*FAULTS, "root", "root-executable", "root-links", "space", "tools", "fit"})
"""The names of all faults that a check can find."""
LIST_SECONDS = 30.0
MAX_ATTACHED = 100
_ATTACHED = r"(\S{1,255})\s+(device|offline|unauthorized|recovery|no permissions|\S+)\b(.*)"


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


def _empty_release(name: str, target: Target) -> Release:
    """A release of `target` without files, for what does not depend on them."""
    slices = tuple(Slice(part, (), ()) for part in (HOST, *target.archs))
    return Release(name, Path(), Path(), slices)


def _fit(facts: Facts, name: str, target: Target) -> Iterator[DeviceFinding]:
    found = [*misfits(facts, _empty_release(name, target), target)]
    for misfit in found:
        yield DeviceFinding("fit", f"{misfit.problem}: {misfit.evidence}", misfit.remedy)
    if not found:
        yield DeviceFinding("fit", f"the target {name!r} fits")


class Attached(Value):
    """A device that adb lists: its serial number, its state ("device": usable) and its model."""

    serial: str
    state: str
    model: str


def attached_devices(requirement: Tool) -> list[Attached]:
    """The devices that the user's adb server is connected to.  Raises the errors of running adb."""
    adb = require_usable("adb", find_adb(requirement))
    done = capture([adb.where, "devices", "-l"], env=os.environ, timeout=LIST_SECONDS)
    return attached_in(check(done, "adb devices", remedy="Run it: adb devices").output)


def attached_in(output: str) -> list[Attached]:
    """The devices in the output of `adb devices -l`."""
    found = []
    lines = output.partition("List of devices attached")[2].splitlines()
    for line in lines[: MAX_ATTACHED + 1]:
        if line.isprintable() and (match := re.fullmatch(_ATTACHED, line)):
            model = re.search(r"\bmodel:(\S{1,100})", match[3])
            found.append(Attached(match[1], match[2], model[1] if model else ""))
    return found


def propose_name(text: str) -> str:
    """A name for the device with the host or model `text`."""
    host = text.rpartition("@")[2].partition(".")[0]
    name = re.sub(r"[^a-z0-9]+", "-", host.lower()).strip("-")[:40]
    return name if name and name != BUILT_IN_TARGET else "device"


def propose_target(facts: Facts, targets: Mapping[str, Target]) -> str:
    """The target that fits the device best, "" without one: its skels are for the newest arch."""
    best, rank = "", (-1, False)
    for name, target in targets.items():
        release = _empty_release(name, target)
        if any(True for _ in misfits(facts, release, target)):
            continue
        arch = fitting_arch(facts, release)
        found = (arch_number(arch) if arch else 0, name != BUILT_IN_TARGET)
        if found > rank:
            best, rank = name, found
    return best
