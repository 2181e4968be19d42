"""What the emulated DSP writes down for a profile: modules, samples, and counts of code blocks.

The lines are those of `emulator/shell/profile.c` and `device/emulated/plugin/packet_counts.c`.
A program on the device can write into the file, so nothing in it is trusted.
"""

from __future__ import annotations

import bisect
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

from buildtool.core.value import Value

MAX_BYTES = 256 << 20
"""Of the file that is read."""
MAX_LINE = 4096
MAX_MODULES = 1024
MAX_THUNKS = 1 << 17
MAX_ADDRESSES = 64
MAX_STACKS = 1 << 18
MAX_BLOCKS = 1 << 18
"""Different ones."""
MAX_COUNT = 1 << 64

_Key = TypeVar("_Key")
Address = tuple[int, int]
"""A process, and an address in it."""


class Module(Value):
    """A skel or library in the memory [start, end) of a process, with link-time address 0 at
    `base`."""

    process: int
    base: int
    start: int
    end: int
    name: str


class Recording:
    """The content of such a file.

    `stacks` are samples by process and addresses: where the thread was, its link register, and the
    return addresses of its frames, the newest first.  `blocks` is how often the code between two
    addresses of a process was executed.  `unsampled` threads had no timer.  `is_cut`: the file has
    more than is read.
    """

    def __init__(self) -> None:
        self.modules: dict[int, list[Module]] = {}
        self.stacks: Counter[tuple[int, tuple[int, ...]]] = Counter()
        self.blocks: Counter[tuple[int, int, int]] = Counter()
        self.unsampled = 0
        self.is_cut = False
        self._thunks: dict[int, list[tuple[int, int]]] = {}
        self._read = 0

    def module_at(self, address: Address) -> Module | None:
        """The module whose memory contains an address."""
        process, place = address
        for module in self.modules.get(process, ()):
            if module.start <= place < module.end:
                return module
        return None

    def origin(self, address: Address) -> int:
        """The address of the packet that the code at an address stands for, usually itself."""
        process, place = address
        thunks = self._thunks.get(process, [])
        number = bisect.bisect_right(thunks, (place, MAX_COUNT)) - 1
        module = self.module_at(address)
        if number < 0 or module is None or thunks[number][0] < module.start:
            return place
        return thunks[number][1]

    def is_thunk(self, address: Address) -> bool:
        """Whether an address is in code that the emulated device has added to a module."""
        return self.origin(address) != address[1]

    def add(self, line: str) -> None:
        """Add a line of the file; one that is damaged is left out."""
        word, *words = line.split(" ", MAX_ADDRESSES + 3)
        process = _count(word, 10)
        if process is None:
            return
        match words:
            case ["m", base, start, end, *name] if numbers := _addresses((base, start, end)):
                modules = self.modules.setdefault(process, [])
                if len(modules) < MAX_MODULES and len(self.modules) <= MAX_MODULES:
                    module = Module(process, numbers[0], numbers[1], numbers[2], " ".join(name))
                    modules.append(module)
            case ["t", thunk, packet] if numbers := _addresses((thunk, packet)):
                if self._read < MAX_THUNKS:
                    self._read += 1
                    self._thunks.setdefault(process, []).append((numbers[0], numbers[1]))
            case ["s", times, *place] if numbers := _addresses(place[:MAX_ADDRESSES]):
                self._add(self.stacks, (process, numbers), MAX_STACKS, _count(times, 6))
            case ["c", start, end, times] if numbers := _addresses((start, end)):
                block = process, numbers[0], numbers[1]
                self._add(self.blocks, block, MAX_BLOCKS, _count(times, 20))
            case ["d"]:
                self.unsampled += 1

    def _add(self, counter: Counter[_Key], key: _Key, room: int, times: int | None) -> None:
        if times and (key in counter or len(counter) < room):
            counter[key] += times
        self.is_cut |= bool(times) and key not in counter

    def finish(self) -> None:
        """Sort what `add` has added."""
        for thunks in self._thunks.values():
            thunks.sort()


def read_recording(file: Path) -> Recording:
    """The recording in `file`, which may be missing."""
    recording = Recording()
    if not file.is_file():
        return recording
    with file.open("rb") as stream:
        read = 0
        while read < MAX_BYTES and (line := stream.readline(MAX_LINE)):
            read += len(line)
            recording.add(line.decode("utf-8", "replace").rstrip("\n"))
        recording.is_cut |= bool(stream.read(1))
    recording.finish()
    return recording


def _count(word: str, digits: int) -> int | None:
    usable = word.isascii() and word.isdecimal() and len(word) <= digits
    return int(word) if usable else None


def _addresses(words: Sequence[str]) -> tuple[int, ...] | None:
    """Hexadecimal numbers of 32 bits; None if there is none, or another word."""
    try:
        numbers = tuple(int(word, 16) for word in words if len(word) <= 8 and word.isalnum())
    except ValueError:
        return None
    return numbers if len(numbers) == len(words) else None
