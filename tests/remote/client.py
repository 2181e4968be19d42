"""A process that deploys releases and runs programs, for tests that send signals to it, kill it or
measure it: `python -m tests.remote.client FILE`.

FILE is a pickled `Task`.  The exit status is that of the program, or as of `buildtool`.
"""

from __future__ import annotations

import fcntl
import functools
import os
import pickle
import resource
import subprocess
import sys
import termios
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from buildtool.__main__ import open_closed_streams
from buildtool.core.errors import NOT_RUN, BuildtoolError
from buildtool.core.value import Value
from buildtool.deploy.site import deploy, rollback
from buildtool.device.script import script
from buildtool.release.slices import Release
from buildtool.run import run as run_module
from buildtool.run.on_device import run_on_device
from buildtool.run.program import NO_VARIABLES, RunRequest
from tests.command_line import REPOSITORY
from tests.remote.remote import Remote

FAILED, INTERRUPTED = 1, 130


class Task(Value):
    """Deploy the releases, one after the other, run a program of the first one, or go `back`.

    With `late_watcher` what kills the program when buildtool has ended begins half a second late.
    With `terminal` standard input becomes the controlling terminal; `closed`: it is closed when the
    program begins.
    `memory` is the file for the highest memory use in bytes.
    """

    remote: Remote
    releases: Sequence[Release]
    request: RunRequest | None = None
    terminal: bool = False
    closed: bool = False
    memory: Path | None = None
    back: bool = False
    late_watcher: bool = False


def start(
    task: Task, file: Path, *, environment: Mapping[str, str] = NO_VARIABLES, **streams: Any
) -> subprocess.Popen[bytes]:
    """Start the process for `task`, which is written to `file`."""
    file.write_bytes(pickle.dumps(task))
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "tests.remote.client", str(file)],
        env={**os.environ, **environment, "PYTHONPATH": str(REPOSITORY)},
        start_new_session=task.terminal,
        **{"stdin": subprocess.DEVNULL, **streams},
    )


def make_watchers_late() -> None:
    @functools.cache
    def late(*names: str) -> str:
        before, begin, after = script(*names).partition("        exec 5<&-\n")
        assert begin or names != ("start",)
        return before + begin + "sleep 0.5\n" * bool(begin) + after

    run_module.script = late  # type: ignore[attr-defined]


def main(task: Task) -> int:
    if task.terminal:
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    if task.closed:
        os.close(0)
        open_closed_streams()
    if task.late_watcher:
        make_watchers_late()
    try:
        if task.back:
            rollback(task.remote.site())
        elif task.request:
            ready = task.remote.ready(task.releases[0])
            return run_on_device(ready, task.request).status
        else:
            for release in task.releases:
                print(deploy(task.remote.ready(release)).files, flush=True)
    except KeyboardInterrupt:
        return INTERRUPTED
    except BuildtoolError as error:
        print(f"error: {error}", file=sys.stderr)
        return NOT_RUN if task.request else FAILED
    finally:
        if task.memory:
            used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            task.memory.write_text(str(used << 10))
    return 0


if __name__ == "__main__":
    sys.exit(main(pickle.loads(Path(sys.argv[1]).read_bytes())))
