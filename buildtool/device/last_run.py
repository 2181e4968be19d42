"""The last tests that ran on a device from this machine, remembered in the user's cache."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING

from buildtool.core.cache import cache_dir
from buildtool.core.files import read_checksummed, write_checksummed
from buildtool.core.value import Value
from buildtool.device.configuration import DIRECTORY
from buildtool.device.device import Device
from buildtool.device.facts import key_of
from buildtool.project.model import BUILT_IN_TARGET

if TYPE_CHECKING:
    from buildtool.documents.devices import LastTestObject


class LastRun(Value):
    """The tests of `project` that ended at `ended`, in seconds since the epoch: how many there
    were, and how many of them were bad."""

    project: str
    tests: int
    bad: int
    ended: float

    def as_json(self) -> LastTestObject:
        return {
            "project": self.project,
            "tests": self.tests,
            "bad": self.bad,
            "ended": round(self.ended, 3),
        }


def remember_run(device: Device, last: LastRun) -> None:
    """Keep `last`, if the cache can be written."""
    with contextlib.suppress(OSError):
        write_checksummed(_entry(None if device.emulated else device), last._asdict())


def last_run(device: Device | None) -> LastRun | None:
    """The last tests on `device`, None for the emulated devices; None if none are known."""
    with contextlib.suppress(OSError, ValueError, TypeError, LookupError, RecursionError):
        found = read_checksummed(_entry(device))
        return LastRun(
            *(str(found["project"]), int(found["tests"]), int(found["bad"])),
            ended=float(found["ended"]),
        )
    return None


def _entry(device: Device | None) -> Path:
    key = key_of(device) if device else BUILT_IN_TARGET
    return cache_dir() / DIRECTORY / f"tests-{key}.json"
