"""The facts about a device: its system, its DSP, and the directory that releases go to.

Facts are read once, in one round trip, and remembered in the user's cache until the device boots
again or they are asked for again.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from buildtool.core.cache import cache_dir
from buildtool.core.files import read_checksummed, value_digest, write_checksummed
from buildtool.core.value import Value
from buildtool.device.configuration import DIRECTORY
from buildtool.device.device import Device

if TYPE_CHECKING:
    from buildtool.device.emulated.device import EmulatedDevice
    from buildtool.documents.devices import FactsObject

SCHEMA = 1
CAPABILITIES = (
    *("domain_support", "unsigned_pd_support", "hvx_support_64b", "hvx_support_128b"),
    *("vtcm_page", "vtcm_count", "arch_ver", "hmx_support_depth", "hmx_support_spatial"),
)
"""The DSP's attributes 0 to 8, as remote.h names them."""
MAX_KHZ, MAX_MILLIDEGREES = 100_000_000, 1_000_000


class SystemFile(Value):
    """A file of the device, and the sha256 of its bytes ("" if it is unknown)."""

    path: str = ""
    sha256: str = ""


class Node(Value):
    """A special file of the device.  `mode` is octal; `readable` and `writable` are for the user
    that runs commands there."""

    path: str
    mode: str
    owner: str
    group: str
    readable: bool
    writable: bool


class Facts(Value):
    """The facts about a device; a text is "" and a number 0 if it is unknown.

    `arch` is that of the DSP, "" without one; `arch_source` says how it is known, and what else
    was tried.  `capabilities` are the answers of libcdsprpc about the DSP, by the names of
    `CAPABILITIES`; firmware can be wrong about them.  `root` is the absolute path that releases are
    installed below, `free` the number of bytes available there; `unwritable` says why nothing can
    be written there.  `hard_links`, `links` and `executable` say whether hard links,
    symbolic links and executable files work there.
    """

    platform: str
    machine: str
    model: str
    soc: str
    arch: str
    arch_source: str
    glibc: str
    api: int
    page_size: int
    root: str
    free: int
    unwritable: str
    hard_links: bool
    links: bool
    executable: bool
    boot: str
    user: str
    uid: int
    home: str
    tools: frozenset[str]
    cdsprpc: SystemFile
    shell: SystemFile
    nodes: tuple[Node, ...]
    capabilities: Mapping[str, int]

    def as_json(self) -> FactsObject:
        document = {
            **self._asdict(),
            "tools": sorted(self.tools),
            "cdsprpc": self.cdsprpc._asdict(),
            "shell": self.shell._asdict(),
            "nodes": [node._asdict() for node in self.nodes],
        }
        return cast("FactsObject", document)  # tests compare it with the schema


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
    with contextlib.suppress(OSError, ValueError, LookupError, TypeError, RecursionError):
        known = read_checksummed(_entry(device))
        if known["schema"] == SCHEMA:
            return _from_json(known["facts"])
    return None


def remember_facts(device: Device, facts: Facts) -> None:
    """Keep `facts` in the user's cache, if it can be written."""
    with contextlib.suppress(OSError):
        write_checksummed(_entry(device), {"schema": SCHEMA, "facts": facts.as_json()})


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


def _from_json(document: Mapping[str, Any]) -> Facts:
    """The facts that `as_json` gives; raises `LookupError`, `TypeError`, `ValueError`."""
    return Facts(
        **{
            **document,
            "tools": frozenset(document["tools"]),
            "cdsprpc": SystemFile(**document["cdsprpc"]),
            "shell": SystemFile(**document["shell"]),
            "nodes": tuple(Node(**node) for node in document["nodes"]),
        }
    )


class Clocks(Value):
    """The clock of each cluster of processors in kHz, and the highest temperature in 0.001 °C, 0 if
    it is unknown."""

    clusters: tuple[int, ...]
    temperature: int


def parse_clocks(text: str) -> Clocks:
    """The clocks in what clocks.sh prints, in which anything may be missing."""
    clocks = map(int, re.findall(r"^clock (\d{1,9})$", text, re.ASCII | re.MULTILINE))
    heat = map(int, re.findall(r"^temperature (\d{1,9})$", text, re.ASCII | re.MULTILINE))
    return Clocks(
        tuple(clock for clock in clocks if clock <= MAX_KHZ),
        max((degrees for degrees in heat if degrees <= MAX_MILLIDEGREES), default=0),
    )
