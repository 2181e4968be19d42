"""The plugin with which QEMU counts packets, compiled once into the user's cache."""

from __future__ import annotations

import os
from pathlib import Path

from buildtool.core.cache import cache_dir
from buildtool.core.files import file_digest, replace_file, temporary_file, value_digest
from buildtool.core.own_directory import make_directory
from buildtool.core.processes.process import capture, check
from buildtool.device.configuration import DIRECTORY
from buildtool.device.emulated.device import EmulatedDevice
from buildtool.plan.environment import build_environment
from buildtool.sdk.zig import usable_zig

SOURCE = Path(__file__).parent / "plugin" / "packet_counts.c"
FLAGS = ("-shared", "-fPIC", "-O2", "-fvisibility=hidden", "-s")
BUILD_SECONDS = 300.0
TRY_SECONDS = 20.0


def packet_plugin(device: EmulatedDevice) -> tuple[Path | None, str]:
    """The plugin for the QEMU of `device`; or None, and why it does not load one.

    Raises the errors of finding and running zig.
    """
    plugin = _compiled()
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


def _compiled() -> Path:
    zig = usable_zig()
    key = value_digest({"source": file_digest(SOURCE), "flags": FLAGS, "zig": zig.identity})
    folder = cache_dir() / DIRECTORY
    kept = folder / f"packet-counts-{key[:16]}.so"
    if kept.is_file():
        return kept
    make_directory(folder)
    with temporary_file(folder) as fresh:
        done = capture(
            [zig.where, "cc", *FLAGS, SOURCE, "-o", fresh],
            env=build_environment(),
            timeout=BUILD_SECONDS,
        )
        check(done, "building the plugin that counts packets")
        replace_file(fresh, kept)
    return kept
