"""The lock of a device, which a command holds while it uses the device, and who holds it.

A run that finds its release on the device takes the lock and releases it in the script that starts
the program.  A command with several exchanges holds it by one more script, which ends with its
standard input: when buildtool is killed or the connection is lost, the device releases the lock.
"""

from __future__ import annotations

import contextlib
import math
import os
import re
import time
from collections.abc import Iterator, Mapping
from typing import Annotated

from buildtool.core.escape import escape
from buildtool.core.events import Listener, Note
from buildtool.core.processes.process import PIPE
from buildtool.core.value import Described
from buildtool.device.conversation import Conversation, conversation
from buildtool.device.device import Device
from buildtool.device.errors import DeviceError
from buildtool.device.script import LOCK_SCRIPTS, ScriptReport, script

MAX_TEXT = 200
"""Characters that are written or shown of what a user does with the device."""
MAX_SECONDS = 1 << 31
_TEXT = r"(\d{1,10}|-) \d+ \d* \S+ \S+ (\d{1,10}|-) (\S+) ?(.*)"
"""The seconds since the boot now, then the lock: see lock.sh and device_lock.sh."""
_JOBS = ("CI_JOB_URL", "BUILD_URL", "BUILDKITE_BUILD_URL", "CIRCLE_BUILD_URL")
"""Variables with the address of a job.  Sources: the documentation of GitLab, Jenkins, Buildkite
and CircleCI."""
VARIABLE = "BUILDTOOL_DEVICE_LOCK"
"""The token of the locks that a command holds for the commands that it starts."""
TOKEN_DIGITS = 16
WAIT_SECONDS = 30
"""How long the device looks for the lock to be released, in one exchange."""
RELEASE_SECONDS = 3.0
HELD = rb"held (\S{1,100})\n"
"""The line that the device prints when it holds the lock, with its boot; see hold.sh."""


class Holder(Described):
    """Who uses a device (USER@HOST), for what, and since how many seconds; None if unknown."""

    user: Annotated[str, "USER@HOST, as the lock says"]
    purpose: Annotated[str, "program or command, and the CI job"]
    seconds: Annotated[int | None, "since when; null if unknown"]

    def __str__(self) -> str:
        text = self.user
        if self.seconds is not None:
            begun = time.localtime(time.time() - self.seconds)
            form = "%H:%M" if self.seconds < 12 * 3600 else "%Y-%m-%d %H:%M"
            text += f" since {time.strftime(form, begun)} ({duration(self.seconds)})"
        return f"{text}: {self.purpose}" if self.purpose else text


def parse_holder(text: str) -> Holder:
    """The holder in the report `UPTIME LOCK` of a device; anybody can have written the lock."""
    text = re.sub(r"[\r\n]+", " ", text)
    match = re.fullmatch(_TEXT, text)
    if not match:
        return Holder("somebody", escape(text.partition(" ")[2])[:MAX_TEXT], None)
    now, begun, user, purpose = match.groups()
    seconds = int(now) - int(begun) if "-" not in (now, begun) else -1
    shown = seconds if 0 <= seconds < MAX_SECONDS else None
    return Holder(escape(user)[:MAX_TEXT], escape(purpose)[:MAX_TEXT], shown)


def user_text(purpose: str) -> str:
    """This user and `purpose` for the text of a lock, with the address of the CI job if it is
    known."""
    job = _job(os.environ)
    return _plain(f"{user_and_host()} {purpose[:MAX_TEXT]}{f', {job[:MAX_TEXT]}' if job else ''}")


def user_and_host() -> str:
    """USER@HOST, one word."""
    import getpass  # noqa: PLC0415 - most commands use no device

    try:
        user = getpass.getuser()
    except (KeyError, OSError):  # no such user in the password database
        user = str(os.getuid())
    return _plain(f"{user}@{os.uname().nodename}").replace(" ", "?")


