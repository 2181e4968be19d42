"""The plugin with which QEMU counts packets, compiled once into the user's cache."""

from __future__ import annotations

import os
from pathlib import Path

from buildtool.core.processes.process import capture
from buildtool.device.emulated.device import EmulatedDevice
from buildtool.device.emulated.native_programs import native_program

SOURCE = Path(__file__).parent / "plugin" / "packet_counts.c"
FLAGS = ("-shared", "-fPIC", "-fvisibility=hidden")
TRY_SECONDS = 20.0


def packet_plugin(device: EmulatedDevice) -> tuple[Path | None, str]:
    """The plugin for the QEMU of `device`; or None, and why it does not load one.

    Raises the errors of finding and running zig.
    """
    plugin = native_program("packet-counts", (SOURCE,), flags=FLAGS)
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
