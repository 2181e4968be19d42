"""How long matrix products on HMX take on the emulated device: 32 x 32 x K.

make bench
"""

from __future__ import annotations

import statistics
import tempfile
from pathlib import Path

from tests.device.fastrpc.toolbox import Device, Toolbox
from tests.device.hmx.lab import Address, Packet, make_lab, packet

ROUNDS = 7
TURNS = 500
A, W, S, C = (Address(at) for at in (0, 0x10000, 0x20000, 0x21000))
IMAGE = bytes(0x22000)


def products(tiles: int) -> dict[str, list[Packet]]:
    """The packets of a product of K = 32 * `tiles`, by the type of its numbers."""
    act, half, byte = tiles * 2048 - 1, tiles * 2048 - 1, tiles * 1024 - 1
    return {
        "fp16": [
            packet(("mxclracc.hf", 0, 0)),
            packet(
                ("activation.hf=mxmem(Rs,Rt):deep", A, act), ("weight.hf=mxmem(Rs,Rt)", W, half)
            ),
            packet(("mxmem(Rs,Rt):after.hf=acc", C, 0)),
        ],
        "int8": [
            packet(("mxclracc", 0, 0)),
            packet(("activation.ub=mxmem(Rs,Rt):deep", A, act), ("weight.b=mxmem(Rs,Rt)", W, byte)),
            packet(("mxmem(Rs,Rt):after:sat.ub=acc", C, 0)),
        ],
    }


def main() -> None:
    """Print the table."""
    print(f"{'arch':<5} {'numbers':<8} {'K':>5} {'us':>8} {'us a tile':>10}")
    with tempfile.TemporaryDirectory(prefix="buildtool-bench-") as folder:
        toolbox = Toolbox(Path(folder, "toolbox"))
        for arch in ("68", "73", "79"):
            device = Device.lay_out(Path(folder, arch), toolbox, arch=arch, hmx="1")
            lab = make_lab(device, toolbox)
            for tiles in (1, 32):
                for name, packets in products(tiles).items():
                    times = []
                    for _ in range(ROUNDS):
                        result = lab.start(packets, IMAGE, f"run {TURNS // tiles}")
                        words = result[f"case hmx_lab run {TURNS // tiles}"].split()
                        times.append(int(words[1]) / (TURNS // tiles))
                    us = statistics.median(times)
                    print(f"v{arch:<4} {name:<8} {32 * tiles:>5} {us:>8.1f} {us / tiles:>10.1f}")


if __name__ == "__main__":
    main()
