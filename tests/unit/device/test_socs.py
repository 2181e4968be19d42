"""The SoCs that the emulated device imitates."""

from __future__ import annotations

import pytest

from buildtool.device.emulated.socs import default_soc, find_soc


@pytest.mark.parametrize(
    ("archs", "soc"),
    [
        ([], "QCS6490"),
        (["v65", "v66"], "QCS6490"),
        (["v68", "v73"], "QCS6490"),
        (["v81", "v73", "v75"], "SM8550"),
        (["v75"], "SM8650"),
        (["v81"], "SM8850"),
    ],
)
def test_the_default_is_the_oldest_that_runs_one_of_the_skels(archs: list[str], soc: str) -> None:
    assert default_soc(archs).name == soc


@pytest.mark.parametrize(
    ("name", "arch", "hmx", "zeros", "directory"),
    [
        ("sm8550", "v73", True, False, "sm8550"),
        ("SM8635", "v73", False, False, "sm8635"),
        ("SM8635,hmx=zeros", "v73", True, True, "sm8635-hmx-zeros"),
        ("SM7635", "v73", True, True, "sm7635-hmx-zeros"),
        ("v79", "v79", True, False, "sm8750"),
        ("V68,hmx=zeros", "v68", True, True, "qcs6490-hmx-zeros"),
    ],
)
def test_a_soc_has_the_hmx_of_its_chip(
    name: str, arch: str, hmx: bool, zeros: bool, directory: str
) -> None:
    soc = find_soc(name)
    assert (soc.arch, soc.hmx, soc.hmx_zeros, soc.directory) == (arch, hmx, zeros, directory)
