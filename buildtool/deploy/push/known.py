"""A record of the release that is current on a device, kept for the next push."""

from __future__ import annotations

import contextlib
from pathlib import Path

from buildtool.core.checksummed_json import read_checksummed, write_checksummed
from buildtool.core.files import value_digest
from buildtool.core.own_directory import make_directory
from buildtool.core.value import Value
from buildtool.deploy.push.contents import Contents
from buildtool.device.device import Device

NOTHING: Contents = {}


class Known(Value):
    """The id of a release on a device, and what is in it; `id` is "" when nothing is known."""

    id: str = ""
    contents: Contents = NOTHING


def known_file(state: Path, device: Device, project: str) -> Path:
    """The file, in a project's state directory, about the project's directory on a device."""
    place = value_digest([device.transport.address, project])[:16]
    return state / "deployed" / f"{device.name}-{place}.json"


def read_known(file: Path) -> Known:
    """The record in `file`; an empty one if it cannot be read."""
    try:
        found = read_checksummed(file)
        contents = {str(path): str(state) for path, state in found["contents"].items()}
        return Known(str(found["id"]), contents)
    except (OSError, LookupError, ValueError, TypeError, AttributeError, RecursionError):
        return Known()


def write_known(file: Path, known: Known) -> None:
    """Remember what is on the device; without it, the next push asks the device."""
    with contextlib.suppress(OSError):
        make_directory(file.parent)
        write_checksummed(file, known._asdict())


def forget(file: Path) -> None:
    """Let nothing be known of what is on the device."""
    with contextlib.suppress(OSError):
        file.unlink()
