"""How many lanes of floating point the emulated device computes, beside integers.

make bench
"""

from __future__ import annotations

import dataclasses
import statistics
import tempfile
from pathlib import Path

from tests.device.fastrpc.toolbox import Device, Toolbox
from tests.device.runtime.conftest import HERE, QURT, client_of, install

ROUNDS = 7
TURNS = 2000
CPU = "-mcpu=hexagonv68+hvxv68+hvx_length128b+hvx_qfloat+hvx_ieee_fp"
HALVES = {"add_hf", "mpy_hf", "add_qf16", "mpy_qf16", "dmpy"}
INTEGERS = ["add_w", "mpy_w"]
IEEE = ["add_sf", "mpy_sf", "add_hf", "mpy_hf", "max_sf", "dmpy"]
QFLOAT = ["add_qf32", "mpy_qf32", "sf_of_qf32", "add_qf16", "mpy_qf16"]
NAMES = INTEGERS + IEEE + QFLOAT


def main() -> None:
    """Print the table."""
    with tempfile.TemporaryDirectory(prefix="buildtool-bench-") as folder:
        toolbox = Toolbox(Path(folder, "toolbox"))
        device = Device.lay_out(Path(folder, "device"), toolbox)
        device = dataclasses.replace(device, client=client_of(toolbox))
        source = HERE / "skel" / "float_speed.c"
        skel = toolbox.skel("float_speed", *QURT, "-fno-builtin", CPU, source=str(source))
        install(device, skel, "float_speed")
        runs = "; ".join(f"case float_speed {name} 1" for name in NAMES)
        times: dict[str, list[int]] = {name: [] for name in NAMES}
        for _ in range(ROUNDS):
            result = device.run(f"open float_speed; {runs}; close float_speed")
            for name in NAMES:
                times[name].append(int(result[f"case float_speed {name} 1"].split()[1]))
    print(f"{'instruction':<12} {'M lanes/s':>10} {'times add_w':>12}")
    integers = statistics.median(times["add_w"])
    for name in NAMES:
        median = statistics.median(times[name])
        lanes = (64 if name in HALVES else 32) * TURNS
        print(f"{name:<12} {lanes / median:>10.1f} {median / integers:>12.1f}")


if __name__ == "__main__":
    main()
