"""A device behind a real server: its sessions run ARM64 programs on the emulated device."""

from __future__ import annotations

from pathlib import Path

from buildtool.core.cache import cache_dir
from buildtool.deploy.emulated.device import environment, prepare
from buildtool.deploy.emulated.socs import find_soc
from tests.remote.sshd import SshServer


def emulated_board(directory: Path, soc: str = "QCS6490") -> SshServer:
    """An SSH server whose sessions have the environment of an emulated device."""
    directory.mkdir(parents=True, exist_ok=True)
    emulated = prepare(cache_dir() / "device" / soc.lower(), find_soc(soc), lambda _: None)
    shell = directory / "login-shell"
    names = ("QEMU_LD_PREFIX", "BUILDTOOL_EXEC")
    variables = [f"export {name}='{environment(emulated, '')[name]}'\n" for name in names]
    shell.write_text(f'#!/bin/sh\n{"".join(variables)}exec /bin/sh "$@"\n')
    shell.chmod(0o755)
    return SshServer(directory / "server", shell=str(shell))
