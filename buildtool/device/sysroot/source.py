"""The files of a device that becomes a sysroot, wherever they are.

A directory as a device: the root of a device's file system, mounted or copied.

The files of the emulated device that a sysroot is made of.

Its libraries are links to files of this machine, and its shell lies in the cache: both are shown
where a board would have them.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from buildtool.core.cache import cache_dir
from buildtool.core.errors import UsageError
from buildtool.core.events import Listener
from buildtool.device.configuration import configured_devices, open_device
from buildtool.device.emulated.device import CONFIGURATION, EmulatedDevice, prepare
from buildtool.device.emulated.socs import DEFAULT_SOC, find_soc
from buildtool.device.sysroot.device_files import DeviceEntry, DeviceFiles, PullError
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


MAX_NAMES = 100_000  # in one directory


@dataclass(frozen=True, slots=True)
class Directory:
    """The files below `root`; nothing outside of it is read."""

    root: Path

    @property
    def source(self) -> str:
        return str(self.root)

    def entry(self, path: str) -> DeviceEntry | None:
        try:
            status = os.lstat(self._place(path))
            if stat.S_ISLNK(status.st_mode):
                return DeviceEntry("link", link=os.readlink(self._place(path)))  # noqa: PTH115 - as text
        except PermissionError as error:
            raise _unreadable(self, path, error) from error
        except OSError:
            return None
        if stat.S_ISREG(status.st_mode):
            return DeviceEntry("file", status.st_size)
        return DeviceEntry("directory" if stat.S_ISDIR(status.st_mode) else "other")

    def names(self, path: str) -> list[str]:
        try:
            with os.scandir(self._place(path)) as entries:
                names = []
                for entry in entries:
                    names.append(entry.name)
                    if len(names) > MAX_NAMES:
                        raise PullError(
                            f"the directory {path} of {self.source} has more than"
                            f" {MAX_NAMES:,} entries",
                            remedy="Name the root directory of a device's file system.",
                        )
        except OSError as error:
            raise _unreadable(self, path, error) from error
        return sorted(names)

    def read(self, path: str, limit: int) -> bytes:
        return read_file(self._place(path), limit, f"{path} of {self.source}")

    def _place(self, path: str) -> str:
        return f"{self.root}{path}"


@dataclass(frozen=True, slots=True)
class Files:
    """A device made of files of this machine: `files` are path on the device → file."""

    source: str
    files: Mapping[str, Path]

    def entry(self, path: str) -> DeviceEntry | None:
        if place := self.files.get(path):
            return DeviceEntry("file", place.stat().st_size) if place.is_file() else None
        return DeviceEntry("directory") if self.names(path) else None

    def names(self, path: str) -> list[str]:
        below = path.rstrip("/") + "/"
        inside = [file for file in self.files if file.startswith(below)]
        return sorted({PurePosixPath(file[len(below) :]).parts[0] for file in inside})

    def read(self, path: str, limit: int) -> bytes:
        return read_file(self.files[path].resolve(), limit, f"{path} of {self.source}")


def open_directory(path: Path) -> Directory:
    """The device whose root is `path`; raises `UsageError` when it is not a directory."""
    if not path.is_dir():
        raise UsageError(
            f"{path} is not a directory" if path.exists() else f"there is no directory {path}",
            why="no device of devices.toml has this name either",
            remedy="Name a device that `buildtool devices list` prints, or the directory of a"
            " mounted or unpacked image.",
        )
    return Directory(path.resolve())


def read_file(place: str | Path, limit: int, what: str) -> bytes:
    """The content of a regular file; raises `PullError` for anything else and when it is larger.

    A FIFO is not waited for, a link not followed.
    """
    try:
        handle = os.open(place, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(handle, "rb") as stream:
            if not stat.S_ISREG(os.fstat(handle).st_mode):
                raise PullError(
                    f"{what} is not a regular file",
                    why="it turned into something else while it was read",
                    remedy="Pull again when no other process writes to it.",
                )
            data = stream.read(limit + 1)
    except OSError as error:
        raise PullError(
            f"{what} cannot be read",
            why=str(error.strerror),
            remedy="Make it readable for you, or start from a copy that is.",
        ) from error
    if len(data) > limit:
        raise PullError(
            f"{what} is larger than {limit >> 20} MiB" if limit >> 20 else f"{what} is too large",
            why="the files that buildtool reads from a device are smaller",
            remedy="Check the device's file system.",
        )
    return data


def _unreadable(device: Directory, path: str, error: OSError) -> PullError:
    return PullError(
        f"{path} of {device.source} cannot be read",
        why=str(error.strerror),
        remedy="Make it readable for you, or start from a copy that is.",
    )


SHELL = "/usr/lib/rfsa/adsp/cdsp/fastrpc_shell_unsigned_3"


def files_of(device: EmulatedDevice) -> Files:
    """The files of `device` that a sysroot is made of."""
    configuration = device.root / CONFIGURATION
    libraries = sorted(device.root.glob("lib/*.so*"))
    return Files(
        source=f"sim ({device.soc.name})",
        files={
            **{f"/lib/{library.name}": library.resolve() for library in libraries},
            f"/{CONFIGURATION}": configuration,
            SHELL: device.emulator.shell,
        },
    )
