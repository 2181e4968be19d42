"""How many lanes of floating point the emulated devices of v75 and v79 compute, beside integers.

make bench
"""

from __future__ import annotations

import dataclasses
import statistics
import tempfile
from pathlib import Path

from tests.device.fastrpc.toolbox import Device, Toolbox
from tests.device.runtime.conftest import HERE, QURT, client_of, install

ARCHS = ("75", "79")
ROUNDS = 7
TURNS = 2000
CPU = "-mcpu=hexagonv68+hvxv68+hvx_length128b+hvx_qfloat+hvx_ieee_fp"
HALVES = {"add_hf", "mpy_hf", "add_qf16", "mpy_qf16", "dmpy"}
INTEGERS = ["add_w", "mpy_w"]
IEEE = ["add_sf", "mpy_sf", "add_hf", "mpy_hf", "dmpy"]
QFLOAT = ["add_qf32", "sum_sf", "mpy_qf32", "mpy_qf_qf", "wide", "sf_of_qf32", "hf_of_qf32"]
QFLOAT += ["add_qf16", "mpy_qf16", "chain"]
NAMES = INTEGERS + IEEE + QFLOAT


def main() -> None:
    """Print the table."""
    with tempfile.TemporaryDirectory(prefix="buildtool-bench-") as folder:
        toolbox = Toolbox(Path(folder, "toolbox"))
        source = HERE / "skel" / "float_speed.c"
        skel = toolbox.skel("float_speed", *QURT, "-fno-builtin", CPU, source=str(source))
        devices = {}
        for arch in ARCHS:
            device = Device.lay_out(Path(folder, f"device{arch}"), toolbox, arch=arch)
            devices[arch] = dataclasses.replace(device, client=client_of(toolbox))
            install(device, skel, "float_speed")
        times: dict[tuple[str, str], list[int]] = {}
        for _ in range(ROUNDS):
            for arch, device in devices.items():
                names = [name for name in NAMES if arch == ARCHS[0] or name not in IEEE]
                runs = "; ".join(f"case float_speed {name} 1" for name in names)
                result = device.run(f"open float_speed; {runs}; close float_speed")
                for name in names:
                    time = int(result[f"case float_speed {name} 1"].split()[1])
                    times.setdefault((name, arch), []).append(time)
    print(f"{'':<12} {'M lanes/s':>10} {'times add_w':>12} {'v79 / v75':>10}")
    integers = statistics.median(times["add_w", ARCHS[0]])
    for name in NAMES:
        median = statistics.median(times[name, ARCHS[0]])
        lanes = (64 if name in HALVES else 32) * TURNS
        other = times.get((name, ARCHS[1]))
        ratio = f"{median / statistics.median(other):>10.2f}" if other else ""
        print(f"{name:<12} {lanes / median:>10.1f} {median / integers:>12.1f} {ratio}".rstrip())


if __name__ == "__main__":
    main()
