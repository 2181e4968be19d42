"""The facts about a device: its system, its DSP, and the directory that releases go to."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, cast

from buildtool.core.value import Described, Value

if TYPE_CHECKING:
    from buildtool.documents.devices import FactsObject

CAPABILITIES = (
    *("domain_support", "unsigned_pd_support", "hvx_support_64b", "hvx_support_128b"),
    *("vtcm_page", "vtcm_count", "arch_ver", "hmx_support_depth", "hmx_support_spatial"),
)
"""The DSP's attributes 0 to 8, as remote.h names them."""
MAX_KHZ, MAX_MILLIDEGREES = 100_000_000, 1_000_000


class SystemFile(Described):
    """A file of the device, and the sha256 of its bytes ("" if it is unknown)."""

    path: Annotated[str, 'path on the device; "" for none'] = ""
    sha256: Annotated[str, 'sha256 of its bytes; "" if it is unknown'] = ""


class Node(Described):
    """A special file of the device.  `mode` is octal; `readable` and `writable` are for the user
    that runs commands there."""

    path: Annotated[str, "path on the device"]
    mode: Annotated[str, "permissions, octal"]
    owner: Annotated[str, "owner"]
    group: Annotated[str, "group"]
    readable: Annotated[bool, "whether that user may read it"]
    writable: Annotated[bool, "whether that user may write it"]


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
