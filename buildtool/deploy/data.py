"""Sends large files to a device, each once: what has arrived is not sent again."""

from __future__ import annotations

import hashlib
import posixpath
import re
import time
from collections.abc import Callable, Mapping, Sequence
from typing import IO, TYPE_CHECKING

from buildtool.core.errors import BuildtoolError
from buildtool.core.events import StepOutput, open_step, progress
from buildtool.deploy.contents import FOLDER, DataFile
from buildtool.deploy.push import Pushed, exchange, failure
from buildtool.device.errors import DeviceError
from buildtool.device.script import ScriptReport, script, whole_number

if TYPE_CHECKING:
    from buildtool.deploy.contents import Site

CHUNK = 16 << 20
"""Bytes whose digests are compared when a file has arrived damaged."""
BLOCK = 1 << 20
TELL_SECONDS = 0.2
ROUNDS = 4
"""How often a file that has arrived damaged is repaired."""
WHOLE = "whole"


def send_data(site: Site, data: Sequence[DataFile]) -> Pushed:
    """Send those of `data` that the device does not have.  Raises `DeviceError`."""
    if not data:
        return Pushed()
    return _send(site, data, _ask(site, data, "have"))


def verify_data(site: Site, data: Sequence[DataFile]) -> tuple[str, ...]:
    """Let the device compute the digests of `data`; returns the paths of those that were missing
    or damaged and were repaired."""
    found = _ask(site, data, "check")
    _send(site, data, found)
    return tuple(file.path for file in data if found.get(file.sha256) != WHOLE)


def _send(site: Site, data: Sequence[DataFile], found: Mapping[str, str]) -> Pushed:
    missing = {file.sha256: file for file in reversed(data) if found.get(file.sha256) != WHOLE}
    size = 0
    for digest, file in missing.items():
        there = found.get(digest, "0")
        size += _Sender(site, file).send(whole_number(there, file.size) or 0)
    return Pushed(len(missing), size)


def _ask(site: Site, data: Sequence[DataFile], action: str) -> dict[str, str]:
    """The state of `data` on the device: digest → "whole", or the number of bytes that arrived."""
    digests = sorted({file.sha256 for file in data})
    report = _exchange(site, {"action": action}, digests)
    if report.word != "found":
        raise failure(site.device, report, "data")
    words = report.text.split()
    return dict(zip(words[::2], words[1::2], strict=False))


def _exchange(
    site: Site,
    variables: Mapping[str, str],
    arguments: Sequence[str] = (),
    write: Callable[[IO[bytes]], object] = lambda _: None,
) -> ScriptReport:
    folder = posixpath.join(posixpath.dirname(site.project), FOLDER)
    others = dict.fromkeys(("digest", "size", "have", "chunk", "chunks"), "")
    text = script("common", "lock", "room", "data")
    return exchange(site, text, {"data": folder, **others, **variables}, arguments, write)


class _Sender:
    """Sends one file."""

    def __init__(self, site: Site, file: DataFile) -> None:
        self._site = site
        self._file = file
        self._sent = 0
        self._started = self._told = time.monotonic()

    def send(self, have: int) -> int:
        """Send what follows the first `have` bytes; returns the number of bytes that were sent."""
        file = self._file
        with open_step(file.path, "sending", self._site.listener) as step:
            self._send(have)
            step.outcome = "sent"
        return self._sent

    def _send(self, have: int) -> None:
        for _ in range(ROUNDS):
            report = self._do("add", have, self._file.size - have, have=str(have))
            if report.word == "done":
                return
            if report.word == "short":  # another push has gone on with it, or a line was cut
                have = whole_number(report.text, self._file.size) or 0
            elif report.word == "differs":
                have = self._repair()
            else:
                raise failure(self._site.device, report, self._file.path)
        raise DeviceError(
            f"{self._file.path} on {self._site.device.name} differs from what was sent, again and"
            " again",
            why=f"its digest there is not {self._file.sha256}",
            remedy="Check the memory and the disk of the device.",
        )

    def _repair(self) -> int:
        """Send the chunks that differ; returns how much of the file is there then."""
        wanted = self._digests()
        report = self._do("chunks", 0, 0, chunks=str(len(wanted)))
        found = re.findall(r"^([0-9a-f]{64})\b", report.text, flags=re.MULTILINE)
        empty = hashlib.sha256().hexdigest()
        if report.word != "chunks" or len(found) != len(wanted) or empty in found:
            return 0  # the device has no dd: everything is sent again
        for number, digest in enumerate(wanted):
            if found[number] != digest:
                report = self._do("patch", number * CHUNK, CHUNK, chunk=str(number))
                if report.word != "done":
                    raise failure(self._site.device, report, self._file.path)
        return self._file.size

    def _digests(self) -> list[str]:
        """The digests of the file's chunks here."""
        whole = hashlib.sha256()
        digests = []
        with self._file.source.open("rb") as stream:
            while data := stream.read(CHUNK):
                whole.update(data)
                digests.append(hashlib.sha256(data).hexdigest())
        if whole.hexdigest() != self._file.sha256:
            raise BuildtoolError(
                f"{self._file.source} has changed while it was sent",
                remedy="Repeat the command when the file is complete.",
            )
        return digests

    def _do(self, action: str, start: int, size: int, **variables: str) -> ScriptReport:
        """Let the device do `action` with a part of the file."""

        listener = self._site.listener

        def write(stream: IO[bytes]) -> None:
            left = size
            with self._file.source.open("rb") as source:
                source.seek(start)
                while left > 0 and (data := source.read(min(BLOCK, left))):
                    stream.write(data)
                    left -= len(data)
                    self._sent += len(data)
                    self._tell(start + size - left)
            if size:
                listener(StepOutput(self._file.path, "checking its digest on the device"))

        known = {"digest": self._file.sha256, "size": str(self._file.size), "action": action}
        return _exchange(self._site, {**known, **variables}, (), write)

    def _tell(self, position: int) -> None:
        now = time.monotonic()
        if now - self._told >= TELL_SECONDS:
            self._told = now
            text = progress(position, self._file.size, self._sent / (now - self._started))
            self._site.listener(StepOutput(self._file.path, text))
