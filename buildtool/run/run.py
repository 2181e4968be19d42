"""Starts a program of a release on a device and stays with it until it has ended."""

from __future__ import annotations

import contextlib
import math
import os
import posixpath
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from buildtool.core.processes.interrupts import HeldInterrupts, held_interrupts, interruption
from buildtool.core.processes.process import PIPE
from buildtool.core.trees import remove_tree
from buildtool.core.value import Value
from buildtool.deploy.contents import Deployment, Site
from buildtool.device.conversation import Conversation, conversation
from buildtool.device.errors import DeviceError
from buildtool.device.facts import CDSP
from buildtool.device.script import LOCK_SCRIPTS, ScriptReport, assignments, script
from buildtool.run.input import Input
from buildtool.run.program import NO_VARIABLES, RunRequest

if TYPE_CHECKING:
    from buildtool.deploy.push import InlinePush

DOMAIN_VARIABLE, SIGNED_VARIABLE = "BUILDTOOL_DSP_DOMAIN", "BUILDTOOL_DSP_SIGNED"
"""The variable that tells the library before libcdsprpc which DSP to use (count_calls.c)."""
STDIN, STDOUT, STDERR = 0, 1, 2
GRACE_SECONDS = 3.0
"""The time that a program has to end after Ctrl-C or a timeout before it is killed."""


class RunTimeoutError(DeviceError):
    """The program did not end in the time that it has."""

    code = "timeout"


class Streams(Value):
    """Descriptors of the standard streams of a program; None is that of this process."""

    stdin: int | None = None
    stdout: int | None = None
    stderr: int | None = None

    @property
    def source(self) -> int:
        """The descriptor of the input."""
        return STDIN if self.stdin is None else self.stdin


OWN = Streams()


def start_on_device(
    site: Site,
    deployment: Deployment,
    request: RunRequest,
    name: str,
    streams: Streams = OWN,
    *,
    lock: Mapping[str, str] = NO_VARIABLES,
    push: InlinePush | None = None,
) -> ScriptReport:
    """Run the command of `request`, a program of `deployment`, in one exchange with the device;
    returns its report.

    The exchange begins with `push`, whose report it can be when the program was not started.

    That is `exit STATUS`; `missing` and what is there instead, when the release is not there;
    `rebooted`; `directory` when the working directory is missing; `in-use` or `unlockable` when the
    lock of the device, for which `lock` has the variables, cannot be taken; or `failed` and why.
    The program has `streams`, by default those of this process.  Ctrl-C is sent on to it.

    Raises `DeviceConnectionError` when the connection is lost, `RunTimeoutError`, and
    `KeyboardInterrupt` when the program has ended after Ctrl-C.
    """
    with contextlib.ExitStack() as stack:
        folder = None
        if site.device.transport.direct:
            root = Path(site.device.root)
            root.mkdir(parents=True, exist_ok=True)
            folder = root / f".run-{os.urandom(8).hex()}"
            folder.mkdir(0o700)
            stack.callback(remove_tree, folder, ignore_errors=True)
        return _Run(site, deployment, request, name, folder, streams, lock, push).exchange()


def sends_input(request: RunRequest, streams: Streams) -> bool:
    """Whether a program on another machine reads the standard input of `streams`."""
    return request.input and not (request.terminal or _is_null(streams.source))


