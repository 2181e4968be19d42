"""A device behind a real server: its sessions run ARM64 programs on the emulated device."""

from __future__ import annotations

import shutil
from pathlib import Path

from buildtool.deploy.emulated.device import environment, prepare
from buildtool.deploy.emulated.socs import find_soc
from buildtool.deploy.sysroot.emulated import SHELL
from tests.remote.sshd import SshServer


def emulated_board(directory: Path, soc: str = "QCS6490") -> SshServer:
    """An SSH server whose sessions have the environment of an emulated device."""
    emulated = prepare(directory / "system", find_soc(soc), lambda _: None)
    for library in emulated.root.glob("lib/*.so*"):  # files, as on a board, not links elsewhere
        place = library.resolve()
        library.unlink()
        shutil.copy(place, library)
    place = emulated.root / SHELL.lstrip("/")
    place.parent.mkdir(parents=True)
    shutil.copy(emulated.emulator.shell, place)
    shell = directory / "login-shell"
    names = ("QEMU_LD_PREFIX", "BUILDTOOL_EXEC")
    variables = [f"export {name}='{environment(emulated, '')[name]}'\n" for name in names]
    shell.write_text(f'#!/bin/sh\n{"".join(variables)}exec /bin/sh "$@"\n')
    shell.chmod(0o755)
    return SshServer(directory / "server", shell=str(shell))
