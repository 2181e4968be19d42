"""Waits until something changes in the directories that a target's steps read."""

from __future__ import annotations

import contextlib
import errno
import os
import selectors
import time
from collections.abc import Callable

from buildtool.watch.inputs import WatchedPlaces
from buildtool.watch.polling import SECONDS, Inotify, Polling

QUIET = 0.01
"""Seconds without a change after which one or two files are seen as complete."""
QUIET_BURST = 0.15
"""The same for more files, since version control and generators pause in between, and for files
that are missing or empty, since an editor may be about to write them."""
LONGEST = 3.0
"""Seconds after which a burst of changes is not waited for any longer."""


class Watch:
    """Watches directories; a context manager.  `note` gets messages for the user."""

    def __init__(self, note: Callable[[str], object]) -> None:
        self._note = note
        self._places = WatchedPlaces("/")
        self._selector = selectors.EpollSelector()
        self._nudged = os.eventfd(0, os.EFD_CLOEXEC | os.EFD_NONBLOCK)
        self._selector.register(self._nudged, selectors.EVENT_READ)
        self._source: Inotify | Polling
        try:
            self._source = Inotify()
        except (OSError, AttributeError) as error:
            self._source = self._polling(error)
        self._selector.register(self._source, selectors.EVENT_READ)

    def __enter__(self) -> Watch:
        return self

    def __exit__(self, *_: object) -> None:
        self._selector.close()
        self._source.close()
        os.close(self._nudged)

    def fileno(self) -> int:
        """A descriptor that can be read when something may have changed."""
        return self._selector.fileno()

    def nudge(self) -> None:
        """Let `fileno` be readable until the next call of `changed`."""
        os.eventfd_write(self._nudged, 1)

    def watch(self, places: WatchedPlaces) -> None:
        """Watch these places and no others."""
        self._places = places
        try:
            self._source.watch(places.names)
        except OSError as error:
            self._selector.unregister(self._source)
            self._source.close()
            self._source = self._polling(error)
            self._selector.register(self._source, selectors.EVENT_READ)
            self._source.watch(places.names)

    def is_ready(self) -> bool:
        """Whether `fileno` can be read."""
        return bool(self._selector.select(0))

    def wait(self) -> None:
        """Wait until `fileno` can be read."""
        self._selector.select()

    def changed(self) -> tuple[str, ...]:
        """The paths that have changed since the last call, when their burst has ended; () when
        nothing that counts has changed."""
        with contextlib.suppress(BlockingIOError):
            os.eventfd_read(self._nudged)
        found: dict[str, None] = {}
        deadline = time.monotonic() + LONGEST
        while True:
            found |= dict.fromkeys(sorted(self._read()))
            if not found or time.monotonic() > deadline:
                return tuple(found)
            few = len(found) < 3 and all(map(_has_content, found))
            if not self._selector.select(QUIET if few else QUIET_BURST):
                return tuple(found)

    def _read(self) -> set[str]:
        """The changed paths that count.  New directories of sources are watched from now on."""
        paths = set()
        for directory, name in self._source.read():
            if not self._places.counts(directory, name):
                continue
            path = f"{directory}/{name}" if name else directory
            paths.add(path)
            if name and self._places.names[directory] is None and os.path.isdir(path):  # noqa: PTH112
                self._places.add_tree(path)
                self.watch(self._places)
        return paths

    def _polling(self, error: Exception) -> Polling:
        number = error.errno if isinstance(error, OSError) else 0
        limit = {errno.ENOSPC: "watches", errno.EMFILE: "instances"}.get(number or 0)
        more = 512 if limit == "instances" else 524288
        self._note(
            f"the system's limit of inotify {limit} is reached: looking for changes every"
            f" {SECONDS:g} s instead\n  → Raise it: sudo sysctl fs.inotify.max_user_{limit}={more}"
            if limit
            else f"inotify cannot be used ({error}): looking for changes every {SECONDS:g} s"
        )
        return Polling()


def _has_content(path: str) -> bool:
    try:
        return os.stat(path).st_size > 0  # noqa: PTH116 - many files
    except OSError:
        return False
