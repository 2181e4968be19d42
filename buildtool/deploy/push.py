"""Pushes a release to a device: what differs is sent, and the release is made current as a whole.

buildtool assumes that the device has nothing, or the release that was pushed to it last.  The
device checks this before and after the push.  If it has something else, it lists its files, and
buildtool sends the difference to those.
"""

from __future__ import annotations

import io
import math
import os
import time
from collections.abc import Callable, Mapping, Sequence
from typing import IO

from buildtool.core.escape import escape
from buildtool.core.events import Note, work
from buildtool.core.processes.process import PIPE
from buildtool.core.value import Value
from buildtool.deploy.contents import (
    Contents,
    Deployment,
    Site,
    parse_scan,
    scan_digest,
    scan_text,
    stored,
)
from buildtool.deploy.stream import Changes, changes, unpacker, write_archive
from buildtool.device.conversation import conversation
from buildtool.device.device import Device
from buildtool.device.errors import DeviceError, foreign
from buildtool.device.script import LOCK_SCRIPTS, ScriptReport, script
from buildtool.device.sharing import user_and_host

SCRIPTS = (*LOCK_SCRIPTS, "scan", "prune", "push")
MAX_INLINE = 1 << 20
"""Bytes of an archive that is sent in one exchange with the start of a program: a larger one is
better compressed while it is sent."""
MAX_INLINE_NAMES = 8 << 10
"""Characters of the paths that are removed then: they are arguments of the script."""
ROUNDS = 6
"""How often a difference is sent that does not become smaller.  It is sent once when the device
holds what is expected, and twice otherwise; more often only while a program writes there."""
KEPT_LOGS = 20
GO_ON = """same_boot "$boot"
[ -z "$access" ] || use_device
push "$@"
if [ "$pushed" = done ]; then unlock; elif [ "$unpack" != - ]; then head -c "$bytes" >/dev/null; fi
umask "$mask"
"""
"""Pushes, and goes on when the archive is read and the lock of the project released; `mask` is set
before, `boot` as in start.sh, and `access` as in device_lock.sh."""
LOCK_SECONDS = 120.0
LOCK_POLL_SECONDS = 0.5
MAX_REASON = 1000
"""Characters of what the device's tools say about a failure, its end."""
MAX_OWNER = 200
"""Characters that are shown of who pushes."""


class InlinePush(Value):
    """A push as the beginning of another script: the variables and arguments of `SCRIPTS`, after
    which comes `GO_ON`, and the `data` on standard input that they read."""

    variables: Mapping[str, str]
    arguments: tuple[str, ...]
    data: bytes


