"""What a device is doing: who uses it, which releases are current there, and its last tests."""

from __future__ import annotations

import contextlib
import re
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from buildtool.core.cache import cache_dir
from buildtool.core.processes.process import DEVNULL
from buildtool.core.stored import read_value, write_value
from buildtool.core.value import Described, Value
from buildtool.device.configuration import DIRECTORY
from buildtool.device.conversation import conversation
from buildtool.device.device import Device
from buildtool.device.errors import DeviceConnectionError
from buildtool.device.known_facts import key_of
from buildtool.device.script import LOCK_SCRIPTS, script
from buildtool.device.sharing import Holder, lock_failure, parse_holder
from buildtool.project.model import BUILT_IN_TARGET

VERSION = 1
"""Of the file about the last tests."""
ANSWER_SECONDS = 10.0
"""How long a device that is connected may take to answer."""
_CURRENT = rb"\./([\w.-]{1,100})/current releases/([0-9a-f]{1,64})"
"""A line of current.sh.  Directories with "+" belong to benches and other commands, not to
projects."""


class DeviceStatus(Value):
    """Who holds the lock of a device, None for nobody, and the ids of the releases that are current
    there by project, the one that was deployed last first."""

    holder: Holder | None
    releases: Mapping[str, str]


def read_status(device: Device) -> DeviceStatus:
    """Ask `device` without taking its lock, and without asking the user anything.  Raises
    `DeviceConnectionError` when it cannot be reached or does not answer in time, and `DeviceError`
    when its lock cannot be used."""
    if listed := getattr(device.transport, "listed_place", None):
        from buildtool.device.labgrid.place import person  # noqa: PLC0415 - in labs

        place = listed()  # to look at the device, it would have to be acquired
        holder = Holder(person(place.holder), "acquired in labgrid", None)
        return DeviceStatus(holder if place.holder else None, {})
    device.transport.connect(unattended=True)
    text = script(*LOCK_SCRIPTS, "current", "lock_state")
    variables = {"remove": "", "root": device.root}
    with conversation(device.transport, text, variables, stdin=DEVNULL) as talk:
        if not talk.wait(time.monotonic() + ANSWER_SECONDS):
            raise DeviceConnectionError(f"no answer in {ANSWER_SECONDS:g} s")
        report = talk.report()
        printed = bytes(talk.output)
    if report.word == "unlockable":
        raise lock_failure(device, report)
    held = report.word in ("in-use", "strange")
    lines = (re.fullmatch(_CURRENT, line) for line in printed.splitlines())
    return DeviceStatus(
        parse_holder(report.text) if held else None,
        {match[1].decode(): match[2].decode() for match in lines if match},
    )


class LastRun(Described):
    """The last tests of a project on a device."""

    project: Annotated[str, "name of the project"]
    tests: Annotated[int, "number of tests"]
    bad: Annotated[int, "number of tests that failed or did not run"]
    ended: Annotated[float, "when they ended, in seconds since 1970"]

    def as_json(self) -> dict[str, Any]:
        return {**super().as_json(), "ended": round(self.ended, 3)}


def remember_run(device: Device, last: LastRun) -> None:
    """Keep `last`, if the cache can be written."""
    with contextlib.suppress(OSError):
        write_value(_entry(None if device.emulated else device), last, VERSION)


def last_run(device: Device | None) -> LastRun | None:
    """The last tests on `device`, None for the emulated devices; None if none are known."""
    return read_value(_entry(device), LastRun, VERSION)


def _entry(device: Device | None) -> Path:
    key = key_of(device) if device else BUILT_IN_TARGET
    return cache_dir() / DIRECTORY / f"tests-{key}.json"
