"""Kernels in floating point give what scalar code gives, for each arch."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.device.fastrpc.toolbox import Device, Toolbox

from .conftest import HERE, QURT, WRAP, install
from .test_ieee_intrinsics import float_flags
from .test_threads import case

CASES = ("rms", "soft", "dot", "delta", "types", "assembly")


# qf32 and qf16 are other formats from v79 on; the other archs have instructions of one of these.
OTHER_ARCHS = [pytest.param(arch, marks=pytest.mark.long) for arch in (69, 73, 75, 81)]


@pytest.mark.parametrize("arch", [pytest.param(68, marks=pytest.mark.long), 79, *OTHER_ARCHS])
def test_kernels(make_device: Callable[..., Device], toolbox: Toolbox, arch: int) -> None:
    device = make_device(arch=str(arch))
    skel = toolbox.skel(
        f"float_kernels_{arch}",
        *QURT,
        *("-fno-builtin", *float_flags(f"v{arch}"), *WRAP),
        arch=f"v{arch}",
        source=str(HERE / "skel" / "float_kernels.c"),
    )
    install(device, skel, "float_kernels")
    for name in CASES:
        for seed in (1, 2):
            code, _, log = case(device, "float_kernels", f"{name} {seed}")
            assert (code, log) == (0, ""), name