class Push(Value):
    """A push of `deployment` to `site`."""

    site: Site
    deployment: Deployment

    @property
    def contents(self) -> Contents:
        """The contents of the release on the device."""
        contents = self.deployment.contents
        return stored(contents) if self.site.store else contents

    def run(self, base: str | None, have: Contents, *, repair: bool = False) -> Pushed:
        """Make the deployment the current release.

        It is assumed that the device has the release `base` ("": none) with the contents `have`;
        None: they are not known.  With `repair`, `base` is the deployment itself, which is damaged.
        Raises `DeviceError`.
        """
        wanted = self.contents
        expected = scan_digest(scan_text(wanted))
        begin = "unknown" if base is None else "new"
        sent = Pushed()
        rounds, least = 0, math.inf
        while rounds < ROUNDS:
            premise = {"begin": begin, "base": base or "", "repair": "1" if repair else ""}
            change = None if begin == "unknown" else changes(have, wanted)
            quick = self._quick(base, have) if begin == "new" else ""
            report = self._round({**premise, "quick": quick, "expected": expected}, change)
            if report.word == "there":
                return sent
            if change and report.word != "found":
                sent = self._added(sent, change)
            if report.word == "done":
                return sent
            if report.word == "more" and change and change.more:
                gone = set(change.removed)
                have = {path: state for path, state in have.items() if path not in gone}
                begin = "continue"
                continue
            if report.word not in ("found", "differs"):
                raise failure(self.site.device, report)
            have, begin = parse_scan(report.text), "continue"
            left = changes(have, wanted).differing
            rounds = 0 if left < least else rounds + 1
            least = min(left, least)
            if rounds == ROUNDS // 2:
                # A program may have made files whose names no list can have.
                have, begin = {}, "fresh"
            # The same contents in another order have another digest.
            expected = scan_digest(report.text if have == wanted else scan_text(wanted))
        raise DeviceError(
            f"the release on {self.site.device.name} differs from what was sent, again and again",
            why=_difference(have, wanted),
            remedy="Check that no program writes into its directory, and that the disk is sound.",
        )

    def inline(self, base: str, have: Contents) -> InlinePush | None:
        """The first round of `run` as the beginning of a script, which goes on when the release is
        current; None when there is too much to send, or to remove.
        """
        change = changes(have, self.contents)
        names = sum(map(len, change.removed))
        if names > MAX_INLINE_NAMES or self._added(Pushed(), change).size > MAX_INLINE:
            return None
        unpack = unpacker(self.deployment, change, self.site.unpack)
        stream = io.BytesIO()
        if change.added:
            write_archive(stream, self.deployment, self.contents, change, unpack)
        premise = {
            "begin": "new",
            "base": base,
            "repair": "",
            "quick": self._quick(base, have),
            "expected": scan_digest(scan_text(self.contents)),
            "owner": owner(),
            "bytes": str(len(stream.getvalue())),
        }
        variables = self._variables(premise, change, unpack)
        return InlinePush(variables, change.removed, stream.getvalue())

    def _quick(self, base: str | None, have: Contents) -> str:
        """The digest of what the device sees of the release without reading what it takes over."""
        if not base or self.site.store:
            return ""
        wanted = self.contents
        same = [path for path, state in wanted.items() if have.get(path) == state]
        return scan_digest(scan_text(wanted, frozenset(same)))

    def _round(self, premise: Mapping[str, str], change: Changes | None) -> ScriptReport:
        """Let the device check `premise` and make the change; returns its report."""
        unpack = unpacker(self.deployment, change, self.site.unpack) if change else ""

        with work(f"sending to {self.site.device.name}", self.site.listener) as shown:

            def write(stream: IO[bytes]) -> None:
                if change and change.added:
                    size = self._added(Pushed(), change).size
                    write_archive(
                        *(stream, self.deployment, self.contents, change, unpack),
                        written=lambda done: shown.transferred(min(done, size), size),
                    )
                    shown.say("the device checks what has arrived")

            return exchange(
                self.site,
                f'{script(*SCRIPTS)}\npush "$@"\nreport "$pushed"\n',
                self._variables({**premise, "bytes": ""}, change, unpack),
                change.removed if change else (),
                write,
            )

    def _variables(
        self, premise: Mapping[str, str], change: Changes | None, unpack: str
    ) -> dict[str, str]:
        return {
            **premise,
            "project": self.site.project,
            "id": self.deployment.id,
            "keep": str(self.site.device.keep),
            "logs": str(KEPT_LOGS),
            "store": "1" if self.site.store else "",
            "flush": "" if self.site.device.transport.direct else "1",
            "arch": self.deployment.arch,
            "more": "1" if change and change.more else "",
            "unpack": unpack if change and change.added else "-",
        }

    def _added(self, sent: Pushed, change: Changes) -> Pushed:
        sizes = {file.path: file.size for file in self.deployment.files}
        size = sum(sizes.get(path, 0) for path in change.added)
        return Pushed(sent.files + len(change.added), sent.size + size)


def _difference(have: Contents, wanted: Contents) -> str:
    change = changes(have, wanted)
    paths = sorted({*change.removed, *change.added})
    more = f" and {len(paths) - 3} more" if len(paths) > 3 else ""
    return f"they differ in {', '.join(map(escape, paths[:3]))}{more}"


class Pushed(Value):
    """The amount of data that a push sent: the number of files and links, and the bytes in them."""

    files: int = 0
    size: int = 0

    def and_also(self, other: Pushed) -> Pushed:
        return Pushed(self.files + other.files, self.size + other.size)


def exchange(
    site: Site,
    text: str,
    variables: Mapping[str, str],
    arguments: Sequence[str],
    write: Callable[[IO[bytes]], object],
) -> ScriptReport:
    """Run a script to whose standard input `write` writes; again while another process has its
    lock, for at most `LOCK_SECONDS`.  Returns its report."""
    deadline = time.monotonic() + LOCK_SECONDS
    told = False
    variables = {"owner": owner(), **variables}
    while True:
        with conversation(
            site.device.transport, text, variables, arguments, stdin=PIPE, prints=False
        ) as talk:
            with talk.sending(write):
                talk.wait()
            report = talk.report()
        if report.word != "locked" or time.monotonic() > deadline:
            return report
        if not told:
            who = f", started by {name}" if (name := _pusher(report)) else ""
            site.listener(Note(f"waiting for another push to {site.device.name}{who}"))
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
