"""Holds a place of labgrid until the process that has started this one has ended.

Runs in the Python of the user's labgrid, and imports nothing of buildtool.  It is a process of its
own because a place stays acquired when its client ends, whatever ends it.  Its standard input ends
with buildtool, after a byte if that was not killed; it writes events to standard output, a JSON
object on each line.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import signal
import sys
from typing import Any

RETRY_SECONDS = 5.0
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
LOST = "the connection to the coordinator has ended"
MARK = "+buildtool-"
_PROCESS = rf"(.*{re.escape(MARK)}\w+)-(\d{{1,10}})-\w+(/.*)"
"""The holder HOST+buildtool-SYSTEM-PID-RANDOM/USER."""


def main(verb: str, *arguments: str) -> None:
    """`hold PLACE GIVEN OWN SECONDS LAST`, `release PLACE HOLDER`, or `list`; see the functions."""
    if verb == "hold":
        if os.fork():
            return  # in a session of its own, it does not get the signals that end buildtool
        os.setsid()
        for number in SIGNALS:
            signal.signal(number, signal.SIG_IGN)
    del sys.path[0]  # the directory of this file
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    loop.run_until_complete(_main(loop, verb, *arguments))


async def _main(loop: Any, verb: str, *arguments: str) -> None:
    from labgrid.remote.client import ClientSession, Error  # noqa: PLC0415 - takes time
    from labgrid.util.proxy import proxymanager  # noqa: PLC0415

    news = asyncio.Event()

    class Session(ClientSession):  # type: ignore[misc]  # labgrid has no types here
        async def on_place_changed(self, place: Any) -> None:
            await super().on_place_changed(place)
            news.set()

        async def on_place_deleted(self, name: str) -> None:
            await super().on_place_deleted(name)
            news.set()

        async def message_pump(self) -> None:
            await super().message_pump()
            news.set()

    where = os.environ.get("LG_COORDINATOR", "127.0.0.1:20408")
    session = Session(proxymanager.get_grpc_address(where, default_port=20408), loop)
    try:
        await session.start()
    except Error as error:
        _say("failed", why=f"{error}: {where}")
        return
    if verb == "list":
        places = session.places.values()
        _say("places", places=[[p.name, p.acquired or "", dict(p.tags)] for p in places])
    elif verb == "release":
        await _release(session, *arguments)
    else:
        await _Holder(session, news, arguments).run()


class _Holder:
    """Holds the place `name` as `own`, HOST/USER; others have `seconds` to release it.

    A place that the user has acquired before, as `given`, stays acquired at the end.  After
    buildtool was killed, the command `last` waits until nothing of it runs on the device.
    """

    def __init__(self, session: Any, news: asyncio.Event, arguments: tuple[str, ...]) -> None:
        self.session, self.news = session, news
        self.name, self.given, self.own, seconds, last = arguments
        self.last = json.loads(last)
        self.loop = asyncio.get_running_loop()
        self.end = self.loop.time() + float(seconds)
        self.gone = self.left = False
        self.loop.add_reader(0, self._read)

    def _read(self) -> None:
        if os.read(0, 1):
            self.left = True
            return
        self.loop.remove_reader(0)
        self.gone = True
        self.news.set()

    @property
    def stopped(self) -> bool:
        """Whether the connection to the coordinator has ended."""
        return bool(self.session.stopping.is_set())

    @property
    def holder(self) -> str:
        """HOST/USER who has the place, "" for nobody."""
        place = self.session.places.get(self.name)
        return (place.acquired or "") if place else ""

    async def run(self) -> None:
        try:
            if holder := await self._acquire():
                _say("held", holder=holder, resources=self._resources())
                while not (self.gone or self.stopped) and self.holder == holder:
                    await self._next()
                why = LOST if self.stopped else f"it is now acquired by: {self.holder or 'nobody'}"
                if not self.gone:
                    _say("lost", why=why)
            while not self.gone:  # buildtool ends what runs on the device
                await self._next()
            if not (self.left or self.stopped) and self.holder == self.own:
                self._run_last()
        finally:
            await _release(self.session, self.name, self.own, forever=True)

    def _run_last(self) -> None:
        environment = {k: v for k, v in os.environ.items() if k != "BUILDTOOL_DEVICE_LOCK"}
        # What gRPC does at fork, which this does not call, can crash.
        process = os.posix_spawn(self.last[0], self.last, environment, setsigdef=SIGNALS)
        os.waitpid(process, 0)

    async def _acquire(self) -> str:
        """Acquire the place if nobody has it; returns its holder, "" if that is somebody else."""
        import grpc  # noqa: PLC0415 - takes time
        from labgrid.remote.generated import labgrid_coordinator_pb2  # noqa: PLC0415

        told, ended = "", set()
        while not (self.gone or self.stopped):
            if self.name not in self.session.places:
                _say("unknown", names=sorted(self.session.places))
                return ""
            holder = self.holder
            if holder in (self.given, self.own):
                return holder
            if not holder:
                request = labgrid_coordinator_pb2.AcquirePlaceRequest(placename=self.name)
                why = ""
                try:
                    await self.session.stub.AcquirePlace(request)
                except grpc.aio.AioRpcError as error:
                    why = error.details()
                await self.session.sync_with_coordinator()
                if why and not self.holder:
                    _say("failed", why=why)
                    return ""
            elif holder not in ended and _has_ended(holder, self.own):
                ended.add(holder)
                await _release(self.session, self.name, holder)
                await self.session.sync_with_coordinator()
            elif self.loop.time() >= self.end:
                _say("in-use", holder=holder)
                return ""
            else:
                if told != holder:
                    told = holder
                    _say("waiting", holder=holder)
                await self._next()
        _say("failed", why=LOST)
        return ""

    async def _next(self) -> None:
        """Wait for news, or for the end of the time to wait."""
        left = self.end - self.loop.time()
        try:
            await asyncio.wait_for(self.news.wait(), left if 0 < left < 1e6 else None)
        except asyncio.TimeoutError:  # noqa: UP041 - another class before Python 3.11
            return
        self.news.clear()

    def _resources(self) -> list[Any]:
        """Class and parameters of the available resources of the place."""
        found = []
        for exporter, group, _, name in self.session.places[self.name].acquired_resources:
            resource = self.session.resources.get(exporter, {}).get(group, {}).get(name)
            if resource and resource.avail:
                found.append([resource.cls, resource.params])
        return found


def _has_ended(holder: str, own: str) -> bool:
    """Whether `holder` is a process of buildtool of this user on this system that has ended."""
    one, other = re.fullmatch(_PROCESS, holder), re.fullmatch(_PROCESS, own)
    if not (one and other and one.group(1, 3) == other.group(1, 3)):
        return False
    try:
        os.kill(int(one[2]), 0)
    except (ProcessLookupError, OverflowError):
        return True
    except PermissionError:
        pass
    return False


async def _release(session: Any, name: str, holder: str, *, forever: bool = False) -> None:
    """Release the place if `holder` has it; `forever` tries it until the coordinator has answered:
    buildtool does not wait for that."""
    import grpc  # noqa: PLC0415 - takes time
    from labgrid.remote.generated import labgrid_coordinator_pb2  # noqa: PLC0415

    request = labgrid_coordinator_pb2.ReleasePlaceRequest(placename=name, fromuser=holder)
    silent = (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED)
    while True:
        try:
            await session.stub.ReleasePlace(request, timeout=60)
            return
        except grpc.aio.AioRpcError as error:
            if error.code() not in silent:
                return  # there is no such place any more
        if not forever:
            return
        _say("unreachable")
        await asyncio.sleep(RETRY_SECONDS)


def _say(event: str, **values: Any) -> None:
    line = json.dumps({"event": event, **values}) + "\n"
    with contextlib.suppress(OSError):  # buildtool has ended
        os.write(1, line.encode())


if __name__ == "__main__":
    main(*sys.argv[1:])
