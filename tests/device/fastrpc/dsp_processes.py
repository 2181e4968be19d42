"""The processes of the emulated DSP side of a client, and what their threads do."""

from __future__ import annotations

import contextlib
import os
import time
from pathlib import Path

BUSY_TICKS = os.sysconf("SC_CLK_TCK") // 10


def dsp_processes(client: int) -> list[int]:
    """The live processes of the DSP side of a client; zombies do not count."""
    mark = f"client_pid={client}".encode()
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            arguments = (entry / "cmdline").read_bytes().split(b"\0")
            state = (entry / "stat").read_text().rsplit(")", 1)[1].split()[0]
        except OSError:
            continue
        if mark in arguments and state != "Z":
            found.append(int(entry.name))
    return found


def wait_for_endless_calls(client: int, count: int) -> None:
    """Wait until so many calls of a client, which do not return, have been running for more than a
    second: the shell names those when the client ends."""
    end = time.monotonic() + 60
    busy = 0
    while busy < count:
        assert time.monotonic() < end
        time.sleep(0.05)
        busy = 0
        for process in dsp_processes(client):
            for thread in Path(f"/proc/{process}/task").glob("*"):
                # The first thread serves no call.
                with contextlib.suppress(OSError):  # it has ended
                    fields = (thread / "stat").read_text().rpartition(") ")[2].split()
                    busy += thread.name != str(process) and int(fields[11]) >= BUSY_TICKS
    time.sleep(1.2)
