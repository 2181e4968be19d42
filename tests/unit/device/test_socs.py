"""The SoCs that the emulated device imitates."""

from __future__ import annotations

import pytest

from buildtool.device.emulated.socs import default_soc


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
