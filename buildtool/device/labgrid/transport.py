"""A device whose place in a lab is acquired while this process uses it, over ssh or adb.

Places of labgrid that this process holds, until it ends.

Under which names this process and its user have acquired places of labgrid.

`place_holder` tells events, some of which are errors.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import getpass
import json
import os
import secrets
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from buildtool.core.escape import escape_line
from buildtool.core.events import Listener, Note
from buildtool.core.files import value_digest
from buildtool.core.processes.interrupts import interrupt
from buildtool.core.processes.process import running
from buildtool.device.errors import DeviceError
from buildtool.device.labgrid.place import (
    LabgridError,
    LabgridPython,
    ListedPlace,
    Resources,
    environment,
    find_labgrid,
    no_answer,
    parse_events,
    parse_resources,
    person,
)
from buildtool.device.labgrid.place_holder import MARK
from buildtool.device.sharing import duration
from buildtool.device.transports.transport import Command, Transport

if TYPE_CHECKING:
    from socket import socket

    from buildtool.device.configuration import ConfiguredDevice

_holds: dict[str, Hold] = {}
"""By the names of places."""
_left: list[Hold] = []
MAX_EVENT = 1 << 24


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


def held_place(name: str, acquire: Callable[[], Hold]) -> Hold:
    """This process's hold of the place called `name`; raises what `acquire` raises, and why it was
    lost."""
    hold = _holds.get(name) or _holds.setdefault(name, acquire())
    if hold.lost:
        raise hold.lost
    return hold


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


@functools.cache
def holders() -> tuple[str, str]:
    """HOST/USER under which this user acquires places by hand, and that of this process.  With a
    name of its own, a process never releases what another one has acquired."""
    host = os.environ.get("LG_HOSTNAME") or os.uname().nodename
    user = os.environ.get("LG_USERNAME") or getpass.getuser()
    number = f"{_system()}-{os.getpid()}-{secrets.token_hex(3)}"
    return f"{host}/{user}", f"{host.partition(MARK)[0]}{MARK}{number}/{user}"


def _system() -> str:
    """Stands for the boot and the container in which numbers of processes mean something."""
    boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii")
    return value_digest([boot, str(Path("/proc/self/ns/pid").readlink())])[:8]


class PlaceInUseError(LabgridError):
    """Somebody else has acquired the place."""

    code = "device-in-use"

    def __init__(self, name: str, holder: str, waited: float) -> None:
        super().__init__(
            f"the place {name} of labgrid is acquired by {person(holder)}",
            why=f"it was not released in {duration(waited)}"
            if waited
            else "one user at a time has a place",
            remedy="Wait for it: --wait forever. If nobody uses it, release it:"
            f" labgrid-client -p {name} release --kick",
        )


def next_event(events: IO[bytes]) -> Mapping[str, Any]:
    """The next event, with other lines before it in `messages`; without "event" at the end."""
    messages = ""
    while line := events.readline(MAX_EVENT):
        event, _ = parse_events(line.decode(errors="replace"))
        if event:
            return {"messages": messages, **event}
        messages = (messages + line.decode(errors="replace"))[-MAX_EVENT:]
    return {"messages": messages} if messages else {}


def failure(name: str, event: Mapping[str, Any], waited: float) -> LabgridError:
    """The error that the place called `name` is not held, after `waited` seconds."""
    if event.get("event") == "in-use":
        return PlaceInUseError(name, str(event.get("holder")), waited)
    if event.get("event") == "unknown":
        known = ", ".join(map(str, event.get("names", ())))
        return LabgridError(
            f"labgrid has no place {name!r}",
            why=f"its places: {escape_line(known)[:500] or 'none'}",
            remedy='Write in devices.toml the name of a place: via = "labgrid:PLACE"',
        )
    return no_answer(event, str(event.get("messages", "")))


class PlaceTransport:
    """The transport that `opened` makes for `configured`, the device called `device`.

    The place called `name` gives the address if there is none.  Others have `wait` seconds to
    release the place.
    """

    def __init__(
        self,
        name: str,
        device: str,
        configured: ConfiguredDevice,
        opened: Callable[[ConfiguredDevice], Transport],
        *,
        wait: float,
        listener: Listener,
    ) -> None:
        self._name, self._configured, self._opened = name, configured, opened
        # Others have the lock of the device when nothing of this process runs there any more.
        lock = [sys.executable, "-P", "-m", "buildtool", "devices", "lock", device]
        last = (*lock, "--wait", "1m", "--", "true")
        self._python = find_labgrid()
        self._acquire = partial(Hold, self._python, name, last, wait=wait, listener=listener)
        self._reached: Transport | None = None
        # Without an address of the device, to find out what does not depend on it.
        self._any = opened(configured._replace(address=configured.address or name))

    @property
    def address(self) -> str:
        return f"labgrid {self._name}"

    @property
    def root(self) -> str:
        return self._any.root

    @property
    def environment(self) -> Mapping[str, str]:
        return self._any.environment

    @property
    def direct(self) -> bool:
        return False

    def connect(self, *, unattended: bool = False) -> None:
        self._held().connect(unattended=unattended)

    def command(self, script: str, *, terminal: bool = False) -> Command:
        return self._held().command(script, terminal=terminal)

    def forwarded(self, number: int) -> AbstractContextManager[Callable[[], socket]]:
        return self._held().forwarded(number)

    def lost(self, status: int, messages: str) -> DeviceError:
        return (self._reached or self._any).lost(status, messages)

    def leave(self) -> None:
        """Let the place be released, if this process holds it."""
        leave_place(self._name)

    @property
    def lifeline(self) -> int | None:
        """A descriptor for processes that use the device for this one: the place is not released
        while one has it."""
        return _holds[self._name].lifeline if self._name in _holds else None

    def listed_place(self) -> ListedPlace:
        """The place as the coordinator lists it, whoever holds it.  Raises `LabgridError`."""
        return self._python.places().get(self._name, ListedPlace("", ()))

    def _held(self) -> Transport:
        """The transport to the device, whose place this process holds."""
        hold = held_place(self._name, self._acquire)
        if not self._reached:
            self._reached = self._opened(_addressed(self._configured, hold.resources))
        return self._reached


def _addressed(device: ConfiguredDevice, found: Resources) -> ConfiguredDevice:
    if device.address:
        return device
    if device.transport == "ssh":
        address, port = found.ssh_address()
        return device._replace(address=address, port=device.port or port)
    serial, server = found.adb_address()
    return device._replace(address=serial, adb_server=device.adb_server or server)
