"""One exchange of a push: a script that holds a lock on the device, and what is sent to it."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from typing import IO

from buildtool.core.escape import escape
from buildtool.core.events import Listener, Note
from buildtool.core.processes.process import PIPE
from buildtool.core.value import Value
from buildtool.device.conversation import conversation
from buildtool.device.device import Device
from buildtool.device.errors import DeviceError, foreign
from buildtool.device.script import ScriptReport
from buildtool.device.sharing import user_and_host

LOCK_SECONDS = 120.0
LOCK_POLL_SECONDS = 0.5
MAX_REASON = 1000
"""Characters of what the device's tools say about a failure, its end."""
MAX_OWNER = 200
"""Characters that are shown of who pushes."""


class Pushed(Value):
    """The amount of data that a push sent: the number of files and links, and the bytes in them."""

    files: int = 0
    size: int = 0

    def and_also(self, other: Pushed) -> Pushed:
        return Pushed(self.files + other.files, self.size + other.size)


def exchange(
    device: Device,
    text: str,
    variables: Mapping[str, str],
    *,
    arguments: Sequence[str] = (),
    write: Callable[[IO[bytes]], object] = lambda _: None,
    listener: Listener,
) -> ScriptReport:
    """Run a script to whose standard input `write` writes; again while another process has its
    lock, for at most `LOCK_SECONDS`.  Returns its report."""
    deadline = time.monotonic() + LOCK_SECONDS
    told = False
    variables = {"owner": owner(), **variables}
    while True:
        with conversation(
            device.transport, text, variables, arguments, stdin=PIPE, prints=False
        ) as talk:
            with talk.sending(write):
                talk.wait()
            report = talk.report()
        if report.word != "locked" or time.monotonic() > deadline:
            return report
        if not told:
            who = f", started by {name}" if (name := _pusher(report)) else ""
            listener(Note(f"waiting for another push to {device.name}{who}"))
        told = True
        time.sleep(LOCK_POLL_SECONDS)


def failure(device: Device, report: ScriptReport, what: str = "the release") -> DeviceError:
    """The error for a report that ends a push of `what`."""
    where = f"{device.name} ({device.transport.address})"
    text = escape(report.text[-MAX_REASON:])
    if report.word == "foreign":
        return foreign(where, report.text[-MAX_REASON:])
    if report.word == "locked":
        return DeviceError(
            f"another push to {where} has not ended in {LOCK_SECONDS:g} s",
            why=f"it was started by {who}"
            if (who := _pusher(report))
            else "the device does not say by whom it was started",
            remedy="Wait for it, or end that process.",
        )
    full = "No space left" in report.text
    return DeviceError(
        f"{where} cannot take {what}" if full else f"pushing {what} to {where} failed",
        why=text or f"its script ended with {report.word!r}",
        remedy="Make room there; the next push goes on from what has arrived."
        if full
        else f"Check the device: buildtool devices check {device.name}",
    )


def _pusher(report: ScriptReport) -> str:
    """Who holds the lock that is reported, "" if the device does not say it; see lock.sh."""
    words = report.text.split(" ", 3)
    return escape(words[3])[:MAX_OWNER] if len(words) > 3 else ""


def owner() -> str:
    """Who pushes, for others."""
    return f"{user_and_host()}, process {os.getpid()}"
