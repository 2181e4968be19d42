"""The program that computes HMX for the emulated device, driven as the DSP process drives it."""

from __future__ import annotations

import csv
import mmap
import os
import struct
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[3]
TABLE = ROOT / "buildtool/toolchains/hmx_forms.tsv"
COMPUTES, ZEROS, STRICT = 1, 2, 4
"""The modes of emulator/hmx/unit.h."""
BASE = 0x10000000
NO_FORM = 0xFFFF


def forms() -> list[dict[str, str]]:
    """The rows of the table, whose numbers are those of requests."""
    with TABLE.open(encoding="utf-8", newline="") as stream:
        lines = [line for line in stream if not line.startswith("#")]
    return list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))


NUMBERS = {row["syntax"]: number for number, row in enumerate(forms())}


class HmxRefusedError(Exception):
    """A packet that must not be executed: why, and the address."""


@dataclass
class Unit:
    """A running program; `memory` is the VTCM, whose address is BASE."""

    process: subprocess.Popen[bytes]
    memory: mmap.mmap
    usr: int = 0
    turn: int = field(default=1)

    def run(self, *packet: tuple[str, int, int]) -> None:
        """Execute a packet: one or two instructions, each with Rs and Rt.

        Raises `HmxRefusedError` with the reply's text.
        """
        forms = [NUMBERS[syntax] for syntax, _, _ in packet]
        registers = [value & 0xFFFFFFFF for _, rs, rt in packet for value in (rs, rt)]
        forms += [NO_FORM] * (2 - len(packet))
        registers += [0] * (4 - len(registers))
        pipe_in, pipe_out = self.process.stdin, self.process.stdout
        assert pipe_in
        assert pipe_out
        pipe_in.write(struct.pack("<8I", *forms, *registers, self.usr, self.turn))
        pipe_in.flush()
        reply = pipe_out.read(256)
        text = reply[4:].split(b"\0", 1)[0].decode()
        if text:
            raise HmxRefusedError(text, int.from_bytes(reply[:4], "little"))


@contextmanager
def running_unit(
    program: Path, arch: str, mode: int = COMPUTES, *, size: int = 2 << 20
) -> Iterator[Unit]:
    """Start `program` for `arch` ("v73") with a VTCM of `size` bytes."""
    fd = os.memfd_create("vtcm", 0)
    os.ftruncate(fd, size)
    words = [f"0x{arch[1:]}", str(BASE), str(size), str(fd), str(mode)]
    with (
        mmap.mmap(fd, size) as memory,
        subprocess.Popen(
            [program, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, pass_fds=[fd]
        ) as process,
    ):
        os.close(fd)
        yield Unit(process, memory)
        assert process.stdin
        process.stdin.close()
