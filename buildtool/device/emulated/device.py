"""The emulated device: a directory that QEMU uses as the root of an ARM64 system; its programs."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING

from buildtool import first_look
from buildtool.cache.emulator_cache import Emulator, keep_translations, note_use
from buildtool.core.events import Listener
from buildtool.core.files import replace_link, write_if_changed
from buildtool.core.processes.process import capture
from buildtool.core.trees import make_directory
from buildtool.core.value import Value
from buildtool.device.device import Device
from buildtool.device.emulated.socs import Soc
from buildtool.device.errors import DeviceConnectionError, DeviceError
from buildtool.device.transports.transport import Command, inherited, port_of_this_machine
from buildtool.project.keys import arch_number
from buildtool.project.model import BUILT_IN_TARGET, Project, Tool
from buildtool.release.slices import HOST, Release
from buildtool.sdk.qemu import (
    FORK_SAFE,
    INSTALL_CXX,
    CrossGlibc,
    Qemu,
    debugging_problem,
    find_cross_glibc,
    find_qemu,
)
from buildtool.sdk.tool_search import NO_REQUIREMENT, require_usable

if TYPE_CHECKING:
    from socket import socket

PLATFORM = "ubuntu-aarch64"
CONFIGURATION = "etc/buildtool-sim.conf"  # below its root: what it emulates
INSTALL_ROOT = "opt/buildtool"  # below its root: where releases are
# The size of the emulated DSP.  Real DSPs have 4 to 8 hardware threads and 2 to 6 HVX contexts;
# emulation has no timing, so one pair of numbers serves all SoCs.
HVX_UNITS = 4
HARDWARE_THREADS = 6
HMX_ZEROS = 2  # as in emulator/hmx/unit.h
PLUGIN_SOURCE = Path(__file__).parent / "plugin" / "packet_counts.c"
PLUGIN_FLAGS = ("-shared", "-fPIC", "-fvisibility=hidden")
TRY_SECONDS = 20.0


class Emulated(Value):
    """The shell of this machine, with an environment in which `run.sh` runs ARM64 programs."""

    root: str
    environment: Mapping[str, str]
    shell: str = "/bin/sh"

    @property
    def address(self) -> str:
        return "the emulated device"

    @property
    def direct(self) -> bool:
        return True

    def connect(self, *, unattended: bool = False) -> None:
        pass

    def command(self, script: str, *, terminal: bool = False) -> Command:
        del terminal  # the shell has the streams of this process
        return [self.shell, "-c", script]

    def forwarded(self, number: int) -> AbstractContextManager[Callable[[], socket]]:
        return port_of_this_machine(number)

    def lost(self, status: int, messages: str) -> DeviceError:
        return DeviceConnectionError(
            "a script for the emulated device did not end regularly",
            why=f"{self.shell} ended with status {status}: {messages.strip()[-500:]}",
            remedy="If nothing has killed it, report this as an error of buildtool.",
        )


class EmulatedDevice(Value):
    """A laid-out device root and the QEMU that runs programs against it.

    `starter` is the program that starts qemu-aarch64 where absolute paths of the device exist.
    """

    root: Path
    soc: Soc
    qemu: Qemu
    glibc: CrossGlibc
    emulator: Emulator
    starter: Path


def prepare(
    root: Path, soc: Soc, listener: Listener, qemu_requirement: Tool = NO_REQUIREMENT
) -> EmulatedDevice:
    """Lay out a device with `soc` in the directory `root`, building the emulator if necessary; that
    there is nothing to do is known from what the last time looked at.

    Raises `ToolMissingError` when QEMU or the ARM64 glibc is not installed, `ToolUnfitError` when
    QEMU is not what the project asks for with `qemu_requirement`."""
    file, question = str(root / "etc" / "buildtool-programs"), (soc, qemu_requirement)
    if known := first_look.look_again(file, question):
        (where, version, identity, hexagon, cpu), (libraries, newest), programs, starter = known
        qemu = Qemu(
            where=Path(where),
            version=version,
            identity=identity,
            hexagon=Path(hexagon),
            hexagon_cpu=cpu,
        )
        glibc, emulator = CrossGlibc(Path(libraries), newest), Emulator(*map(Path, programs))
        device = EmulatedDevice(root, soc, qemu, glibc, emulator, Path(starter))
    else:
        with first_look.looking(file, question) as keep:
            device = _laid_out(root, soc, listener, qemu_requirement)
            tool = device.qemu
            words = tool.where, tool.version, tool.identity, tool.hexagon, tool.hexagon_cpu
            rows = words, device.glibc, device.emulator
            keep([*([str(word) for word in row] for row in rows), str(device.starter)])
    for program in device.emulator:
        note_use(program)
    keep_translations(device.emulator.shell)
    return device


def _laid_out(root: Path, soc: Soc, listener: Listener, qemu_requirement: Tool) -> EmulatedDevice:
    from buildtool.device.emulated.emulator import build_emulator  # noqa: PLC0415 - imports much
    from buildtool.device.emulated.native import device_root, hmx_unit  # noqa: PLC0415 - as above

    qemu, glibc = require_usable("the QEMU", find_qemu(qemu_requirement)), find_cross_glibc()
    unit = hmx_unit() if soc.hmx else None
    emulator, starter = build_emulator(listener), device_root()
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
        **({"hmx_unit": unit} if unit else {}),
        "unsigned_pd": 1,
        "testsig": int(soc.testsig),
        "domains": ",".join(f"{name}:{arch[1:]}" for name, arch in soc.domains.items()),
        "qemu": qemu.hexagon,
        "qemu_cpu": qemu.hexagon_cpu,
        "shell": emulator.shell,
    }
    text = "".join(f"{name}={value}\n" for name, value in facts.items())
    write_if_changed(root / CONFIGURATION, text)
    return EmulatedDevice(root, soc, qemu, glibc, emulator, starter)


def configuration(install_root: Path) -> dict[str, str]:
    """The hardware that the device emulates, and the programs for that, from its install root."""
    text = (install_root.parent.parent / CONFIGURATION).read_text(encoding="utf-8")
    return dict(line.split("=", 1) for line in text.splitlines())


def check_libraries(device: EmulatedDevice, release: Release) -> None:
    """Check that the device has the C++ libraries that the release needs and does not ship.  Raises
    `DeviceError`."""
    if not (missing := device.glibc.missing_libraries):
        return
    from buildtool.core.elf.read import is_elf, read_dynamic  # noqa: PLC0415 - for few machines

    shipped = {file.path.rpartition("/")[2] for file in release.files}
    host = next((part for part in release.slices if part.name == HOST), None)
    for file in host.files if host else ():
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
    Raises `DeviceError` for Android: QEMU's user mode runs its programs against a glibc only."""
    if platform != PLATFORM:
        raise DeviceError(
            f"the target {target!r} is for {platform}, which the emulated device is not",
            why=f"it is an ARM64 Linux with glibc, for targets of the platform {PLATFORM}",
            remedy="Run a program of a target of that platform (buildtool run sim --target sim …),"
            f" or build it for a phone: buildtool build {target}",
        )