class _Run(Value):
    """One run.  On a device of this machine the program inherits the streams of this process, and
    the lifeline and the report are files in `folder`."""

    site: Site
    deployment: Deployment
    request: RunRequest
    name: str
    folder: Path | None
    streams: Streams
    lock: Mapping[str, str]
    push: InlinePush | None

    @property
    def feeds(self) -> bool:
        """Whether the program gets its input in a second exchange."""
        return not self.folder and sends_input(self.request, self.streams)

    def exchange(self) -> ScriptReport:
        lifeline = "-"
        stdin: int | None = PIPE
        report = None
        if self.folder:
            report = self.folder / "report"
            lifeline, stdin = str(self.folder / "lifeline"), self.streams.stdin
            os.mkfifo(lifeline)
        if self.request.terminal:
            lifeline, stdin = "", self.streams.stdin
        start = assignments(self._variables(lifeline), self._arguments())
        text, variables, arguments = self._script(start)
        session = self.request.session
        own = self.streams._replace(stderr=None) == OWN
        fits = session and own and session.fits(self.site.device.transport)
        with (
            # The program may begin before anybody attends to it, who would pass them on.
            held_interrupts() as interrupts,
            conversation(
                self.site.device.transport,
                text,
                variables,
                arguments,
                stdin=stdin,
                stdout=self.streams.stdout,
                stderr=self.streams.stderr,
                terminal=self.request.terminal,
                report_file=report,
                on_messages=self._pass_on(),
                started=partial(session.take, start, pushes=self.push is not None)
                if session and fits
                else None,
            ) as talk,
        ):
            with self._lifeline(talk, lifeline, interrupts) as line:
                self._attend(talk, line, interrupts)
            return talk.report()

    def _script(self, start: str) -> tuple[str, Mapping[str, str], Sequence[str]]:
        """The script that does `push`, if there is one, and then starts the program
        with the assignments `start`; its variables and its arguments."""
        if not self.push:
            return f"{script(*LOCK_SCRIPTS)}\n{start}{script('start')}", {}, ()
        from buildtool.deploy.push import GO_ON, SCRIPTS  # noqa: PLC0415 - most runs push nothing

        text = f"mask=$(umask)\n{script(*SCRIPTS)}\n{GO_ON}{start}{script('start')}"
        variables = {"access": "", "boot": self.site.boot, **self.lock, **self.push.variables}
        return text, variables, self.push.arguments

    def _pass_on(self) -> Callable[[bytes], None]:
        if self.request.terminal:
            return _write_to(self.streams.stdout or STDOUT)
        write = _write_to(self.streams.stderr or STDERR)
        if not self.request.trace:
            return write
        from buildtool.run.trace.recorder import reporting  # noqa: PLC0415 - rarely used

        return reporting(write, self.site.device.name, self.site.listener)

    def _variables(self, lifeline: str) -> dict[str, str]:
        inherits = (self.request.input and self.folder) or self.request.terminal
        return {
            "project": self.site.project,
            "id": self.deployment.id,
            "run": self.name,
            "boot": self.site.boot,
            "lifeline": lifeline,
            "input": "inherit" if inherits else "fifo" if self.feeds else "null",
            "cwd": self.request.cwd,
            "farf": self.request.farf,
            "times": "1" if self.request.trace else "",
            "name": posixpath.basename(self.request.command[0]),
            "access": "",
            **self.lock,
        }

    def _arguments(self) -> list[str]:
        """The command that starts the program, with its variables."""
        env = dict(self.request.env)
        if arch := self.deployment.arch:  # device.env has that of the release that came last
            env = {"BUILDTOOL_DSP_ARCH": arch, **env}
        if self.site.device.domain != CDSP:
            env[DOMAIN_VARIABLE] = self.site.device.domain
        if self.site.device.signed:
            env[SIGNED_VARIABLE] = "1"
        if self.request.farf:
            # The library searches PROGRAM.farf in the directories of skels.
            log = f"{self.site.project}/logs/{self.name}"
            env["ADSP_LIBRARY_PATH"] = ";".join(filter(None, (env.get("ADSP_LIBRARY_PATH"), log)))
        if self.request.count_calls:
            from buildtool.run.dsp_calls import VARIABLE, file_of_run  # noqa: PLC0415 - rarely used

            env[VARIABLE] = file_of_run(self.site.project, self.name)
        if self.request.trace:
            from buildtool.run.trace.records import VARIABLE, file_of_trace  # noqa: PLC0415 - rarely used

            env[VARIABLE] = file_of_trace(self.site.project, self.name)
        if self.request.record:
            from buildtool.run.recorded.record import variables  # noqa: PLC0415 - rarely used

            env |= variables(self.request.record, self.site.project, self.name)
        if self.request.cwd:
            env["BUILDTOOL_KEEP_DIRECTORY"] = "1"
        pairs = [f"{name}={value}" for name, value in env.items()]
        script = f"{self.site.release(self.deployment.id)}/run.sh"
        start = [*self.request.prefix, "sh", script, *self.request.command]
        return ["env", "--", *pairs, *start] if pairs else start

    @contextlib.contextmanager
    def _lifeline(
        self, talk: Conversation, lifeline: str, interrupts: HeldInterrupts
    ) -> Iterator[_Lifeline]:
        if self.folder and lifeline:
            # Opened for reading too, it does not wait for the script, which may not get that far.
            handle = os.open(lifeline, os.O_RDWR | os.O_CLOEXEC)
        elif lifeline:
            assert talk.process.stdin
            handle = os.dup(talk.process.stdin.fileno())
            # The script may end before it has read everything: its report says why.
            with contextlib.suppress(BrokenPipeError), talk.process.stdin as stream:
                if self.push:
                    with interrupts.allowed():
                        stream.write(self.push.data)
        else:
            handle = -1
        line = _Lifeline(handle)
        try:
            yield line
        finally:
            line.cut()

    def _input(self, line: _Lifeline, stack: contextlib.ExitStack) -> Input:
        log = f"{self.site.project}/logs/{self.name}"
        transport = self.site.device.transport
        return Input(transport, log, self.streams.source, lambda: line.send("EOF"), stack)

    def _attend(self, talk: Conversation, line: _Lifeline, interrupts: HeldInterrupts) -> None:
        """Wait until the program has ended; send on input, Ctrl-C and the timeout."""
        seconds, stop = self.request.timeout, self.request.stop
        deadline = time.monotonic() + seconds if seconds else math.inf
        informed = False
        import shutil  # noqa: F401, PLC0415 - what removes the folder is loaded beside the program

        try:
            interrupts.allow()
            with contextlib.ExitStack() as stack:
                source = self._input(line, stack) if self.feeds else None
                wakes = stop.fileno() if stop else None
                while not talk.wait(deadline, source.wakes if source else wakes):
                    if talk.unread and not informed:
                        informed = True
                        line.send("PIPE")  # the device itself would not notice
                    elif talk.reported:
                        deadline = math.inf  # the reader of its output is slow
                    elif time.monotonic() >= deadline:
                        _end(talk, line, "TERM")
                        raise RunTimeoutError(
                            f"{self.request.command[0]} did not end in {seconds:g} s",
                            why=f"it was ended on {self.site.device.name}, with all processes of"
                            " its group",
                            remedy="Allow more time: --timeout",
                        )
                    elif source:
                        source.go_on()
                    elif stop and (signal := stop.wanted()):
                        _end(talk, line, signal)
                        return
        except KeyboardInterrupt:
            if not self.request.terminal:
                with contextlib.suppress(KeyboardInterrupt):
                    _end(talk, line, "KILL" if interruption() else "INT")
            raise


