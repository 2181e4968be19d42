"""The versions of QEMU with which tests run."""

from __future__ import annotations

from pathlib import Path

from buildtool.sdk.qemu import debugging_problem, find_qemu
from tests.command_line import REPOSITORY

UNPACKED = REPOSITORY / ".venv/qemu/usr/bin"


def newer_qemu() -> Path | None:
    """The directory of a QEMU with which programs can be debugged, which scripts/setup has unpacked
    unless the installed one is new enough."""
    if UNPACKED.is_dir():
        return UNPACKED
    found = find_qemu()
    return None if debugging_problem(found) else found.hexagon.parent