def check_can_debug(project: Project) -> None:
    """Raises `DeviceError` when QEMU is too old to debug programs."""
    qemu = find_qemu(project.tool("qemu"))
    if problem := debugging_problem(qemu):
        raise DeviceError(
            "--debug needs QEMU 8.1 or newer",
            why=f"{qemu.hexagon} is {qemu.version}: {problem.text}",
            remedy=problem.remedy,
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
        "BUILDTOOL_EXEC": str(device.starter),
        "BUILDTOOL_QEMU": str(device.qemu.aarch64),
    }


def packet_plugin(device: EmulatedDevice) -> tuple[Path | None, str]:
    """The plugin for the QEMU of `device`; or None, and why it does not load one.  Raises the
    errors of finding and running zig."""
    from buildtool.device.emulated.native import native_program  # noqa: PLC0415 - as above

    plugin = native_program("packet-counts", (PLUGIN_SOURCE,), flags=PLUGIN_FLAGS)
    words = device.qemu.hexagon, "-cpu", device.qemu.hexagon_cpu
    done = capture(
        [*words, "-plugin", plugin_option(plugin, Path(os.devnull)), device.emulator.shell],
        env={**os.environ, "LC_ALL": "C"},
        timeout=TRY_SECONDS,
    )
    if "usage: fastrpc_shell" in done.output:  # the shell has run
        return plugin, ""
    version = device.qemu.version
    return None, f"QEMU {version} of this machine loads no plugins, QEMU 7.2 of Debian 12 does"


def plugin_option(plugin: Path, file: Path) -> str:
    """What follows `-plugin`, to count into `file`."""
    path, out = (str(name).replace(",", ",,") for name in (plugin, file))
    return f"{path},out={out}"
