"""What a profile on the emulated DSP is made of: modules, samples, counts of code blocks, and the
packets of code.

The lines are those of `emulator/shell/profile.c` and `device/emulated/plugin/packet_counts.c`.
A program on the device can write into the file, so nothing in it is trusted.

Source of packets: Hexagon V67 Programmer's Reference Manual, "Packet Encoding Details", "Duplexes",
"Constant Extenders".  An instruction is what QEMU counts as one: not `nop`, and no constant
extender.
"""

from __future__ import annotations

import bisect
import os
import re
import shutil
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from buildtool.core.processes.process import capture
from buildtool.core.value import Value

if TYPE_CHECKING:
    from buildtool.deploy.ready import Ready

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
MAX_WORDS = 4
"""Of a packet, which is also the number of instructions that a DSP executes at once."""
_PARSE = 3 << 14
_NOP = 0x7F000000
_EXTRACT = (0xFFE02020, 0x92000020)  # mask and value of Rd = vextract(Vu,Rs)
SECONDS = 20
"""How long a library is examined at most."""
FEATURES = "+v69,+hvxv69,+hvx-length128b"
"""Features that LLVM 14 and newer know; those of a skel for v68 lack vector floating point."""


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


class Packet(Value):
    """A packet: its address, its size in bytes, and its instructions, of which some are HVX's."""

    address: int
    size: int
    instructions: int
    hvx: int


def packets_between(start: int, end: int, word_at: Callable[[int], int | None]) -> Iterator[Packet]:
    """The packets from the address `start` on, until `end` or a word that is not there."""
    while start < end:
        instructions = hvx = size = 0
        is_end = False
        while not is_end and size < 4 * MAX_WORDS:
            word = word_at(start + size)
            if word is None:
                return
            size += 4
            parse = word & _PARSE
            is_end = parse in (0, _PARSE)
            if not parse:
                instructions += 2
            elif word & ~_PARSE != _NOP and word >> 28:
                instructions += 1
                hvx += is_hvx(word)
        if not is_end:
            return  # these words are no packet
        yield Packet(start, size, instructions, hvx)
        start += size


def is_hvx(word: int) -> bool:
    """Whether a word that is no duplex is an instruction of HVX."""
    return word >> 27 in (0b00011, 0b00101) or word & _EXTRACT[0] == _EXTRACT[1]


def undecoded_packets(ready: Ready, configuration: Mapping[str, str]) -> str:
    """A text of some lines about the packets of the release's skels for the device that its QEMU
    does not decode; `configuration` is the emulated device's."""
    from buildtool.diagnose.module_files import DebugFiles  # noqa: PLC0415 - only after a crash

    debug = DebugFiles(ready.release.debug)
    deployment = ready.deployment
    lines: list[str] = []
    for file in deployment.files:
        if file.path.startswith("dsp/") and file.path.endswith(".so"):
            lines += _of_library(deployment.directory / file.path, configuration, debug)
    if not lines:
        return (
            "QEMU decodes all packets in the code of these skels: a jump has left the code, or code"
            " of another file was executed"
        )
    which = "a packet" if len(lines) == 1 else "one of these packets"
    return "\n".join([f"QEMU has ended at {which} that it does not decode:", *lines])


def _of_library(library: Path, configuration: Mapping[str, str], debug: Any) -> Iterator[str]:
    from elftools.elf.constants import SH_FLAGS  # noqa: PLC0415 - only after a crash
    from elftools.elf.elffile import ELFFile  # noqa: PLC0415

    from buildtool.diagnose.crash_report import StackFrame  # noqa: PLC0415

    with library.open("rb") as stream:
        elf: Any = ELFFile(stream)
        sections = [s for s in elf.iter_sections() if s["sh_flags"] & SH_FLAGS.SHF_EXECINSTR]
        note = elf.get_section_by_name(".note.gnu.build-id")
        build_id = note.data()[16:].hex() if note else ""
    for section in sections:
        first, size, base = section["sh_offset"], section["sh_size"], section["sh_addr"]
        done = capture(
            [
                *(configuration["qemu"], "-cpu", configuration["qemu_cpu"]),
                *(configuration["shell"], "--undecoded", str(library), str(first), str(size)),
            ],
            env=os.environ,
            timeout=SECONDS,
        )
        for found in re.findall(r"^0x([0-9a-f]+)$", done.output, re.MULTILINE):
            address = int(found, 16) - first + base
            places = debug.places(StackFrame(library.name, address, build_id), call=False)
            where = "".join(f", {p.function} ({p.file}:{p.line})" for p in places[:1] if p.line)
            yield f"  {library.name}+0x{address:x}{where}{_disassembly(library, address)}"


def disassembled(file: Path, start: int, end: int) -> str:
    """The code between two addresses as LLVM prints it, "" without its disassembler."""
    program = shutil.which("llvm-objdump")
    if not program:
        return ""
    between = f"--start-address={start}", f"--stop-address={end}"
    command = [program, "-d", "--no-show-raw-insn", f"--mattr={FEATURES}", *between, str(file)]
    return capture(command, env=os.environ, timeout=SECONDS).output


def _disassembly(library: Path, address: int) -> str:
    """The packet at `address`, if LLVM's disassembler is installed."""
    code = disassembled(library, address, address + 16)
    packet = re.search(rf"^ *{address:x}:\s*(\{{.*?\}})", code, re.MULTILINE | re.DOTALL)
    words = re.sub(r"^ *[0-9a-f]+:\s*", "; ", packet[1], flags=re.MULTILINE) if packet else ""
    return f": {' '.join(words.split())}" if words else ""
