"""The files of a device that becomes a sysroot: in a directory, the root of its file system; on the
emulated device; or over ssh or adb.

The libraries of the emulated device are links to files of this machine, and its shell lies in the
cache: both are shown where a board would have them.

An exchange with a device takes longer than its work there, so entries of all usual places are
asked for at once, and the files of a directory of headers are read at once.  What the device prints
is not believed: it is bounded, and must have the form that it should have.
"""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath

from buildtool.core.cache import cache_dir
from buildtool.core.errors import UsageError
from buildtool.core.events import Listener
from buildtool.core.value import Value
from buildtool.device.board import BASE
from buildtool.device.configuration import configured_devices, open_device
from buildtool.device.device import Device
from buildtool.device.emulated.device import CONFIGURATION, EmulatedDevice, prepare
from buildtool.device.emulated.socs import DEFAULT_SOC, find_soc
from buildtool.device.facts import Facts
from buildtool.device.script import script
from buildtool.device.sysroot.device_files import (
    MAX_PATH,
    PLACES,
    DeviceEntry,
    DeviceFiles,
    PullError,
)
from buildtool.device.sysroot.libc import FOLDER, FOLDERS, NEEDED, OTHERS
from buildtool.project.model import BUILT_IN_TARGET
from buildtool.project.read import find_optional_project

EXCHANGE_SECONDS = 120.0
MAX_ARGUMENTS = 16 << 10  # characters; a command line of adb has 64 KiB
MAX_NAMES = 100_000  # in one directory
SHELL = "/usr/lib/rfsa/adsp/cdsp/fastrpc_shell_unsigned_3"


def open_source(device_name: str, soc_name: str, listener: Listener) -> tuple[DeviceFiles, str]:
    """The files of `sim`, a device of `devices.toml`, or a directory, and the name of what it is;
    `soc_name` is for `sim`.  Raises `UsageError`."""
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
        from buildtool.device.known_facts import facts_of  # noqa: PLC0415 - not for sim

        remote = open_device(device_name, project)
        return RemoteFiles(remote, facts_of(remote, refresh=True)), device_name
    directory = open_directory(Path(device_name))
    return directory, directory.root.name


class Directory(Value):
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


class Files(Value):
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
    """The content of a regular file; raises `PullError` for anything else and when it is larger.  A
    FIFO is not waited for, a link not followed."""
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


