"""The versions of QEMU with which tests run."""

from __future__ import annotations

from pathlib import Path

from buildtool.deploy.emulated.debugger import FIRST_QEMU
from buildtool.sdk.qemu import find_qemu
from buildtool.sdk.tool_search import version_numbers
from tests.command_line import REPOSITORY

UNPACKED = REPOSITORY / ".venv/qemu/usr/bin"


def newer_qemu() -> Path | None:
    """The directory of a QEMU with which programs can be debugged, which scripts/setup has unpacked
    unless the installed one is new enough."""
    if UNPACKED.is_dir():
        return UNPACKED
    found = find_qemu()
    return found.hexagon.parent if version_numbers(found.version) >= FIRST_QEMU else None
