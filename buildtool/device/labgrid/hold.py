"""Places of labgrid that this process holds, until it ends."""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import threading
from collections.abc import Callable, Sequence

from buildtool.core.escape import escape_line
from buildtool.core.events import Listener, Note
from buildtool.core.interruption import interrupt
from buildtool.core.processes.process import running
from buildtool.device.labgrid.events import failure, next_event
from buildtool.device.labgrid.holders import holders
from buildtool.device.labgrid.labgrid_python import LabgridPython, environment
from buildtool.device.labgrid.place import LabgridError, Resources, parse_resources, person


class Hold:
    """The place `name`, which a process holds as long as `lifeline` is open and tells about in
    `events`.  `lost` is the error that says why the place is no longer held."""

    def __init__(
        self,
        python: LabgridPython,
        name: str,
        last: Sequence[str],
        *,
        wait: float,
        listener: Listener,
    ) -> None:
        """Hold the place, after others had `wait` seconds to release it.

        When this process is killed, the command `last` runs before the place is released.

        Raises `PlaceInUseError`, and `LabgridError`.
        """
        self.name = name
        self.lost: LabgridError | None = None
        self._unreleased = False
        self._python = python
        given, own = holders()
        below, self.lifeline = os.pipe()
        source, above = os.pipe()
        self._events = os.fdopen(source, "rb")
        try:
            try:
                with running(
                    python.command("hold", name, given, own, str(wait), json.dumps(last)),
                    env=environment(own.rpartition("/")[0]),
                    stdin=below,
                    stdout=above,
                    stderr=above,
                ) as process:
                    process.wait()  # it has started another process, in a session of its own
            finally:
                os.close(below)
                os.close(above)
            while (event := next_event(self._events)).get("event") == "waiting":
                who = person(str(event.get("holder")))
                listener(Note(f"waiting for the place {name} of labgrid, acquired by {who}"))
            if event.get("event") != "held":
                raise failure(name, event, wait)
        except BaseException:
            self.leave()
            self._events.close()
            raise
        self.resources: Resources = parse_resources(name, event.get("resources", ()))
        # What this process starts finds the place acquired by itself, and may use it.
        os.environ["LG_HOSTNAME"] = str(event.get("holder")).rpartition("/")[0]
        self._watcher = threading.Thread(target=self._watch, daemon=True)
        self._watcher.start()

    def leave(self) -> None:
        """Let the place be released, if it was acquired for this process."""
        lifeline, self.lifeline = self.lifeline, -1
        if lifeline >= 0:
            with contextlib.suppress(BrokenPipeError):
                os.write(lifeline, b".")
            os.close(lifeline)

    def join(self) -> None:
        """Wait until it is released, or the coordinator cannot be reached."""
        self.leave()
        self._watcher.join()
        if self._unreleased:
            self._python.release(self.name, holders()[1])

    def _watch(self) -> None:
        event = next_event(self._events)
        if self.lifeline < 0:
            return
        self._unreleased = not event
        self.lost = LabgridError(
            f"the place {self.name} of labgrid is no longer held by this command",
            why=escape_line(str(event.get("why", "the process that held it was killed")))
            + "; what ran on the device was ended",
            remedy="Start the command again.",
        )
        interrupt(self.lost)
        next_event(self._events)


_holds: dict[str, Hold] = {}
"""By the names of places."""
_left: list[Hold] = []


def held_place(name: str, acquire: Callable[[], Hold]) -> Hold:
    """This process's hold of the place called `name`; raises what `acquire` raises, and why it was
    lost."""
    hold = _holds.get(name) or _holds.setdefault(name, acquire())
    if hold.lost:
        raise hold.lost
    return hold


def lifeline_of(name: str) -> int | None:
    """A descriptor; the place called `name` is not released while a process has it."""
    return _holds[name].lifeline if name in _holds else None


def leave_place(name: str) -> None:
    """Let the place called `name` be released, if this process holds it."""
    if hold := _holds.pop(name, None):
        hold.leave()
        _left.append(hold)


@atexit.register
def _leave_all() -> None:
    for name in [*_holds]:
        leave_place(name)
    for hold in _left:
        hold.join()
