"""Reading access to the files of a device: a protocol, which each kind of device implements.

What a device says is not believed: links may lead nowhere, in circles or above the root, and
names may be anything.  Adapters answer about single paths without following links; following
them is done here, within the device's own root.

`places.toml`: where the files of a sysroot are on devices.
"""

from __future__ import annotations

import hashlib
import os
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Protocol

from buildtool.core.errors import BuildtoolError
from buildtool.core.events import Work
from buildtool.core.files import with_path_in_errors
from buildtool.core.trees import remove_tree
from buildtool.core.value import Value
from buildtool.sdk.sysroot import PulledFile

MAX_LINKS = 40  # as many as Linux follows in one path
MAX_PATH = 4096
MAX_FILES = 60_000
MAX_BYTES = 2 << 30


class PullError(BuildtoolError):
    """A file that a sysroot needs cannot be fetched from the device."""

    code = "sysroot-pull"


class DeviceEntry(Value):
    """The entry at a path: its kind, the size of a file in bytes, the target of a link."""

    kind: Literal["file", "directory", "link", "other"]
    size: int = 0
    link: str = ""


class DeviceFiles(Protocol):
    """Reading access to a device.  Paths are absolute on the device, without links in them."""

    @property
    def source(self) -> str:
        """The device, for messages."""

    def entry(self, path: str) -> DeviceEntry | None:
        """The entry at `path`, without following a link; None when there is none."""

    def names(self, path: str) -> list[str]:
        """The names in the directory `path`."""

    def read(self, path: str, limit: int) -> bytes:
        """The content of the file `path`; raises `PullError` when it has more than `limit` bytes
        or cannot be read."""


class Resolved(Value):
    """Where a path leads: to `path`, past `links` (path of a link, absolute target)."""

    path: str
    entry: DeviceEntry
    links: tuple[tuple[str, str], ...]


def resolve(device: DeviceFiles, path: str) -> Resolved | None:
    """Follow `path` within the device; None when it leads nowhere or has too many links."""
    waiting = _parts(path)
    at = ""
    links: list[tuple[str, str]] = []
    entry = DeviceEntry("directory")
    while waiting:
        part = waiting.pop()
        if part == "..":
            at = at.rpartition("/")[0]
            entry = DeviceEntry("directory")
            continue
        here = f"{at}/{part}"
        seen = device.entry(here) if len(here) < MAX_PATH and part.isprintable() else None
        if not seen or (waiting and seen.kind not in ("directory", "link")):
            return None
        if seen.kind != "link":
            at, entry = here, seen
            continue
        if len(links) == MAX_LINKS or len(seen.link) > MAX_PATH:
            return None
        if seen.link.startswith("/"):
            links.append((here, absolute("/", seen.link)))
            at = ""
        else:
            links.append((here, absolute(at or "/", seen.link)))
        waiting += _parts(seen.link)
        entry = DeviceEntry("directory")
    return Resolved(at or "/", entry, tuple(links))


def first(device: DeviceFiles, paths: Iterable[str]) -> Resolved | None:
    """The first of `paths` that leads to a file, or None."""
    for path in paths:
        found = resolve(device, path)
        if found and found.entry.kind == "file":
            return found
    return None


def absolute(folder: str, path: str) -> str:
    """`path` from `folder` as a path without `..`; as on a device, `..` of the root is the root."""
    parts: list[str] = [] if path.startswith("/") else [p for p in folder.split("/") if p]
    for part in path.split("/"):
        if part == "..":
            parts = parts[:-1]
        elif part not in ("", "."):
            parts.append(part)
    return "/" + "/".join(parts)


def _parts(path: str) -> list[str]:
    """The parts of a path, the last one first."""
    return [part for part in reversed(path.split("/")) if part not in ("", ".")]


class Platform(Value):
    """Directories of libcdsprpc and its file names, directories of DSP shells; in order."""

    libraries: tuple[str, ...]
    names: tuple[str, ...]
    shells: tuple[str, ...]


