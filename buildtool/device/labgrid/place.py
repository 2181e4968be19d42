"""Places of labgrid as its coordinator describes them, and the Python that asks it.

Everybody in the lab can write to places, so nothing about them is trusted.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import re
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from buildtool.core.escape import escape_line
from buildtool.core.processes.process import capture
from buildtool.core.value import Value
from buildtool.device.errors import DeviceError, last_lines
from buildtool.device.labgrid import place_holder
from buildtool.device.labgrid.place_holder import MARK
from buildtool.sdk.tool_search import ToolMissingError, programs_on_path

MAX_TEXT = 200
ADB_PORT = 5037
SERVICE = "NetworkService"
USB = ("NetworkAndroidUSBFastboot", "RemoteAndroidUSBFastboot")
"""What exporters make of an AndroidUSBFastboot, which is also a device with adb."""
PROGRAM = "labgrid-client"
LIST_SECONDS = 60.0
LISTED_SECONDS = 4.0
"""How old the list of places may be for those who look at many of them."""
_SHEBANG = rb"#!\s*(/\S*python[\d.]*)\s|#!/bin/sh\n'''exec' \"?(/[^\"\n]*python[\d.]*)\"? "
"""The first line of a Python script; and the form of pip and uv for paths with blanks."""
_listing = threading.Lock()
_lists: dict[Path, tuple[float, Mapping[str, ListedPlace]]] = {}


class LabgridError(DeviceError):
    """The coordinator of a lab does not do what it is asked for."""

    code = "labgrid"


class Resources(Value):
    """The available resources of the place `name`: their class and parameters."""

    name: str
    found: tuple[tuple[str, Mapping[str, Any]], ...]

    def ssh_address(self) -> tuple[str, int]:
        """USER@HOST and port of the only network service, 0 for ssh's default."""
        service = self._only(SERVICE)
        extra = service.get("extra")
        if isinstance(extra, dict) and extra.get("proxy_required"):
            raise self._unusable(f"its exporter allows ssh only through {extra.get('proxy')!r}")
        return f"{service.get('username')}@{service.get('address')}", _port(service)

    def adb_address(self) -> tuple[str, str]:
        """Serial number and adb server of the only USB device, or else of the network service,
        for which the server is the user's: ""."""
        if any(kind in USB for kind, _ in self.found):
            device = self._only(*USB)
            return f"usb:{device.get('path')}", f"{device.get('host')}:{ADB_PORT}"
        service = self._only(SERVICE)
        return f"{service.get('address')}:{_port(service)}", ""

    def _only(self, *kinds: str) -> Mapping[str, Any]:
        found = [parameters for kind, parameters in self.found if kind in kinds]
        if len(found) == 1:
            return found[0]
        have = ", ".join(kind for kind, _ in self.found) or "none"
        raise self._unusable(f"it needs one {' or '.join(kinds)}; available there: {have}")

    def _unusable(self, why: str) -> LabgridError:
        return LabgridError(
            f"the place {self.name} of labgrid does not say how its device is reached",
            why=escape_line(why)[:MAX_TEXT],
            remedy=f"Look at it: labgrid-client -p {self.name} show. Or write in"
            " devices.toml how it is reached: address = …",
        )


def parse_resources(name: str, rows: Any) -> Resources:
    """The resources in what `place_holder` says."""
    known = [(str(kind), value) for kind, value in rows if isinstance(value, dict)]
    return Resources(name, tuple(known))


def person(holder: str) -> str:
    """HOST/USER, who has acquired a place, for people."""
    host, _, user = holder.rpartition("/")
    host, mark, _ = host.partition(MARK)
    return escape_line(f"{user}@{host}")[:MAX_TEXT] + " with buildtool" * bool(mark)


def _port(service: Mapping[str, Any]) -> int:
    port = service.get("port")
    return port if isinstance(port, int) else 0


class ListedPlace(Value):
    """Who has a place, HOST/USER or "", and its tags, `KEY=VALUE`."""

    holder: str
    tags: tuple[str, ...]


class LabgridPython(Value):
    """The interpreter `where`, which can import labgrid."""

    where: Path

    def command(self, verb: str, *arguments: str) -> list[str]:
        """The command line of `place_holder.main`."""
        return [str(self.where), place_holder.__file__, verb, *arguments]

    def places(self) -> Mapping[str, ListedPlace]:
        """All places by name, as they were at most `LISTED_SECONDS` ago; raises `LabgridError`."""
        with _listing:
            when, places = _lists.get(self.where, (-math.inf, {}))
            if time.monotonic() - when > LISTED_SECONDS:
                done = capture(self.command("list"), env=environment(), timeout=LIST_SECONDS)
                answer, messages = parse_events(done.output)
                if answer.get("event") != "places":
                    raise no_answer(answer, messages)
                places = {
                    str(name): ListedPlace(str(holder), tuple(f"{k}={v}" for k, v in tags.items()))
                    for name, holder, tags in answer["places"]
                }
                _lists[self.where] = time.monotonic(), places
        return places

    def release(self, name: str, holder: str) -> None:
        """Release the place called `name` if `holder`, HOST/USER, has it."""
        capture(self.command("release", name, holder), env=environment(), timeout=LIST_SECONDS)


def environment(host: str = "") -> Mapping[str, str]:
    """The environment of labgrid, to which this machine is called `host`."""
    return {**os.environ, **({"LG_HOSTNAME": host} if host else {})}


def parse_events(text: str) -> tuple[Mapping[str, Any], str]:
    """The event in the last line, {} if there is none, and the lines before it."""
    *lines, last = text.strip().split("\n")
    with contextlib.suppress(ValueError, RecursionError):
        event = json.loads(last)
        if isinstance(event, dict):
            return event, "\n".join(lines)
    return {}, text


def no_answer(event: Mapping[str, Any], messages: str) -> LabgridError:
    """The error that the coordinator does not answer as it should."""
    return LabgridError(
        "the coordinator of labgrid does not do what it is asked for",
        why=last_lines(f"{messages}\n{event.get('why', '')}") or "it gave no reason",
        remedy=f"Name it in LG_COORDINATOR=HOST:PORT, and try: {PROGRAM} places",
    )


def find_labgrid() -> LabgridPython:
    """The Python of labgrid-client on PATH; raises `ToolMissingError`."""
    why = "devices with the key `via` are places of labgrid"
    for program in programs_on_path(PROGRAM):
        with program.open("rb") as stream:
            if found := re.match(_SHEBANG, stream.read(4096)):
                return LabgridPython(Path(os.fsdecode(found[1] or found[2])))
        why = f"{program} is not a script that names its Python in the first line"
        break
    raise ToolMissingError(
        f"{PROGRAM} is not installed", why=why, remedy="Install it on PATH: pipx install labgrid"
    )
