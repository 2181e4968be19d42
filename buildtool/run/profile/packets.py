"""Packets in Hexagon code: their sizes, how many instructions each has, and which QEMU does not
decode.

Source: Hexagon V67 Programmer's Reference Manual, "Packet Encoding Details", "Duplexes", "Constant
Extenders".  An instruction is what QEMU counts as one: not `nop`, and no constant extender.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from buildtool.core.processes.process import capture
from buildtool.core.value import Value

if TYPE_CHECKING:
    from buildtool.deploy.ready import Ready

MAX_WORDS = 4
"""Of a packet, which is also the number of instructions that a DSP executes at once."""
_PARSE = 3 << 14
_NOP = 0x7F000000
_EXTRACT = (0xFFE02020, 0x92000020)  # mask and value of Rd = vextract(Vu,Rs)
SECONDS = 20
"""How long a library is examined at most."""
FEATURES = "+v69,+hvxv69,+hvx-length128b"
"""Features that LLVM 14 and newer know; those of a skel for v68 lack vector floating point."""


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


def _disassembly(library: Path, address: int) -> str:
    """The packet at `address`, if LLVM's disassembler is installed."""
    program = shutil.which("llvm-objdump")
    if not program:
        return ""
    done = capture(
        [
            *(program, "-d", "--no-show-raw-insn", f"--mattr={FEATURES}"),
            *(f"--start-address={address}", f"--stop-address={address + 16}", str(library)),
        ],
        env=os.environ,
        timeout=SECONDS,
    )
    packet = re.search(rf"^ *{address:x}:\s*(\{{.*?\}})", done.output, re.MULTILINE | re.DOTALL)
    words = re.sub(r"^ *[0-9a-f]+:\s*", "; ", packet[1], flags=re.MULTILINE) if packet else ""
    return f": {' '.join(words.split())}" if words else ""
