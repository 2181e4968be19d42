"""QEMU's user-mode emulators, and an ARM64 glibc for them to run programs against."""

from __future__ import annotations

import os
import re
import shutil
from dataclasses import dataclass
from pathlib import Path

from buildtool.core.process import capture, check
from buildtool.sdk.found import ToolMissingError

CROSS_LIBRARIES = Path("/usr/aarch64-linux-gnu/lib")  # Debian: libc6-arm64-cross
INSTALL = "Install it: apt-get install qemu-user libc6-arm64-cross"
# The first QEMU whose qemu-hexagon knows CPU models beyond v67 (its change log).
FIRST_WITH_V73 = (8, 1)


@dataclass(frozen=True, slots=True)
class Qemu:
    """Found emulators: `aarch64` and `hexagon` are programs, `hexagon_cpu` the CPU to ask for."""

    aarch64: Path
    hexagon: Path
    version: str
    hexagon_cpu: str


@dataclass(frozen=True, slots=True)
class CrossGlibc:
    """An ARM64 glibc on this machine: its directory and version ("2.36")."""

    directory: Path
    version: str


def find_qemu() -> Qemu:
    """qemu-aarch64 and qemu-hexagon on PATH.

    Raises `ToolMissingError` when one is missing.
    """
    programs = {}
    for name in ("qemu-aarch64", "qemu-hexagon"):
        found = shutil.which(name)
        if not found:
            raise ToolMissingError(f"{name} was not found", why="it is not on PATH", remedy=INSTALL)
        programs[name] = Path(found).absolute()
    text = check(
        capture([programs["qemu-hexagon"], "--version"], env=dict(os.environ), timeout=20),
        "asking qemu-hexagon for its version",
    ).output
    match = re.search(r"version (\d+)\.(\d+)", text)
    numbers = (int(match[1]), int(match[2])) if match else (0, 0)
    return Qemu(
        aarch64=programs["qemu-aarch64"],
        hexagon=programs["qemu-hexagon"],
        version=".".join(map(str, numbers)),
        # An ELF marked newer than the model is refused unless a model is named; integer HVX
        # code of every arch runs on the oldest.
        hexagon_cpu="v73" if numbers >= FIRST_WITH_V73 else "v67",
    )


def find_cross_glibc() -> CrossGlibc:
    """The ARM64 glibc of Debian's cross packages.

    Raises `ToolMissingError` when it is not installed.
    """
    libc = CROSS_LIBRARIES / "libc.so.6"
    if not libc.is_file():
        raise ToolMissingError(
            "an ARM64 glibc was not found", why=f"there is no {libc}", remedy=INSTALL
        )
    versions = re.findall(rb"\0GLIBC_2\.(\d{1,2})\0", libc.read_bytes())
    return CrossGlibc(CROSS_LIBRARIES, f"2.{max(map(int, versions), default=0)}")