class RemoteFiles:
    """The files of `device`, about which `facts` are known; a `DeviceFiles`.  It does not ask twice
    for what it knows: the files should not change while they are read."""

    def __init__(self, device: Device, facts: Facts) -> None:
        self._device = device
        self._entries: dict[str, DeviceEntry | None] = {}
        # Only root can read the files of properties of newer phones; getprop has answered already.
        self._printed: dict[str, bytes] = {}
        if facts.platform == "android" and facts.soc:
            self._printed[PLACES.properties[0]] = f"ro.soc.model={facts.soc}\n".encode()
        self._contents: dict[str, bytes] = {}
        self._asked_usual = False

    @property
    def source(self) -> str:
        return f"{self._device.name} ({self._device.transport.address})"

    def entry(self, path: str) -> DeviceEntry | None:
        if path in self._printed:
            return DeviceEntry("file", len(self._printed[path]))
        if path not in self._entries:
            usual = [] if self._asked_usual else [*_usual_paths()]
            self._asked_usual = True
            self._ask_entries([*dict.fromkeys([path, *usual])])
        return self._entries[path]

    def names(self, path: str) -> list[str]:
        parts = self._exchange("names", [path])
        if parts is None:
            raise self._unreadable(path)
        names = []
        for (kind, name), (entry_kind, text) in zip(parts[::2], parts[1::2], strict=False):
            found = _entry(entry_kind, text)
            if kind != "name" or not found or b"/" in name:
                raise self._unreadable(path)
            names.append(_text(name))
            self._entries[f"{path.rstrip('/')}/{names[-1]}"] = found
        if len(parts) % 2 or len(names) > MAX_NAMES:
            raise self._unreadable(path)
        return sorted(names)

    def read(self, path: str, limit: int) -> bytes:
        if path in self._printed:
            return self._printed[path]
        if path not in self._contents:
            self._contents = dict(self._read([path, *self._header_siblings(path)], limit))
        if path not in self._contents:
            raise self._unreadable(path)
        data = self._contents.pop(path)
        if len(data) > limit:
            raise PullError(
                f"{path} of {self.source} is larger than {limit >> 10} KiB",
                why="the files that buildtool reads from a device are smaller",
                remedy="Check the device's file system.",
            )
        return data

    def _header_siblings(self, path: str) -> Iterator[str]:
        """The other files in the directory of a header: they are read next."""
        if path.startswith(f"{FOLDER}/"):
            folder = path.rpartition("/")[0]
            for other, entry in self._entries.items():
                beside = other != path and other.rpartition("/")[0] == folder
                if beside and entry and entry.kind == "file":
                    yield other

    def _read(self, paths: Sequence[str], limit: int) -> Iterator[tuple[str, bytes]]:
        chunk = next(_chunks(paths))  # the rest is read later
        parts = self._exchange("read", chunk, limit=limit + 1)
        if parts is not None and len(parts) == len(chunk):
            for path, (kind, data) in zip(chunk, parts, strict=True):
                if kind == "content":
                    yield path, data

    def _ask_entries(self, paths: Sequence[str]) -> None:
        for chunk in _chunks(paths):
            parts = self._exchange("entries", chunk)
            if parts is None or len(parts) != len(chunk):
                raise self._unreadable(chunk[0])
            for path, (kind, text) in zip(chunk, parts, strict=True):
                self._entries[path] = _entry(kind, text)

    def _exchange(
        self, what: str, paths: Sequence[str], *, limit: int = 0
    ) -> list[tuple[str, bytes]] | None:
        """The parts that the script prints: kind and text; None when it does not end well."""
        fence = f"[{secrets.token_hex(16)}]"
        variables = {"fence": fence, "what": what, "limit": str(limit)}
        output = self._device.exec(
            script("files"), variables, paths, timeout=EXCHANGE_SECONDS
        ).stdout
        pieces = output.split(f"\n{fence} ".encode())[1:]
        parts = [piece.partition(b"\n") for piece in pieces]
        if not parts or parts.pop()[0] != b"end":
            return None
        return [(_text(kind), text) for kind, _, text in parts]

    def _unreadable(self, path: str) -> PullError:
        return PullError(
            f"{path} of {self.source} cannot be read",
            why="the user that runs commands there may not read it, or it changed",
            remedy="Make it readable for that user, and pull again.",
        )


def _entry(kind: str, text: bytes) -> DeviceEntry | None:
    match kind:
        case "file" | "directory" | "other":
            return DeviceEntry(kind)
        case "link":
            return DeviceEntry("link", link=_text(text.removesuffix(b"\n")))
        case _:
            return None


def _text(data: bytes) -> str:
    return data[:MAX_PATH].decode("utf-8", errors="surrogateescape")


def _chunks(paths: Sequence[str]) -> Iterator[list[str]]:
    """`paths` in groups that one command line can have."""
    chunk: list[str] = []
    size = 0
    for path in paths:
        if chunk and size + len(path) > MAX_ARGUMENTS:
            yield chunk
            chunk, size = [], 0
        chunk.append(path)
        size += len(path) + 3
    yield chunk


def _usual_paths() -> Iterator[str]:
    """The places where `sysroot pull` looks, with the directories above them."""
    places = [*PLACES.android, *PLACES.properties, *PLACES.compatible, *PLACES.model, *PLACES.soc0]
    places += [f"{BASE}/conf.d", f"{FOLDER}/stdio.h"]
    places += [f"{folder}/{name}" for folder in FOLDERS for name in (*NEEDED, *OTHERS)]
    for system in PLACES.platforms.values():
        places += [f"{folder}/{name}" for folder in system.libraries for name in system.names]
        for name in PLACES.shell_names:
            places += [
                f"{folder}{domain}/{name}" for folder in system.shells for domain in ("/cdsp", "")
            ]
    for place in places:
        parts = place.split("/")
        yield from ("/".join(parts[:end]) for end in range(2, len(parts) + 1))
