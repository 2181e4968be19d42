"""Who holds the lock of a device, as the text of the lock says."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING

from buildtool.core.escape import escape
from buildtool.core.value import Value

if TYPE_CHECKING:
    from buildtool.documents.devices import HolderObject

MAX_TEXT = 200
"""Characters that are written or shown of what a user does with the device."""
MAX_SECONDS = 1 << 31
_TEXT = r"(\d{1,10}|-) \d+ \d* \S+ \S+ (\d{1,10}|-) (\S+) ?(.*)"
"""The seconds since the boot now, then the lock: see lock.sh and device_lock.sh."""
_JOBS = ("CI_JOB_URL", "BUILD_URL", "BUILDKITE_BUILD_URL", "CIRCLE_BUILD_URL")
"""Variables with the address of a job.  Sources: the documentation of GitLab, Jenkins, Buildkite
and CircleCI."""


class Holder(Value):
    """Who uses a device (USER@HOST), for what, and since how many seconds; None if unknown."""

    user: str
    purpose: str
    seconds: int | None

    def __str__(self) -> str:
        text = self.user
        if self.seconds is not None:
            begun = time.localtime(time.time() - self.seconds)
            form = "%H:%M" if self.seconds < 12 * 3600 else "%Y-%m-%d %H:%M"
            text += f" since {time.strftime(form, begun)} ({duration(self.seconds)})"
        return f"{text}: {self.purpose}" if self.purpose else text

    def as_json(self) -> HolderObject:
        return {"user": self.user, "purpose": self.purpose, "seconds": self.seconds}


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
