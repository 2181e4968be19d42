"""The requirements of an intrinsic are read from the compiler's own header."""

from __future__ import annotations

from pathlib import Path

import pytest

from buildtool.sdk.zig import find_zig
from buildtool.toolchains.instructions.intrinsics import read_intrinsics


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
