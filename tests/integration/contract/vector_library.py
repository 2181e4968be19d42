"""Libraries for the DSP that are compiled or assembled for a test."""

from __future__ import annotations

import subprocess
from pathlib import Path

from buildtool.sdk.packaged_tools import usable_zig


def library(folder: Path, source: str, arch: int = 79, name: str = "x.s", *flags: str) -> Path:
    """A library for `arch` of C or assembly."""
    file, linked = folder / name, folder / "libx.so"
    file.write_text(source, encoding="utf-8")
    cpu = f"-mcpu=hexagonv{arch}+hvxv{arch}+hvx_length128b+hvx_qfloat+hvx_ieee_fp"
    options = ["-target", "hexagon-linux-musl", cpu, "-nostdlib", "-fno-sanitize=undefined"]
    subprocess.run(
        [usable_zig().where, "cc", *options, "-shared", "-O2", "-g", *flags, file, "-o", linked],
        check=True,
        stderr=subprocess.DEVNULL,
    )
    return linked
