"""A device: what commands do with it, whatever the transport."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

from buildtool.core.process import DEVNULL
from buildtool.core.value import Value
from buildtool.deploy.conversation import conversation
from buildtool.deploy.errors import DeviceConnectionError, DeviceError
from buildtool.deploy.transports.transport import Transport

EXEC_SECONDS = 60.0
"""How long one of buildtool's own commands may take on a device."""


class Output(Value):
    """What a script returned: its exit status, and what it wrote."""

    status: int
    stdout: bytes
    stderr: str


class Device(Value):
    """A device under the name `name`, whose releases are for `target`, below the directory `root`.

    `tags` are its user's names for groups of devices.
    """

    name: str
    target: str
    root: str
    transport: Transport
    tags: tuple[str, ...] = ()

    def exec(
        self,
        script: str,
        variables: Mapping[str, str] = {},
        arguments: Sequence[str] = (),
        *,
        stdin: int = DEVNULL,
        timeout: float = EXEC_SECONDS,
    ) -> Output:
        """Run a script of a POSIX shell to its end; `stdin` is a descriptor.

        Raises `DeviceConnectionError` when the connection is lost or when the script takes longer
        than `timeout` seconds.
        """
        # In a subshell, the script cannot end before its status is reported.
        text = f'(\n{script}\n)\nprintf \'%sexit %s\\n\' "$mark" "$?" >&2'
        with conversation(self.transport, text, variables, arguments, stdin=stdin) as talk:
            if not talk.wait(time.monotonic() + timeout):
                raise DeviceConnectionError(
                    f"{self.transport.address} did not answer in {timeout:g} s",
                    why="the connection is interrupted, or the device hangs",
                    remedy=f"Check the connection: buildtool devices check {self.name}",
                )
            report = talk.report()
        if report.word != "exit" or not report.text.isdecimal():
            raise DeviceError(
                f"{self.transport.address} gave no exit status",
                why=f"it reported {report.word!r} {report.text[:80]!r}",
                remedy="Check what the device's shell prints when it starts.",
            )
        return Output(int(report.text), bytes(talk.output), talk.messages.decode(errors="replace"))
