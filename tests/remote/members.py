"""The processes in namespaces: found by the namespace, so that none can get lost."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from pathlib import Path
from typing import Literal

Kind = Literal["mnt", "net"]


class Members:
    """The processes in the namespaces of `kinds` of the process `holder`, apart from `holder`."""

    def __init__(self, holder: int, kinds: tuple[Kind, ...]) -> None:
        self._holder = holder
        # While a namespace is open no other gets its number.
        self._open = {
            kind: os.open(f"/proc/{holder}/ns/{kind}", os.O_RDONLY | os.O_CLOEXEC) for kind in kinds
        }

    def find(self, kinds: tuple[Kind, ...] = ("mnt", "net")) -> dict[int, str]:
        """IDs and command lines of those in the namespaces of `kinds`, without zombies."""
        wanted = [(kind, os.fstat(fd)) for kind, fd in self._open.items() if kind in kinds]
        found = {}
        for directory in Path("/proc").iterdir():
            if not directory.name.isdigit() or int(directory.name) == self._holder:
                continue
            with contextlib.suppress(OSError):  # it has ended, or belongs to somebody else
                if any(os.path.samestat((directory / "ns" / k).stat(), s) for k, s in wanted):
                    line = (directory / "cmdline").read_bytes().replace(b"\0", b" ")
                    found[int(directory.name)] = line.decode(errors="replace").strip()
        return found

    def kill(self, kinds: tuple[Kind, ...] = ("mnt", "net")) -> None:
        """Kill them, and wait until there are none."""
        end = time.monotonic() + 10
        while found := self.find(kinds):  # a process can have forked since it was listed
            assert time.monotonic() < end, f"processes cannot be killed: {found}"
            for process in found:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(process, signal.SIGKILL)
            time.sleep(0.005)

    def close(self) -> None:
        for fd in self._open.values():
            os.close(fd)
        self._open = {}
