"""The facts about a device: its system, its DSP, and the directory that releases go to."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated

from buildtool.core.value import Described, Value

CAPABILITIES = (
    *("domain_support", "unsigned_pd_support", "hvx_support_64b", "hvx_support_128b"),
    *("vtcm_page", "vtcm_count", "arch_ver", "hmx_support_depth", "hmx_support_spatial"),
)
"""The DSP's attributes 0 to 8, as remote.h names them."""
CDSP = "cdsp"
DOMAINS = ("adsp", "mdsp", "sdsp", CDSP, "cdsp1", "gdsp0", "gdsp1")
"""The names of DSPs, by the numbers that FastRPC has for them."""
MAX_KHZ, MAX_MILLIDEGREES = 100_000_000, 1_000_000


class SystemFile(Described):
    """A file of the device, and the sha256 of its bytes ("" if it is unknown)."""

    path: Annotated[str, 'path on the device; "" for none'] = ""
    sha256: Annotated[str, 'sha256 of its bytes; "" if it is unknown'] = ""


class Node(Described):
    """A special file of the device."""

    path: Annotated[str, "path on the device"]
    mode: Annotated[str, "permissions, octal"]
    owner: Annotated[str, "owner"]
    group: Annotated[str, "group"]
    readable: Annotated[bool, "whether that user may read it"]
    writable: Annotated[bool, "whether that user may write it"]


NO_DOMAINS: Mapping[str, str] = {}


class Facts(Described):
    """The facts about a device; a text is "" and a number 0 if it is unknown.

    `arch`, `shell` and `capabilities` are those of the CDSP.

    Firmware can be wrong about `capabilities`, which have the names of `CAPABILITIES`.
    """

    platform: Annotated[str, "platform of the device", ("ubuntu-aarch64", "android")]
    machine: Annotated[str, "what uname -m prints there"]
    model: Annotated[str, 'model of the device; "" if it is unknown']
    soc: Annotated[str, 'SoC; "" if it is unknown']
    arch: Annotated[str, 'DSP arch; "" if no DSP is known']
    arch_source: Annotated[str, "how the DSP arch is known"]
    glibc: Annotated[str, 'version of its glibc; "" on Android and if it is unknown']
    api: Annotated[int, "Android API level; 0 elsewhere"]
    page_size: Annotated[int, "bytes in a page of memory; 0 if it is unknown"]
    root: Annotated[str, "absolute path that releases are installed below"]
    free: Annotated[int, "bytes available there"]
    unwritable: Annotated[str, 'why releases cannot be installed there; "" if they can']
    hard_links: Annotated[bool, "whether hard links can be made there"]
    links: Annotated[bool, "whether symbolic links can be made there"]
    executable: Annotated[bool, "whether programs there can be executed"]
    boot: Annotated[str, 'ID of the current boot; "" if it is unknown']
    user: Annotated[str, "user that runs commands"]
    uid: Annotated[int, "ID of that user"]
    home: Annotated[str, "home directory of that user"]
    tools: Annotated[frozenset[str], "programs found on the device"]
    cdsprpc: Annotated[SystemFile, "its FastRPC library"]
    shell: Annotated[SystemFile, "its DSP shell"]
    nodes: Annotated[tuple[Node, ...], "device nodes of DSPs, accelerators and shared memory"]
    capabilities: Annotated[
        Mapping[str, int],
        "what libcdsprpc answers about the DSP, by attribute of remote.h in lower case",
    ]
    domains: Annotated[
        Mapping[str, str],
        'arch of each DSP that the device has, "" if it is unknown; none if that is unknown',
    ] = NO_DOMAINS


def of_domain(facts: Facts, domain: str) -> Facts:
    """The facts with the arch of the DSP `domain`: "" if the device has none of that name."""
    if domain == CDSP:
        return facts
    arch = facts.domains.get(domain, "")
    known = ", ".join(f"{name} ({of or 'unknown'})" for name, of in facts.domains.items())
    source = f"the device has {known}" if known else "which DSPs it has is unknown"
    return facts._replace(arch=arch, arch_source=source)


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
