"""Finds out which paths a program on the emulated device looks for in vain: QEMU logs them."""

from __future__ import annotations

import contextlib
import os
import posixpath
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path

from buildtool.deploy.push.contents import Deployment
from buildtool.deploy.site import Site
from buildtool.device.errors import DeviceError
from buildtool.run.program import RunRequest
from buildtool.run.run import Streams, new_run, run

MOST_SECONDS = 5.0
"""The time that a program has: programs open their files early."""
MOST_PATHS = 1000
# QEMU's lines such as `12 openat(AT_FDCWD,"data/a.txt",O_RDONLY) = -1 errno=2 (No such file …)`.
# Those of several threads may be in one.  Source: linux-user/strace.c.
_CALL = rb'(?:openat|newfstatat|faccessat2?|statx)\(AT_FDCWD,"([^"\n]+)"|chdir\("([^"\n]+)"\) = 0'


def missing_paths(
    site: Site, deployment: Deployment, request: RunRequest, folder: Path, seconds: float
) -> tuple[str, ...]:
    """The absolute paths that do not exist on the emulated device and that the program of
    `request` opens or asks about.

    For that the program runs once more, for at most `seconds`, and writes to /dev/null.
    """
    if seconds < 1:
        return ()
    with (
        tempfile.TemporaryDirectory(dir=folder) as name,
        open(os.devnull, "wb") as null,  # noqa: PTH123 - it has no other properties of a path
    ):
        logs = Path(name)
        variables = {
            "BUILDTOOL_SIM_CRASHES": str(logs / "crashes"),
            "QEMU_STRACE": "1",
            "QEMU_LOG_FILENAME": f"{logs}/%d.log",  # one for each process
        }
        again = request._replace(
            env={**request.env, **variables}, timeout=min(seconds, MOST_SECONDS)
        )
        with contextlib.suppress(DeviceError):  # it takes too long; what it has opened is known
            run(site, deployment, again, new_run(), Streams(None, null.fileno(), null.fileno()))
        start = posixpath.join(site.release(deployment.id), request.cwd)
        paths = (path for log in sorted(logs.glob("*.log")) for path in _paths(log, start))
        missing = (path for path in dict.fromkeys(paths) if not os.path.lexists(path))
        return tuple(path for path, _ in zip(missing, range(MOST_PATHS), strict=False))


def _paths(log: Path, directory: str) -> Iterator[str]:
    """The absolute paths in a log of QEMU of a process that starts in `directory`."""
    with log.open("rb") as stream:
        for line in stream:
            for opened, entered in re.findall(_CALL, line):
                path = os.path.normpath(posixpath.join(directory, os.fsdecode(opened or entered)))
                if entered:
                    directory = path
                else:
                    yield path
