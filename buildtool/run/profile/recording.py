"""What the emulated DSP writes down for a profile: modules, samples, and counts of code blocks.

The lines are those of `emulator/shell/profile.c` and of `device/emulated/plugin/packet_counts.c`.  A
program on the device can write into the file, so nothing in it is trusted.
"""

from __future__ import annotations

import bisect
from collections import Counter
from pathlib import Path

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
        process, kind, *words = (*line.split(" ", MAX_ADDRESSES + 3), "")[:-1]
        numbers = [_number(word) for word in words]
        if not process.isascii() or not process.isdecimal() or len(process) > 10:
            return
        number = int(process)
        match kind, words:
            case "m", [_, _, _, name] if None not in numbers[:3]:
                self._add_module(number, numbers, name)
            case "t", [_, _] if None not in numbers:
                if self._read < MAX_THUNKS:
                    self._read += 1
                    self._thunks.setdefault(number, []).append((numbers[0], numbers[1]))
            case "s", [weight, _, *_] if None not in numbers[1:] and weight.isdecimal():
                stack = number, tuple(numbers[1 : MAX_ADDRESSES + 1])
                if stack in self.stacks or len(self.stacks) < MAX_STACKS:
                    self.stacks[stack] += min(int(weight[:6]), 1 << 16)
                else:
                    self.is_cut = True
            case "c", [_, _, times] if None not in numbers[:2] and times.isdecimal():
                block = number, numbers[0], numbers[1]
                if block in self.blocks or len(self.blocks) < MAX_BLOCKS:
                    self.blocks[block] += min(int(times[:20]), MAX_COUNT)
                else:
                    self.is_cut = True
            case "d", []:
                self.unsampled += 1

    def _add_module(self, process: int, numbers: list[int | None], name: str) -> None:
        base, start, end = numbers[:3]
        modules = self.modules.setdefault(process, [])
        if len(modules) < MAX_MODULES and len(self.modules) < MAX_MODULES:
            modules.append(Module(process, base, start, end, name))

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


def _number(word: str) -> int | None:
    """A hexadecimal number of 32 bits."""
    usable = 0 < len(word) <= 8 and word.isascii() and word.isalnum()
    try:
        return int(word, 16) if usable else None
    except ValueError:
        return None
