"""Events of directories by looking at them each second, where inotify cannot be used."""

from __future__ import annotations

import os
import threading
from collections.abc import Collection

from buildtool.core.file_stamp import Stamp, stamp_of
from buildtool.watch.inotify import Event

SECONDS = 1.0
Entries = dict[str, Stamp]


class Polling:
    """The directories that are looked at, with the interface of `Inotify`."""

    def __init__(self) -> None:
        self._read, self._write = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
        self._directories: dict[str, Entries] = {}
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._tick, daemon=True)
        self._thread.start()

    def fileno(self) -> int:
        """A descriptor that can be read when it is time to look."""
        return self._read

    def watch(self, directories: Collection[str]) -> None:
        """Look at these directories and no others."""
        for directory in self._directories.keys() - set(directories):
            del self._directories[directory]
        for directory in directories:
            self.add(directory)

    def add(self, directory: str) -> None:
        """Look at one more directory."""
        if directory not in self._directories:
            self._directories[directory] = _entries(directory)

    def read(self) -> set[Event]:
        """The changes since the last call."""
        try:
            if not os.read(self._read, 1 << 10):
                return set()
        except BlockingIOError:
            return set()
        events: set[Event] = set()
        for directory, before in self._directories.items():
            now = self._directories[directory] = _entries(directory)
            names = before.keys() | now.keys()
            events.update((directory, n) for n in names if before.get(n) != now.get(n))
        return events

    def close(self) -> None:
        self._closed.set()
        self._thread.join()
        os.close(self._read)
        os.close(self._write)

    def _tick(self) -> None:
        while not self._closed.wait(SECONDS):
            try:
                os.write(self._write, b".")
            except BlockingIOError:
                continue  # nobody looks


def _entries(directory: str) -> Entries:
    """The entries of a directory, without the sizes and times of directories, which change with
    what is in them."""
    entries: Entries = {}
    try:
        with os.scandir(directory) as found:
            for entry in found:
                folder = entry.is_dir(follow_symlinks=False)
                status = entry.stat(follow_symlinks=False)
                entries[entry.name] = (status.st_ino, 0, 0, 0) if folder else stamp_of(status)
    except OSError:
        return entries  # it is gone, or an entry is
    return entries