class _Lifeline:
    """The line to the program's script: it sends signals, and at its end the program is killed."""

    def __init__(self, handle: int) -> None:
        self._handle = handle

    def send(self, word: str) -> None:
        """Send a line: the name of a signal, or that the input has ended."""
        with contextlib.suppress(OSError):  # the script has ended
            os.write(self._handle, f"{word}\n".encode())

    def cut(self) -> None:
        """Let the program be killed, if it has not ended."""
        handle, self._handle = self._handle, -1  # Ctrl-C may come right after the call
        if handle >= 0:
            os.close(handle)


def _end(talk: Conversation, line: _Lifeline, signal: str) -> None:
    """Send `signal` to the program, and kill it when it does not end."""
    line.send(signal)
    if not talk.wait(time.monotonic() + GRACE_SECONDS):
        line.cut()
        talk.wait(time.monotonic() + GRACE_SECONDS)


def _is_null(handle: int) -> bool:
    """Whether a descriptor is closed or /dev/null."""
    try:
        return os.path.samestat(os.fstat(handle), os.stat(os.devnull))  # noqa: PTH116
    except OSError:
        return True


def _write_to(handle: int) -> Callable[[bytes], None]:
    """A function that writes to a descriptor of this process, whole."""

    def write(data: bytes) -> None:
        while data:
            data = data[os.write(handle, data) :]

    return write
