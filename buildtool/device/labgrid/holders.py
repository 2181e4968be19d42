"""Under which names this process and its user have acquired places of labgrid."""

from __future__ import annotations

import functools
import getpass
import os
import secrets
from pathlib import Path

from buildtool.core.files import value_digest
from buildtool.device.labgrid.place_holder import MARK


@functools.cache
def holders() -> tuple[str, str]:
    """HOST/USER under which this user acquires places by hand, and that of this process.

    With a name of its own, a process never releases what another one has acquired.
    """
    host = os.environ.get("LG_HOSTNAME") or os.uname().nodename
    user = os.environ.get("LG_USERNAME") or getpass.getuser()
    number = f"{_system()}-{os.getpid()}-{secrets.token_hex(3)}"
    return f"{host}/{user}", f"{host.partition(MARK)[0]}{MARK}{number}/{user}"


def _system() -> str:
    """Stands for the boot and the container in which numbers of processes mean something."""
    boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii")
    return value_digest([boot, str(Path("/proc/self/ns/pid").readlink())])[:8]
