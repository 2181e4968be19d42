"""Builds as processes: starts them, waits for them, and finds processes that they leave."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path


def start(root: Path, *arguments: str, **environment: str) -> subprocess.Popen[str]:
    """Start `buildtool build ARGUMENTS...` in `root`, in a new process group."""
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "buildtool", "build", *arguments],
        cwd=root,
        env={**os.environ, **environment},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        process_group=0,
    )


def wait_for(file: Path, process: subprocess.Popen[str]) -> str:
    """Wait until the build has written `file`; returns the text."""
    while not (file.is_file() and (text := file.read_text(encoding="utf-8"))):
        assert process.poll() is None, process.communicate()
        time.sleep(0.02)
    return text


def wait_until_it_builds(process: subprocess.Popen[str]) -> None:
    """Wait until the build holds the project's lock or has ended."""
    opened = Path(f"/proc/{process.pid}/fd")
    while process.poll() is None:
        with contextlib.suppress(OSError):
            if any(os.readlink(fd).endswith("/build.lock") for fd in opened.iterdir()):  # noqa: PTH115
                return
        time.sleep(0.005)


def running(pid: int) -> bool:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] not in "ZX"


def ends_with_its_caller(pid: int) -> bool:
    """Whether the kernel will signal the process when its caller is killed: the caller asks for it
    after it has started the process, which has inherited a descriptor with O_ASYNC."""
    for info in Path("/proc").glob(f"{pid}/fdinfo/*"):
        with contextlib.suppress(OSError):  # it is closed
            flags = info.read_text(encoding="utf-8").partition("flags:\t")[2].split()[0]
            if int(flags, 8) & os.O_ASYNC:
                return True
    return False


def left(root: Path, seconds: float = 20.0) -> list[str]:
    """The processes that still use `root` after at most `seconds`."""
    deadline = time.monotonic() + seconds
    while (found := _working_on(root)) and time.monotonic() < deadline:
        time.sleep(0.02)
    return found


def end(process: subprocess.Popen[str], number: int) -> str:
    """Send a signal and wait; returns the output of the process."""
    with contextlib.suppress(ProcessLookupError):
        process.send_signal(signal.Signals(number))
    return "".join(process.communicate(timeout=60))


def _working_on(root: Path) -> list[str]:
    sought = os.fsencode(root)
    found = []
    for process in Path("/proc").iterdir():
        if not process.name.isdigit() or int(process.name) == os.getpid():
            continue
        with contextlib.suppress(OSError):
            command = (process / "cmdline").read_bytes()
            place = os.fsencode((process / "cwd").readlink())
            if sought in command or place.startswith(sought):
                found.append(f"{process.name}: {command!r} in {place!r}")
    return found
