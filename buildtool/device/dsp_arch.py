"""Which arch a device's DSP has, from the evidence that was found on the device."""

from __future__ import annotations

import struct
from collections.abc import Mapping

from buildtool.core.elf.machine import EM_HEXAGON
from buildtool.core.value import Value
from buildtool.device.emulated.socs import known_socs
from buildtool.project.archs import HEXAGON_ARCHS

HEADER_BYTES = 52  # of an ELF file with 32 bits


class Evidence(Value):
    """The evidence on a device about its DSP.

    `capabilities` are libcdsprpc's answers, without which `unasked` says why there are none;
    `shell_arch` is the arch of the DSP shell in the file `shell`; `emulated` is for an emulated
    device, whose shell runs on every arch.
    """

    capabilities: Mapping[str, int]
    unasked: str
    shell: str
    shell_arch: str
    soc: str
    emulated: bool = False


def dsp_arch(evidence: Evidence) -> tuple[str, str]:
    """The arch, "" if it is unknown, and in words how it is known and what did not tell it."""
    asked = _asked(evidence)
    tried = []
    if "arch_ver" in evidence.capabilities:
        number = evidence.capabilities["arch_ver"]
        arch = f"v{number & 0xFF:x}"  # devices report 0x8d73 for v73
        if arch in HEXAGON_ARCHS:
            source = f"libcdsprpc reports ARCH_VER {number:#x}"
            if evidence.shell_arch and evidence.shell_arch != arch and not evidence.emulated:
                source += f"; the DSP shell {evidence.shell} is for {evidence.shell_arch}"
            return arch, source
    tried.append(asked)
    if evidence.shell_arch in HEXAGON_ARCHS:
        return (
            evidence.shell_arch,
            f"the DSP shell {evidence.shell} is for it; {'; '.join(tried)}",
        )
    tried.append(
        f"{evidence.shell} is not a Hexagon program of a known arch"
        if evidence.shell
        else "there is no DSP shell"
    )
    if row := known_socs().get(evidence.soc):
        return row.arch, f"{row.name} has it, as listed; {'; '.join(tried)}"
    tried.append(f"the SoC {evidence.soc} is not listed" if evidence.soc else "the SoC is unknown")
    return "", "; ".join(tried)


def header_arch(header: bytes) -> str:
    """The arch of a Hexagon ELF file, from its first bytes; "" for anything else."""
    if len(header) < HEADER_BYTES or not header.startswith(b"\x7fELF\x01\x01"):
        return ""
    machine, flags = (
        struct.unpack_from("<H", header, 18)[0],
        struct.unpack_from("<I", header, 36)[0],
    )
    return f"v{flags & 0x3FF:x}" if machine == EM_HEXAGON else ""


def _asked(evidence: Evidence) -> str:
    """Why the answers of libcdsprpc do not tell the arch."""
    if "arch_ver" in evidence.capabilities:
        return f"libcdsprpc reports ARCH_VER {evidence.capabilities['arch_ver']:#x}, no known arch"
    return f"libcdsprpc does not tell it ({evidence.unasked})"
