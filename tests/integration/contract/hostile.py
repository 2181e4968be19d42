"""Applies all rules to mutated files, with little memory.  Run as a program by a test.

python -m tests.integration.contract.hostile SEED COUNT DIRECTORY FILE…
"""

from __future__ import annotations

import random
import resource
import struct
import sys
import time
from pathlib import Path

from buildtool.contract.inspection import check
from buildtool.contract.subject import Promise, Subject

MEMORY = 1 << 30  # bytes; some files claim to have tables of many gigabytes
SECONDS = 10.0  # for one file; most take milliseconds


def main(seed: int, count: int, directory: Path, files: list[Path]) -> None:
    chance = random.Random(seed)
    contents = [file.read_bytes() for file in files]
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    findings = 0
    for number in range(count):
        data = mutated(chance.choice(contents), chance)
        place = chance.choice(("lib/liba.so", "dsp/v68/liba_skel.so", "bin/a"))
        file = directory / "mutated"
        file.write_bytes(data)
        platform = chance.choice(("", "ubuntu-aarch64", "android"))
        promise = Promise(platform=platform, glibc="2.31", api=24)
        start = time.monotonic()
        findings += len(check(Subject({place: file, "lib/libb.so": files[0]}, promise=promise)))
        seconds = time.monotonic() - start
        if seconds > SECONDS:
            sys.exit(f"file {number} of seed {seed} took {seconds:.1f} s")
    print(findings)


def mutated(data: bytes, chance: random.Random) -> bytes:
    """`data` with some numbers changed, mostly those in headers and tables."""
    changed = bytearray(data)
    for _ in range(chance.choice([1, 2, 4, 16])):
        end = chance.choice([64, 0x400, len(changed) - 8])
        at = chance.randrange(min(end, len(changed) - 8)) & ~3
        if chance.random() < 0.1:  # the section table lies at the end
            at = max(0, len(changed) - chance.randrange(8, 0x800)) & ~3
        values = [0, 1, 0xFFFF, 0xFFFFFFFF, 0x7FFFFFFF, len(data), chance.randrange(1 << 16)]
        struct.pack_into("<I", changed, at, chance.choice(values))
    return bytes(
        changed[: chance.choice([len(changed), len(changed), chance.randrange(len(data))])]
    )


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3]), [Path(a) for a in sys.argv[4:]])