class SystemPlaces(Value):
    """The whole table; `android` lists files that only Android has."""

    platforms: Mapping[str, Platform]
    shell_names: tuple[str, ...]
    android: tuple[str, ...]
    properties: tuple[str, ...]
    compatible: tuple[str, ...]
    model: tuple[str, ...]
    soc0: tuple[str, ...]


def _read() -> SystemPlaces:
    table = tomllib.loads((Path(__file__).parent / "places.toml").read_text(encoding="utf-8"))
    return SystemPlaces(
        platforms={
            name: Platform(*(tuple(table[name][key]) for key in ("libraries", "names", "shells")))
            for name in ("ubuntu-aarch64", "android")
        },
        shell_names=tuple(table["shell"]["names"]),
        **{key: tuple(paths) for key, paths in table["facts"].items()},
    )


PLACES = _read()


class PrintedFiles(Value):
    """The files that the script printed, as a device that `sysroot` reads from."""

    source: str
    files: Mapping[str, bytes]

    def entry(self, path: str) -> DeviceEntry | None:
        if path in self.files:
            return DeviceEntry("file", len(self.files[path]))
        return DeviceEntry("directory") if self.names(path) else None

    def names(self, path: str) -> list[str]:
        below = path.rstrip("/") + "/"
        inside = [file[len(below) :] for file in self.files if file.startswith(below)]
        return sorted({name.partition("/")[0] for name in inside})

    def read(self, path: str, limit: int) -> bytes:
        return self.files[path][:limit]


@dataclass(slots=True)
class Fetched:
    """Files of `device`, written to `root` at the paths that they have there."""

    device: DeviceFiles
    root: Path
    rows: dict[str, PulledFile] = field(default_factory=dict)
    total: int = 0  # bytes
    shown: Work | None = None

    def file(self, found: Resolved, limit: int) -> Path:
        """Fetch the file that was found and the links on the way to it, unless it was fetched."""
        if self._key(found.path) not in self.rows:
            self.write(found.path, self.device.read(found.path, limit))
        self.links(found)
        return self.place(found.path)

    def write(self, path: str, data: bytes) -> None:
        """Write `data` as the content of the device's file `path`."""
        place = self._fresh(path)
        with with_path_in_errors(place):
            place.write_bytes(data)
        digest = hashlib.sha256(data).hexdigest()
        self.total += len(data)
        if self.shown:
            self.shown.transferred(self.total)
        self._record(PulledFile(self._key(path), len(data), digest))

    def links(self, found: Resolved) -> None:
        """Make the links on the way to `found`; relative, so that none leads out of the root."""
        for path, target in found.links:
            if self._key(path) in self.rows:
                continue
            relative = os.path.relpath(target, path.rpartition("/")[0] or "/")
            place = self._fresh(path)
            place.symlink_to(relative)
            self._record(PulledFile(self._key(path), link=relative))

    def clear(self) -> None:
        """Discard everything."""
        remove_tree(self.root)
        self.root.mkdir()
        self.rows.clear()
        self.total = 0

    def place(self, path: str) -> Path:
        return self.root / self._key(path)

    def _key(self, path: str) -> str:
        return path.lstrip("/")

    def _record(self, row: PulledFile) -> None:
        self.rows[row.path] = row
        if len(self.rows) > MAX_FILES or self.total > MAX_BYTES:
            raise PullError(
                f"{self.device.source} has too much to fetch",
                why=f"more than {MAX_FILES:,} files or {MAX_BYTES >> 30} GiB",
                remedy="Name a device's root with less in /usr/include, or leave --libc away.",
            )

    def _fresh(self, path: str) -> Path:
        """The path for a new file, below directories of the root that are not links."""
        place = self.place(path)
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            sound = place.parent.resolve() == place.parent and not os.path.lexists(place)
        except OSError:
            sound = False
        if not sound or not place.parent.is_relative_to(self.root):
            raise PullError(
                f"{path} of {self.device.source} is two things at once",
                why="a directory there is also a link or a file: it changed while it was read",
                remedy="Pull again when no other process writes to it.",
            )
        return place
