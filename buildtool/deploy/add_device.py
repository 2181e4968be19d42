"""Adds devices to a `devices.toml`: finds what is attached, proposes a target, appends a table."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from pathlib import Path

from buildtool.core.cache import cache_dir
from buildtool.core.errors import UsageError
from buildtool.core.files import write_if_changed
from buildtool.core.lock import locked
from buildtool.core.process import capture, check
from buildtool.core.value import Value
from buildtool.deploy.configuration import (
    DIRECTORY,
    FILE_NAME,
    ConfiguredDevice,
    DevicesError,
    devices_in,
)
from buildtool.deploy.facts import Facts
from buildtool.deploy.fit import fitting_arch, misfits
from buildtool.project.archs import arch_number
from buildtool.project.model import BUILT_IN_TARGET, Target, Tool
from buildtool.project.tables import NAME, parse_tables, read_toml
from buildtool.release.slices import HOST, Release, Slice
from buildtool.sdk.adb import find_adb
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


def table_of(name: str, device: ConfiguredDevice) -> str:
    """The table of a device in TOML."""
    lines = [f"[device.{name}]" if "." not in name else f"[device.{json.dumps(name)}]"]
    for field, value in device._asdict().items():
        if value != ConfiguredDevice._field_defaults.get(field):
            text = json.dumps([*value] if isinstance(value, tuple) else value, ensure_ascii=False)
            lines.append(f"{field.replace('_', '-')} = {text}")
    return "\n".join([*lines, ""])


def append_device(file: Path, name: str, device: ConfiguredDevice) -> None:
    """Append the table of a device to `file`; what is there stays as it is.

    Raises `UsageError` when the file has a device of this name, or cannot have another table at
    its end, and `DevicesError` when it is invalid.
    """
    if not re.fullmatch(NAME, name):
        raise UsageError(
            f"{name!r} is not a name for a device",
            remedy="Use letters, digits, '.', '_' and '-'; start with a letter or digit.",
        )
    file = file.resolve()  # it may be a link into a directory of configuration files
    table = table_of(name, device)
    with locked(cache_dir() / DIRECTORY / "add.lock"):
        text = read_toml(file, DevicesError) if file.exists() else ""
        former = _devices(file, text)
        if name in former:
            raise UsageError(
                f"there is a device {name!r} already",
                why=f"{file} has it: {former[name].transport} {former[name].address}",
                remedy="Choose another name, or edit that file.",
            )
        ends = "" if not text else "\n" if text.endswith("\n") else "\n\n"
        fresh = f"{text}{ends}{table}"
        try:
            added = _devices(file, fresh)
        except DevicesError as error:
            raise UsageError(
                f"{FILE_NAME} cannot have another table at its end",
                why=str(error).partition("\n")[0],
                remedy=f"Add to {file} by hand:\n{table}",
            ) from error
        assert added == {**former, name: device}
        mode = file.stat().st_mode & 0o777 if file.exists() else 0o644
        write_if_changed(file, fresh, mode=mode)


def _devices(file: Path, text: str) -> dict[str, ConfiguredDevice]:
    return devices_in(file, text, parse_tables(file, text, None, DevicesError))
