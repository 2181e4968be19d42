"""The requirements of an intrinsic are read from the compiler's own header."""

from __future__ import annotations

from pathlib import Path

import pytest

from buildtool.sdk.packaged_tools import find_zig
from buildtool.toolchains.intrinsics import (
    invalid_instructions,
    no_ieee,
    read_intrinsics,
    shape_of,
)


@pytest.mark.parametrize(
    ("name", "arch", "lack"),
    [
        ("Q6_Vh_vadd_VhVh", "v68", ""),
        ("Q6_Vqf32_vadd_VsfVsf", "v68", ""),
        ("Q6_Vh_equals_Vhf", "v68", "needs v73; this is v68"),
        ("Q6_Vh_equals_Vhf", "v73", ""),
        ("Q6_Vsf_vadd_VsfVsf", "v75", "needs the option -mhvx-ieee-fp"),
        ("Q6_Vsf_vadd_VsfVsf", "v79", ""),
        ("Q6_R_add_RR", "v68", ""),
    ],
)
def test_the_headers_of_zigs_clang(name: str, arch: str, lack: str) -> None:
    intrinsics = read_intrinsics(find_zig().library / "include")

    assert intrinsics[name].lacks(arch) == lack


def test_a_directory_without_the_headers(tmp_path: Path) -> None:
    (tmp_path / "hexagon_protos.h").mkdir()

    assert read_intrinsics(tmp_path) == {}


@pytest.mark.parametrize(
    ("instruction", "instead"),
    [
        ("v0.sf = vmpy(v1.sf, v2.sf)", "v0.qf32 = vmpy(v1.sf,v2.sf), then v0.sf = v0.qf32"),
        ("v0.hf = vsub(v1.hf,v2.hf)", "v0.qf16 = vsub(v1.hf,v2.hf), then v0.hf = v0.qf16"),
        ("v0.hf = vmpy(v1.hf,v2.hf)", "PAIR.qf32 = vmpy(v1.hf,v2.hf), then v0.hf = PAIR.qf32"),
        ("V0.HF = VFMAX(V1.HF,V2.HF)", "v0.hf = vmax(v1.hf,v2.hf)"),
        ("v0.sf = vabs(v1.sf)", "v0 = vand(v1,MASK), all bits but the signs"),
        ("v0.hf = vfneg(v1.hf)", "v0 = vxor(v1,MASK), the bits of the signs"),
        ("v0.w = vfmv(v1.w)", "v0 = v1"),
        ("v0.hf = vcvt(v1.h)", "v0.hf = v1.h"),
        ("v0.sf += vdmpy(v1.hf,v2.hf)", "it in C as Q6_Vsf_vdmpyacc_VsfVhfVhf(), which is"),
        ("v1:0.sf += vmpy(v2.bf,v3.bf)", "it in C as Q6_Wsf_vmpyacc_WsfVbfVbf(), which is"),
        ("v0.b = vcvt2(v1.hf,v2.hf)", "it in C as Q6_Vb_vcvt_VhfVhf(), which is computed in qf"),
        ("v1:0.hf = vadd(v2.f8,v3.f8)", "a computation in qf16"),
    ],
)
def test_what_to_write_instead_of_ieee_instructions(instruction: str, instead: str) -> None:
    """The header names the intrinsic of each by its syntax."""
    known = {each.shape: each for each in read_intrinsics(find_zig().library / "include").values()}
    intrinsic = known[shape_of(instruction.lower())]
    assert intrinsic.is_ieee
    assert f"Write {instead}" in no_ieee(instruction, intrinsic.name, "v79")


def test_the_place_of_an_instruction_is_in_the_source() -> None:
    said = (
        "a.c:4:22: error: invalid instruction\n"
        "    4 |          ADD);\n      |          ^\n"
        "<inline asm>:2:3: note: instantiated into assembly here\n"
        "    2 | { v0.sf = vadd(v1.sf,v2.sf); v3 = v4 }\n      |   ^\n"
        "b.S:7:3: error: invalid instruction\n  v1.w = vfmv(v2.w) } // moved\n  ^\n"
        "b.S:8:1: error: unrecognized instruction\nfrobnicate\n^"
    )
    found = [("a.c:4", "v0.sf = vadd(v1.sf,v2.sf)"), ("b.S:7", "v1.w = vfmv(v2.w)")]
    assert [*invalid_instructions(said)] == found
