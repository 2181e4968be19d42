"""How fast the emulated devices of v75 and v79 compute in floating point, beside integers.

make bench
"""

from __future__ import annotations

import dataclasses
import tempfile
from collections.abc import Mapping
from pathlib import Path

from tests.device.fastrpc.toolbox import Device, Toolbox
from tests.device.runtime.conftest import HERE, QURT, client_of, install
from tests.device.runtime.test_ieee_intrinsics import float_flags

ARCHS = ("75", "79")
ROUNDS = 12
TURNS = 2000
CPU = "-mcpu=hexagonv68+hvxv68+hvx_length128b+hvx_qfloat+hvx_ieee_fp"
HALVES = {"add_hf", "mpy_hf", "add_qf16", "mpy_qf16", "dmpy"}
INTEGERS = ["add_w", "mpy_w"]
IEEE = ["add_sf", "mpy_sf", "add_hf", "mpy_hf", "dmpy"]
QFLOAT = ["add_qf32", "sum_sf", "mpy_qf32", "mpy_qf_qf", "wide", "sf_of_qf32", "hf_of_qf32"]
QFLOAT += ["add_qf16", "mpy_qf16", "chain"]
NAMES = INTEGERS + IEEE + QFLOAT
KERNELS = ["rms_norm", "delta_step"]

Times = dict[tuple[str, str], int]
"""Of a case and an arch: microseconds."""


def main() -> None:
    """Print the tables."""
    with tempfile.TemporaryDirectory(prefix="buildtool-bench-") as folder:
        toolbox = Toolbox(Path(folder, "toolbox"))
        devices = {}
        for arch in ARCHS:
            device = Device.lay_out(Path(folder, f"device{arch}"), toolbox, arch=arch)
            devices[arch] = dataclasses.replace(device, client=client_of(toolbox))
            for name, flags in (("float_speed", [CPU]), ("kernel_speed", float_flags(f"v{arch}"))):
                source = str(HERE / "skel" / f"{name}.c")
                options = (*QURT, "-fno-builtin", *flags)
                skel = toolbox.skel(f"{name}_{arch}", *options, arch=f"v{arch}", source=source)
                install(devices[arch], skel, name)
        cases = {arch: [n for n in NAMES if arch == "75" or n not in IEEE] for arch in ARCHS}
        times = measured(devices, "float_speed", cases)
        kernels = measured(devices, "kernel_speed", dict.fromkeys(ARCHS, KERNELS))
    print(f"{'':<12} {'M lanes/s':>10} {'times add_w':>12} {'v79 / v75':>10}")
    for name in NAMES:
        time = times[name, "75"]
        lanes = (64 if name in HALVES else 32) * TURNS
        ratio = f"{time / times[name, '79']:>10.2f}" if name not in IEEE else ""
        relative = time / times["add_w", "75"]
        print(f"{name:<12} {lanes / time:>10.1f} {relative:>12.1f} {ratio}".rstrip())
    print(f"\n{'':<12} {'v75, ms':>10} {'v79, ms':>12} {'v79 / v75':>10}")
    for name in KERNELS:
        old, new = (kernels[name, arch] / 1000 for arch in ARCHS)
        print(f"{name:<12} {old:>10.2f} {new:>12.2f} {new / old:>10.2f}")


def measured(devices: Mapping[str, Device], skel: str, cases: Mapping[str, list[str]]) -> Times:
    """The least times: others are longer because of what else the machine does."""
    times: Times = {}
    for _ in range(ROUNDS):
        for arch, device in devices.items():
            runs = "; ".join(f"case {skel} {name} 1" for name in cases[arch])
            result = device.run(f"open {skel}; {runs}; close {skel}")
            for name in cases[arch]:
                time = int(result[f"case {skel} {name} 1"].split()[1])
                times[name, arch] = min(time, times.get((name, arch), time))
    return times


if __name__ == "__main__":
    main()
