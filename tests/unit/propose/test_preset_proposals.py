"""The side that each configure preset is for."""

from __future__ import annotations

import pytest

from buildtool.propose.target_sides import host_preset, skel_preset


@pytest.mark.parametrize(
    ("names", "host", "skel"),
    [
        ("host dsp dsp-v68 dsp-v73", "host", ("dsp-{arch}", ("v68", "v73"))),
        ("arm64-linux arm64-android skel", "arm64-linux", ("skel", ())),
        ("x64-debug windows", "", ("", ())),
        ("debug release", "release", ("", ())),
        ("debug fast", "", ("", ())),
        ("htp npu", "", ("", ())),
        ("v68-debug v68-release", "", ("", ())),
        ("v69 linux-release linux-debug", "", ("{arch}", ("v69",))),
        ("", "", ("", ())),
    ],
)
def test_names_tell(names: str, host: str, skel: tuple[str, tuple[str, ...]]) -> None:
    assert host_preset(names.split()) == host
    assert skel_preset(names.split()) == skel
