"""Samples of threads of skels leave the exact counts as they are, and timers are given back."""

from __future__ import annotations

from pathlib import Path

import pytest

from buildtool.run.method_counts import MethodCounts, read_method_counts
from buildtool.run.profile.recording import read_recording
from tests.device.fastrpc.toolbox import Device


def counts(device: Device, folder: Path, script: str, profile: str) -> list[MethodCounts]:
    file = folder / "counts"
    file.write_text("")
    done = device.run(script, BUILDTOOL_SIM_COUNTS=str(file), BUILDTOOL_SIM_PROFILE=profile)
    assert done.status == 0, done.err
    return [one for one in read_method_counts(file) if one.skel]


@pytest.mark.parametrize(("skel", "case"), [("threads", "many_threads 60"), ("sync", "barriers")])
def test_counts_with_samples_are_those_without(
    skel: str, case: str, device: Device, tmp_path: Path
) -> None:
    recorded = tmp_path / "recorded"
    recorded.write_text("")
    script = f"open {skel}; case {skel} {case}; close {skel}"
    plain = counts(device, tmp_path, script, "")
    found = [counts(device, tmp_path, script, str(recorded)) for _ in range(3)]
    recording = read_recording(recorded)

    assert found == [plain] * 3
    assert recording.unsampled == 0  # of 480 threads at 8 a time
    assert len(recording.modules) == 3
    assert all(
        recording.module_at((process, module.base + 0x2000)) == module
        for process, (module,) in recording.modules.items()
    )
