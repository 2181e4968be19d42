"""The files of a device that becomes a sysroot, wherever they are."""

from __future__ import annotations

from pathlib import Path

from buildtool.core.cache import cache_dir
from buildtool.core.errors import UsageError
from buildtool.core.events import Listener
from buildtool.device.configuration import configured_devices, open_device
from buildtool.device.emulated.device import prepare
from buildtool.device.emulated.socs import DEFAULT_SOC, find_soc
from buildtool.device.sysroot.device_files import DeviceFiles
from buildtool.device.sysroot.directory import open_directory
from buildtool.device.sysroot.emulated import files_of
from buildtool.project.model import BUILT_IN_TARGET
from buildtool.project.read import find_optional_project


def open_source(device_name: str, soc_name: str, listener: Listener) -> tuple[DeviceFiles, str]:
    """The files of `sim`, a device of `devices.toml`, or a directory, and the name of what it is;
    `soc_name` is for `sim`.

    Raises `UsageError`.
    """
    if device_name == BUILT_IN_TARGET:
        soc = find_soc(soc_name or DEFAULT_SOC)
        emulated = prepare(cache_dir() / "device" / soc.name.lower(), soc, listener)
        return files_of(emulated), BUILT_IN_TARGET
    if soc_name:
        raise UsageError(
            "--soc is for sim only",
            why=f"the SoC of {device_name} is read from its files",
            remedy=f"buildtool sysroot pull {device_name}",
        )
    if device_name in configured_devices(project := find_optional_project(Path.cwd())):
        from buildtool.device.facts import facts_of  # noqa: PLC0415 - not for sim
        from buildtool.device.sysroot.remote import RemoteFiles  # noqa: PLC0415 - not for sim

        remote = open_device(device_name, project)
        return RemoteFiles(remote, facts_of(remote, refresh=True)), device_name
    directory = open_directory(Path(device_name))
    return directory, directory.root.name
