"""A stand-in for libqcnpuperf on an emulated board."""

from __future__ import annotations

from pathlib import Path

from tests.integration.idl.idl_rig import zig_cc

SOURCE = Path(__file__).with_name("qcnpuperf_stand_in.c")


def install_meters(system: Path, folder: Path, *flags: str) -> None:
    """Install it in the ARM64 system `system`, whose DSP has 61.5 degrees."""
    zig_cc(
        *("-target", "aarch64-linux-gnu.2.35", "-shared", "-fPIC", *flags),
        *(SOURCE, "-o", folder / "libqcnpuperf.so.1"),
        cwd=folder,
    )
    (folder / "libqcnpuperf.so.1").rename(system / "lib" / "libqcnpuperf.so.1")
    for zone, kind, heat in ((0, "cpu-0-0", "80000"), (17, "nsp0", "61500"), (3, "nsp1", "60000")):
        place = system / f"sys/class/thermal/thermal_zone{zone}"
        place.mkdir(parents=True, exist_ok=True)
        (place / "type").write_text(f"{kind}\n", encoding="utf-8")
        (place / "temp").write_text(f"{heat}\n", encoding="utf-8")
