"""The SoCs that the emulated device imitates."""

from __future__ import annotations

import pytest

from buildtool.core.errors import UsageError
from buildtool.device.emulated.socs import default_soc, find_soc, known_socs
from buildtool.device.facts import DOMAINS


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
    ("archs", "domain", "soc"),
    [
        (["v68"], "cdsp1", "SA8775P"),
        (["v75"], "gdsp0", "SA8775P"),  # no such DSP runs it: the first one that there is
        (["v68"], "adsp", "X1E80100"),  # the first two are v66
        (["v79"], "adsp", "SM8750"),
        (["v68"], "mdsp", "QCS6490"),
    ],
)
def test_the_default_has_the_dsp(archs: list[str], domain: str, soc: str) -> None:
    assert default_soc(archs, domain).name == soc


def test_the_dsps_of_a_soc_have_archs_of_their_own() -> None:
    assert find_soc("qcs9075").domains == {
        "cdsp": "v73",
        "adsp": "v66",
        "cdsp1": "v73",
        "gdsp0": "v73",
        "gdsp1": "v73",
    }
    assert find_soc("SM8350").domains == {"cdsp": "v68"}
    for soc in known_socs().values():
        assert {*soc.domains} <= {*DOMAINS}


def test_a_board_can_have_a_test_signature() -> None:
    soc = find_soc("SM8850,testsig")
    assert (soc.testsig, soc.hmx_zeros, soc.directory) == (True, False, "sm8850-testsig")
    both = find_soc("v81,hmx=zeros,testsig")
    assert (both.testsig, both.hmx_zeros) == (True, True)
    assert both.directory == "sm8850-hmx-zeros-testsig"
    with pytest.raises(UsageError, match="unknown property"):
        find_soc("SM8850,testsigs")


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
