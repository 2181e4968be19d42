"""Devices behind real servers: their sessions run ARM64 programs on the emulated device."""

from __future__ import annotations

import shutil
from pathlib import Path

from buildtool.device.emulated.device import EmulatedDevice, environment, prepare
from buildtool.device.emulated.socs import find_soc
from buildtool.device.sysroot.source import SHELL
from buildtool.sdk.qemu import FORK_SAFE
from tests.remote.adbd import AdbServer
from tests.remote.sshd import SshServer
from tests.remote.tool_sets import Tools


def emulated_board(directory: Path, soc: str = "QCS6490", tools: Tools = "coreutils") -> SshServer:
    """An SSH server whose sessions have the environment of an emulated device, these tools, and a
    login shell that prints."""
    system = system_with_dsp(directory / "system", soc)
    return SshServer(directory / "server", tools=tools, noisy=True, variables=system)


def system_of(board: SshServer) -> Path:
    """The root directory of the ARM64 system of an `emulated_board`."""
    return board.device.home.parents[2] / "system"


def emulated_phone(directory: Path, soc: str = "QCS6490") -> AdbServer:
    """The same for adb."""
    return AdbServer(
        directory / "server", noisy=True, variables=system_with_dsp(directory / "system", soc)
    )


def system_with_dsp(root: Path, soc: str) -> dict[str, str]:
    """Make the root directory of an ARM64 system; returns the variables that select it."""
    emulated = prepare(root, find_soc(soc), lambda _: None)
    for library in emulated.root.glob("lib/*.so*"):  # files, as on a board, not links elsewhere
        place = library.resolve()
        library.unlink()
        shutil.copy(place, library)
    place = emulated.root / SHELL.lstrip("/")
    place.parent.mkdir(parents=True)
    shutil.copy(emulated.emulator.shell, place)
    return emulation(emulated)


def emulation(device: EmulatedDevice) -> dict[str, str]:
    """The variables with which other environments run ARM64 programs on `device`."""
    variables = environment(device)
    names = ("QEMU_LD_PREFIX", "BUILDTOOL_EXEC", "BUILDTOOL_QEMU", *FORK_SAFE)
    return {name: variables[name] for name in names}
