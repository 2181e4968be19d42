"""A device: what commands do with it, whatever the transport."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from buildtool.core.escape import escape
from buildtool.core.files import temporary_file
from buildtool.core.processes.process import DEVNULL
from buildtool.core.value import Value
from buildtool.device.conversation import conversation
from buildtool.device.errors import DeviceConnectionError, DeviceError
from buildtool.device.facts import CDSP
from buildtool.device.script import ScriptReport
from buildtool.device.script import script as scripts
from buildtool.device.transports.transport import Transport

if TYPE_CHECKING:
    from buildtool.device.emulated.device import EmulatedDevice

EXEC_SECONDS = 60.0
"""How long one of buildtool's own commands may take on a device."""


class ScriptOutput(Value):
    """The result of a script: its exit status, and its output."""

    status: int
    stdout: bytes
    stderr: str


class Device(Value):
    """A device under the name `name`, whose releases are for `target`, below the directory `root`.

    `tags` are its user's names for groups of devices; `keep` is the number of releases that stay
    there.  Programs use the DSP `domain`, `signed` in a signed process.  `emulated` is what is
    special about an emulated device, whose DSP can be watched.
    """

    name: str
    target: str
    root: str
    transport: Transport
    tags: tuple[str, ...] = ()
    keep: int = 3
    emulated: EmulatedDevice | None = None
    domain: str = CDSP
    signed: bool = False

    def leave(self) -> None:
        """Let others use the device, if it is of a lab and was acquired for this process."""
        if leave := getattr(self.transport, "leave", None):
            leave()

    @property
    def lifelines(self) -> Sequence[int]:
        """Descriptors for processes that use the device for this one: others cannot use a device of
        a lab before all of them have ended."""
        lifeline = getattr(self.transport, "lifeline", None)
        return () if lifeline is None else (lifeline,)

    def ask(self, script: str, variables: Mapping[str, str]) -> ScriptReport:
        """Run a script that ends with a report, however long it takes."""
        with conversation(self.transport, script, variables, stdin=DEVNULL) as talk:
            talk.wait()
            return talk.report()

    def exec(
        self,
        script: str,
        variables: Mapping[str, str] = {},
        arguments: Sequence[str] = (),
        *,
        stdin: int = DEVNULL,
        timeout: float = EXEC_SECONDS,
    ) -> ScriptOutput:
        """Run a script of a POSIX shell to its end; `stdin` is a descriptor.  Raises
        `DeviceConnectionError` when the connection is lost or when the script takes longer than
        `timeout` seconds."""
        # In a subshell, the script cannot end before its status is reported.
        text = f'{scripts("common")}\n(\n{script}\n)\nreport exit "$?"'
        with conversation(self.transport, text, variables, arguments, stdin=stdin) as talk:
            if not talk.wait(time.monotonic() + timeout):
                raise DeviceConnectionError(
                    f"{self.transport.address} did not answer in {timeout:g} s",
                    why="the connection is interrupted, or the device hangs",
                    remedy=f"Check the connection: buildtool devices check {self.name}",
                )
            report = talk.report()
        if report.status is None:
            raise DeviceError(
                f"{self.transport.address} gave no exit status",
                why=f"it reported {report.word!r} {report.text[:80]!r}",
                remedy="Check what the device's shell prints when it starts.",
            )
        return ScriptOutput(
            report.status, bytes(talk.output), talk.messages.decode(errors="replace")
        )

    def pull(self, path: str, target: Path) -> None:
        """Fetch the file `path` of the device as `target`, completely or not at all.  Raises
        `DeviceError` when it is not a file that can be read."""
        text = """
            [ -f "$1" ] && exec 3<"$1" || { report failed "$(ls -ld -- "$1" 2>&1)"; exit; }
            cat <&3 && report done || report failed "it cannot be read"
        """
        if target.exists() and not target.is_file():
            raise DeviceError(
                f"{path} of {self.name} cannot be fetched",
                why=f"{target} is not a file, and would be replaced",
                remedy="Name a file that is new or may be replaced.",
            )
        with temporary_file(target.absolute().parent, f".{target.name}-") as fresh:
            with (
                fresh.open("wb") as stream,
                conversation(
                    self.transport,
                    scripts("common") + text,
                    {},
                    [path],
                    stdin=DEVNULL,
                    stdout=stream.fileno(),
                ) as talk,
            ):
                talk.wait()
                report = talk.report()
            if report.word != "done":
                raise DeviceError(
                    f"{path} of {self.name} cannot be fetched",
                    why=f"it is not a file that can be read: {escape(report.text[-500:])}",
                    remedy="Name a file that the program writes, from its working directory.",
                )
            fresh.chmod(0o644)
            fresh.replace(target)
