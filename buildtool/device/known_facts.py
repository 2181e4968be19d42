"""What is known of a device: its facts are remembered in the user's cache until it boots again, or
they are asked for again."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING

from buildtool.core.cache import cache_dir
from buildtool.core.files import value_digest
from buildtool.core.stored import read_value, write_value
from buildtool.core.value import Value
from buildtool.device.configuration import DIRECTORY
from buildtool.device.device import Device
from buildtool.device.facts import Facts, SystemFile

if TYPE_CHECKING:
    from buildtool.device.emulated.device import EmulatedDevice

SCHEMA = 3


def facts_of(device: Device, *, refresh: bool = False) -> Facts:
    """The facts about `device`: those that are remembered, unless `refresh`, else read there.

    Those about an emulated device are known without asking it.
    Raises `DeviceError` when the device cannot be reached or gives no sensible answer.
    """
    if device.emulated:
        return facts_of_sim(device.emulated, device.root)
    if not refresh and (known := remembered_facts(device)):
        return known
    from buildtool.device.read_facts import read_facts  # noqa: PLC0415 - usually they are known

    facts = read_facts(device)
    remember_facts(device, facts)
    return facts


def remembered_facts(device: Device) -> Facts | None:
    """The facts about `device` that are remembered; None if there are none."""
    return read_value(_entry(device), Facts, SCHEMA)


def remember_facts(device: Device, facts: Facts) -> None:
    """Keep `facts` in the user's cache, if it can be written."""
    with contextlib.suppress(OSError):
        write_value(_entry(device), facts, SCHEMA)


def facts_of_sim(device: EmulatedDevice, root: str) -> Facts:
    """The facts about an emulated device whose releases are in the directory `root`."""
    from buildtool.device.emulated.device import CONFIGURATION, PLATFORM  # noqa: PLC0415 - sim only

    return Facts(
        platform=PLATFORM,
        machine="aarch64",
        model=f"emulated {device.soc.name}",
        soc=device.soc.name,
        arch=device.soc.arch,
        arch_source=f"/{CONFIGURATION}: the emulated device imitates {device.soc.name}",
        glibc=device.glibc.version,
        api=0,
        page_size=0,
        root=root,
        free=0,
        unwritable="",
        hard_links=True,
        links=True,
        executable=True,
        boot="",
        user="",
        uid=0,
        home="",
        tools=frozenset(),
        cdsprpc=SystemFile(f"/lib/{device.emulator.cdsprpc.name}"),
        shell=SystemFile(str(device.emulator.shell)),
        nodes=(),
        capabilities={},
        domains=device.soc.domains,
    )


def key_of(device: Device) -> str:
    """A name for files about `device`."""
    transport = device.transport
    fields = transport._asdict() if isinstance(transport, Value) else {}
    key = {
        "transport": type(transport).__name__,
        "address": transport.address,
        "root": device.root,
        # Two devices can have one name, behind different ports or servers.
        "fields": {name: value for name, value in fields.items() if isinstance(value, str | int)},
    }
    return value_digest(key)[:16]


def _entry(device: Device) -> Path:
    """The file in which the facts about `device` are remembered."""
    return cache_dir() / DIRECTORY / f"facts-{key_of(device)}.json"