def duration(seconds: float) -> str:
    """A number of seconds for people: `40 s`, `12 min`, `3 h 5 min`."""
    if seconds < 60:
        return f"{seconds:.0f} s"
    hours, minutes = divmod(int(seconds) // 60, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min"


def _job(variables: Mapping[str, str]) -> str:
    if number := variables.get("GITHUB_RUN_ID"):
        server, repository = variables.get("GITHUB_SERVER_URL"), variables.get("GITHUB_REPOSITORY")
        return f"{server}/{repository}/actions/runs/{number}"
    return next((variables[name] for name in _JOBS if variables.get(name)), "")


def _plain(text: str) -> str:
    return re.sub(r"[^\w.@,:/=+ -]", "?", text)


class DeviceInUseError(DeviceError):
    """Another command holds the lock of the device."""

    code = "device-in-use"

    def __init__(self, device: Device, holder: Holder, waited: float = 0) -> None:
        super().__init__(
            f"{device.name} is in use by {holder}",
            why=f"it was not released in {duration(waited)}"
            if waited
            else "one command at a time uses a device",
            remedy="Wait for it: --wait forever. Use the device at the same time: --share.\n"
            f"If it has ended, remove its lock: buildtool devices unlock {device.name}",
        )
        self.holder = holder


class DeviceLock:
    """The lock of `device` for a command that uses it for `purpose`; a context manager.

    `wait` is the number of seconds to wait for another user.  With `share` the command uses the
    device although another user holds its lock.  A device of this machine needs no lock.
    """

    def __init__(
        self,
        device: Device,
        purpose: str,
        listener: Listener,
        *,
        wait: float = 0,
        share: bool = False,
    ) -> None:
        self.device = device
        self._listener = listener
        self._wait = wait
        self._held: Conversation | None = None
        self._released = False
        self._boot = ""
        self._stack = contextlib.ExitStack()
        self.variables: Mapping[str, str] = {}
        """The variables with which `start.sh` takes the lock; empty without a lock."""
        if not device.transport.direct:
            self.variables = {
                "access": "beside" if share else "alone",
                "token": token(),
                "user": user_text(purpose),
                "root": device.root,
            }

    def __enter__(self) -> DeviceLock:
        return self

    def __exit__(self, *_: object) -> None:
        with self._stack:
            if self._held:
                if not self._released and self._held.process.poll() is not None:
                    where = self.device.name
                    self._listener(Note(f"the lock of {where} was lost with a connection to it"))
                self.release()
                self._held.wait(time.monotonic() + RELEASE_SECONDS)

    @property
    def environment(self) -> Mapping[str, str]:
        """The variable with which processes may use the device while the lock is held."""
        return {VARIABLE: self.variables["token"]} if self.variables else {}

    def is_other_boot(self, boot: str) -> bool:
        """Whether the device that is held was booted after the boot `boot`; "" is any."""
        return bool(boot and self._boot) and boot != self._boot

    def release(self) -> None:
        """Release the lock before the end of the block, without waiting for the device."""
        self._released = True
        if self._held and self._held.process.stdin:
            self._held.process.stdin.close()

    def hold(self) -> None:
        """Hold the lock until the end of the block; again, if it was lost with a connection.
        Raises `DeviceInUseError` when another command has it for longer than `wait` seconds."""
        if not self.variables or (self._held and self._held.process.poll() is None):
            return
        self._held = None
        self._stack.close()
        deadline = time.monotonic() + self._wait
        patience, told = 0, ""
        while holder := self._take(patience):
            left = deadline - time.monotonic()
            if left <= 0:
                raise DeviceInUseError(self.device, holder, self._wait)
            if told != (told := f"{holder.user} {holder.purpose}"):
                self._listener(Note(f"waiting for {self.device.name}, in use by {holder}"))
            patience = math.ceil(min(left, WAIT_SECONDS))

    def _take(self, patience: int) -> Holder | None:
        """Start the script that holds the lock; the other holder if that has it for longer than
        `patience` seconds."""
        variables = {**self.variables, "patience": str(patience)}
        with contextlib.ExitStack() as stack:
            talk = stack.enter_context(
                conversation(
                    self.device.transport,
                    script(*LOCK_SCRIPTS, "hold"),
                    variables,
                    stdin=PIPE,
                    stdout=PIPE,
                )
            )
            if not talk.wait(line=True) and (found := re.fullmatch(HELD, talk.output)):
                self._boot = found[1].decode(errors="replace")
                self._held, self._stack = talk, stack.pop_all()
                return None
            talk.wait()
            report = talk.report()
        if report.word == "in-use":
            return parse_holder(report.text)
        raise lock_failure(self.device, report)


@contextlib.contextmanager
def held_device(
    device: Device, purpose: str, listener: Listener, *, wait: float = 0
) -> Iterator[Mapping[str, str]]:
    """Hold the lock of `device` for the block, which gets the variables for the environment of
    processes that may use the device meanwhile.  Raises `DeviceInUseError`."""
    with DeviceLock(device, purpose, listener, wait=wait) as lock:
        lock.hold()
        yield lock.environment


def holder_of(device: Device, *, remove: bool = False) -> Holder | None:
    """Who holds the lock of `device`, None if nobody does; `remove` removes it.  Raises
    `DeviceError` when it cannot be used or removed."""
    text = script(*LOCK_SCRIPTS, "lock_state")
    variables = {"remove": "1" if remove else ""}
    report = device.ask(text, variables)
    if report.word == "unlockable":
        raise lock_failure(device, report)
    if report.word in ("in-use", "strange"):
        return parse_holder(report.text)
    return None


def lock_failure(device: Device, report: ScriptReport) -> DeviceError:
    """The error for a report that the lock cannot be made."""
    return DeviceError(
        f"{device.name} ({device.transport.address}) cannot be locked",
        why=escape(report.text[-1000:]) or f"its script ended with {report.word!r}",
        remedy=f"Remove what is in its place: buildtool devices unlock {device.name}, or as its"
        " owner on the device. Or use the device without the lock: --share",
    )


def token() -> str:
    """The token of the command that has started this one, or a new one."""
    given = os.environ.get(VARIABLE, "")
    is_token = re.fullmatch(f"[0-9a-f]{{{TOKEN_DIGITS}}}", given)
    return given if is_token else os.urandom(TOKEN_DIGITS // 2).hex()
