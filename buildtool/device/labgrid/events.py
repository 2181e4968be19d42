"""What `place_holder` tells: events, and the errors that they mean."""

from __future__ import annotations

from collections.abc import Mapping
from typing import IO, Any

from buildtool.core.escape import escape_line
from buildtool.device.labgrid.labgrid_python import no_answer, parse_events
from buildtool.device.labgrid.place import LabgridError, person
from buildtool.device.sharing.holder import duration

MAX_EVENT = 1 << 24


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
