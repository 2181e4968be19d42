"""The files and links fetched so far, below a directory, each with its digest."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass, field
from pathlib import Path

from buildtool.core.events import Work
from buildtool.core.files import with_path_in_errors
from buildtool.core.trees import remove_tree
from buildtool.device.sysroot.device_files import DeviceFiles, PullError, Resolved
from buildtool.sdk.sysroot import PulledFile

MAX_FILES = 60_000
MAX_BYTES = 2 << 30


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
