"""The supported Hexagon generations, oldest first."""

from __future__ import annotations

HEXAGON_ARCHS = ("v68", "v69", "v73", "v75", "v79", "v81")
"""Arch names.  The hex digits are the low byte of `e_flags` in ELF files and of ARCH_VER."""


def arch_number(arch: str) -> int:
    """`v73` → 0x73, the value in `e_flags`; `v67t`, with the tiny core → 0x67."""
    return int(arch.removeprefix("v").removesuffix("t"), 16)


def has_ieee(arch: str) -> bool:
    """Whether HVX of `arch` has instructions with results in the IEEE format.  The newer ones
    compute in qf, and convert."""
    return arch_number(arch) < 0x79
