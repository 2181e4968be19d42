"""The emulated device: a directory that QEMU uses as the root of an ARM64 system."""

from __future__ import annotations

from pathlib import Path

from buildtool.core.elf.read import is_elf, read_dynamic
from buildtool.core.events import Listener
from buildtool.core.files import replace_link, write_if_changed
from buildtool.core.trees import make_directory
from buildtool.core.value import Value
from buildtool.device.device import Device
from buildtool.device.emulated.emulator import Emulator, build_emulator
from buildtool.device.emulated.native_programs import device_root, hmx_unit
from buildtool.device.emulated.socs import Soc
from buildtool.device.errors import DeviceError
from buildtool.device.transports.emulated import Emulated, inherited
from buildtool.project.archs import arch_number
from buildtool.project.model import BUILT_IN_TARGET, Tool
from buildtool.release.slices import HOST, Release
from buildtool.sdk.qemu import (
    FORK_SAFE,
    INSTALL_CXX,
    CrossGlibc,
    Qemu,
    find_cross_glibc,
    find_qemu,
)
from buildtool.sdk.tool_search import NO_REQUIREMENT, require_usable

PLATFORM = "ubuntu-aarch64"
CONFIGURATION = "etc/buildtool-sim.conf"  # below its root: what it emulates
INSTALL_ROOT = "opt/buildtool"  # below its root: where releases are
# The size of the emulated DSP.  Real DSPs have 4 to 8 hardware threads and 2 to 6 HVX contexts;
# emulation has no timing, so one pair of numbers serves all SoCs.
HVX_UNITS = 4
HARDWARE_THREADS = 6
HMX_ZEROS = 2  # as in emulator/hmx/unit.h


class EmulatedDevice(Value):
    """A laid-out device root and the QEMU that runs programs against it."""

    root: Path
    soc: Soc
    qemu: Qemu
    glibc: CrossGlibc
    emulator: Emulator


def prepare(
    root: Path, soc: Soc, listener: Listener, qemu_requirement: Tool = NO_REQUIREMENT
) -> EmulatedDevice:
    """Lay out a device with `soc` in the directory `root`, building the emulator if necessary.

    Raises `ToolMissingError` when QEMU or the ARM64 glibc is not installed, `ToolUnfitError` when
    QEMU is not what the project asks for with `qemu_requirement`.
    """
    qemu, glibc = require_usable("the QEMU", find_qemu(qemu_requirement)), find_cross_glibc()
    emulator = build_emulator(listener)
    libraries = root / "lib"
    for folder in (libraries, root / "usr" / "lib" / "rfsa" / "adsp", root / "usr" / "lib" / "dsp"):
        make_directory(folder)
    for library in glibc.directory.glob("*.so*"):
        replace_link(libraries / library.name, library)
    # Some programs open the library by its name on Android.
    for name in (emulator.cdsprpc.name, "libcdsprpc.so"):
        replace_link(libraries / name, emulator.cdsprpc)
    # QEMU looks up files that are missing here on the build machine, which may have ARM64 libraries
    # too.  The loader reads this cache first, then this directory, then lib/.
    write_if_changed(root / "etc" / "ld.so.cache", "")
    replace_link(libraries / "aarch64-linux-gnu", Path())
    facts = {
        "soc": soc.name,
        "arch": f"{arch_number(soc.arch):x}",
        "vtcm_bytes": soc.vtcm_mb << 20,
        "hvx_units": HVX_UNITS,
        "hw_threads": HARDWARE_THREADS,
        "hmx": HMX_ZEROS if soc.hmx_zeros else int(soc.hmx),
        **({"hmx_unit": hmx_unit()} if soc.hmx else {}),
        "unsigned_pd": 1,
        "qemu": qemu.hexagon,
        "qemu_cpu": qemu.hexagon_cpu,
        "shell": emulator.shell,
    }
    text = "".join(f"{name}={value}\n" for name, value in facts.items())
    write_if_changed(root / CONFIGURATION, text)
    return EmulatedDevice(root, soc, qemu, glibc, emulator)


def configuration(install_root: Path) -> dict[str, str]:
    """The hardware that the device emulates, and the programs for that, from its install root."""
    text = (install_root.parent.parent / CONFIGURATION).read_text(encoding="utf-8")
    return dict(line.split("=", 1) for line in text.splitlines())


def check_libraries(device: EmulatedDevice, release: Release) -> None:
    """Check that the device has the C++ libraries that the release needs and does not ship.

    Raises `DeviceError`.
    """
    missing = device.glibc.missing_libraries
    shipped = {file.path.rpartition("/")[2] for file in release.files}
    host = next((part for part in release.slices if part.name == HOST), None)
    for file in host.files if host and missing else ():
        path = release.directory / file.path
        needed = read_dynamic(path).needed if is_elf(path) else ()
        if lacking := [name for name in needed if name in missing and name not in shipped]:
            raise DeviceError(
                f"{file.path} needs {', '.join(lacking)}, which the emulated device does not have",
                why=f"its ARM64 libraries are those of {device.glibc.directory}",
                remedy=INSTALL_CXX,
            )


def check_platform(target: str, platform: str) -> None:
    """Check, before anything is built, that programs of `platform` can run on an emulated device.

    Raises `DeviceError` for Android: QEMU's user mode runs its programs against a glibc only.
    """
    if platform != PLATFORM:
        raise DeviceError(
            f"the target {target!r} is for {platform}, which the emulated device is not",
            why=f"it is an ARM64 Linux with glibc, for targets of the platform {PLATFORM}",
            remedy="Run a program of a target of that platform (buildtool run sim --target sim …),"
            f" or build it for a phone: buildtool build {target}",
        )


def open_emulated(
    root: Path, soc: Soc, listener: Listener, target: str, qemu_requirement: Tool = NO_REQUIREMENT
) -> Device:
    """The emulated device that `prepare` lays out, for releases of `target`."""
    emulated = prepare(root, soc, listener, qemu_requirement)
    installed = str(root / INSTALL_ROOT)
    transport = Emulated(installed, environment(emulated))
    return Device(BUILT_IN_TARGET, target, installed, transport, emulated=emulated)


def environment(device: EmulatedDevice) -> dict[str, str]:
    """The caller's environment, with the variables that make `run.sh` run programs on `device`."""
    return {
        **inherited(),
        **FORK_SAFE,
        "QEMU_LD_PREFIX": str(device.root),
        "BUILDTOOL_EXEC": str(device_root()),
        "BUILDTOOL_QEMU": str(device.qemu.aarch64),
    }
