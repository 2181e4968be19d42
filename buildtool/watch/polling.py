"""Events of directories by looking at them each second, where inotify cannot be used.

The Linux kernel tells events of directories by inotify(7).

Packages that wrap inotify take the directories once, when they start, or read events in a thread of
their own.  `buildtool run --watch` finds more directories with each build, and waits for events and
for its program at the same time, on descriptors.
"""

from __future__ import annotations

import ctypes
import errno
import os
import struct
import threading
from collections.abc import Collection

from buildtool.core.files import Stamp, stamp_of

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


Event = tuple[str, str]
"""A directory, and the name in it of what changed; "" for the directory itself."""

IN_ATTRIB, IN_CLOSE_WRITE = 0x4, 0x8
IN_MOVED_FROM, IN_MOVED_TO, IN_CREATE, IN_DELETE = 0x40, 0x80, 0x100, 0x200
IN_DELETE_SELF, IN_MOVE_SELF, IN_Q_OVERFLOW, IN_IGNORED = 0x400, 0x800, 0x4000, 0x8000
IN_ONLYDIR = 0x1000000
_MASK = (
    (IN_ATTRIB | IN_CLOSE_WRITE | IN_MOVED_FROM | IN_MOVED_TO | IN_CREATE | IN_DELETE)
    | (IN_DELETE_SELF | IN_MOVE_SELF)
    | IN_ONLYDIR
)
_HEAD = struct.Struct("iIII")  # watch, mask, cookie, length of the name
_READ = 1 << 16
_GONE = (errno.ENOENT, errno.ENOTDIR, errno.EACCES, errno.ELOOP)


class Inotify:
    """The directories that are watched; a context manager.

    Raises `OSError` when this user has too many of them (`ENOSPC`) or too many such objects
    (`EMFILE`), and `AttributeError` on systems without inotify.
    """

    def __init__(self) -> None:
        self._libc = ctypes.CDLL(None, use_errno=True)
        self._descriptor = self._checked(self._libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC))
        self._watches: dict[str, int] = {}
        self._directories: dict[int, str] = {}

    def fileno(self) -> int:
        """A descriptor that can be read when there are events."""
        return self._descriptor

    def watch(self, directories: Collection[str]) -> None:
        """Watch these directories and no others, as far as they are there."""
        for directory in self._watches.keys() - set(directories):
            watch = self._watches.pop(directory)
            self._directories.pop(watch, None)
            self._libc.inotify_rm_watch(self._descriptor, watch)
        for directory in directories:
            self.add(directory)

    def add(self, directory: str) -> None:
        """Watch one more directory, if it is there."""
        if directory in self._watches:
            return
        try:
            path = os.fsencode(directory)
            watch = self._checked(self._libc.inotify_add_watch(self._descriptor, path, _MASK))
        except OSError as error:
            if error.errno in _GONE:
                return
            raise
        self._watches[directory] = watch
        self._directories[watch] = directory

    def read(self) -> set[Event]:
        """The events since the last call; does not wait."""
        events: set[Event] = set()
        while data := self._data():
            at = 0
            while at < len(data):
                watch, mask, _, length = _HEAD.unpack_from(data, at)
                name = data[at + _HEAD.size : at + _HEAD.size + length].rstrip(b"\0")
                at += _HEAD.size + length
                if mask & IN_Q_OVERFLOW:  # the kernel has dropped events
                    events.update((directory, "") for directory in self._watches)
                elif directory := self._directories.get(watch):
                    events.add((directory, os.fsdecode(name)))
                    if mask & (IN_IGNORED | IN_MOVE_SELF):
                        self._forget(directory)
        return events

    def close(self) -> None:
        os.close(self._descriptor)

    def _forget(self, directory: str) -> None:
        """A directory was removed or has another path now."""
        watch = self._watches.pop(directory, -1)
        self._directories.pop(watch, None)
        self._libc.inotify_rm_watch(self._descriptor, watch)

    def _data(self) -> bytes:
        try:
            return os.read(self._descriptor, _READ)
        except BlockingIOError:
            return b""

    def _checked(self, result: int) -> int:
        if result < 0:
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number))
        return result
