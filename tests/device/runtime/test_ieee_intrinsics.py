"""Intrinsics with IEEE results give the same with instructions and, from v79 on, in qf.  So do
vectors of C."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from buildtool.project.keys import has_ieee
from buildtool.sdk.packaged_tools import usable_zig
from buildtool.toolchains.intrinsics import read_intrinsics
from buildtool.toolchains.sdk_root import ONLY_QF
from tests.device.fastrpc.toolbox import ROOT, Device, Toolbox

from .conftest import HERE, QURT, WRAP, install
from .test_threads import case

SOURCE = HERE / "skel" / "ieee_intrinsics.c"
CASES = re.findall(r"CASE\((\w+)\)", SOURCE.read_text(encoding="utf-8"))
HEADER = ROOT / "dsp" / "clang" / "hvx_hexagon_protos.h"


def float_flags(arch: str) -> tuple[str, ...]:
    """The compiler flags that make the intrinsics available for `arch`."""
    return ("-mhvx-ieee-fp",) if has_ieee(arch) else (f"-I{HEADER.parent}", *ONLY_QF)


@pytest.mark.parametrize("arch", ["v75", "v79", pytest.param("v81", marks=pytest.mark.long)])
def test_vectors_of_c(make_device: Callable[..., Device], toolbox: Toolbox, arch: str) -> None:
    """They are converted in order, and kept across calls; up to v75 the last bit is not exact."""
    device = make_device(arch=arch[1:])
    flags = (*QURT, "-fno-builtin", *(() if has_ieee(arch) else ONLY_QF), *WRAP)
    source = str(SOURCE.with_name("vector_types.c"))
    name = f"vector_types_{arch}"
    install(device, toolbox.skel(name, *flags, arch=arch, source=source), "vector_types")
    for name in ("converted", "saved"):
        code, _, log = case(device, "vector_types", f"{name} 1 {250 if has_ieee(arch) else 0}")
        assert (code, log) == (0, ""), f"{name}: {log}"


@pytest.mark.parametrize("arch", ["v75", "v79", pytest.param("v81", marks=pytest.mark.long)])
def test_the_results(make_device: Callable[..., Device], toolbox: Toolbox, arch: str) -> None:
    device = make_device(arch=arch[1:])
    flags = (*QURT, "-fno-builtin", *float_flags(arch), *WRAP)
    name = f"ieee_intrinsics_{arch}"
    install(device, toolbox.skel(name, *flags, arch=arch, source=str(SOURCE)), "ieee_intrinsics")
    failed = {}
    for each in CASES:
        code, _, log = case(device, "ieee_intrinsics", f"{each} 1")
        if (code, log) != (0, ""):
            failed[each] = log
    assert not failed


def test_every_intrinsic_is_computed_or_refused() -> None:
    clang = read_intrinsics(usable_zig().library / "include")
    text = HEADER.read_text(encoding="utf-8")
    computed = re.findall(r"^__HVX_[VW] (Q6_\w+)", text, re.MULTILINE)
    refused = re.findall(r"^__HVX_REFUSED\(\w+, (\w+)", text, re.MULTILINE)
    assert sorted([*computed, *refused]) == sorted(n for n, each in clang.items() if each.is_ieee)
    assert all("f8" in clang[name].shape or "vcvt2" in name for name in refused)
    tried = SOURCE.read_text(encoding="utf-8")
    assert not [name for name in computed if name not in tried]
