"""Finds the devices that are attached, and proposes a name and a target for a device."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path

from buildtool.core.processes.process import capture, check
from buildtool.core.value import Value
from buildtool.deploy.fit import fitting_arch, misfits
from buildtool.device.facts import Facts
from buildtool.project.archs import arch_number
from buildtool.project.model import BUILT_IN_TARGET, Target, Tool
from buildtool.release.slices import HOST, Release, Slice
from buildtool.sdk.device_programs import find_adb
from buildtool.sdk.tool_search import require_usable

LIST_SECONDS = 30.0
MAX_ATTACHED = 100
_ATTACHED = r"(\S{1,255})\s+(device|offline|unauthorized|recovery|no permissions|\S+)\b(.*)"


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
        slices = tuple(Slice(part, (), ()) for part in (HOST, *target.archs))
        release = Release(name, Path(), Path(), slices)
        if any(True for _ in misfits(facts, release, target)):
            continue
        arch = fitting_arch(facts, release)
        found = (arch_number(arch) if arch else 0, name != BUILT_IN_TARGET)
        if found > rank:
            best, rank = name, found
    return best
