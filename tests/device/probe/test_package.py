"""The sample's packages: unpacked by hand they run; for many archs they keep the contract."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

from buildtool.project.keys import HEXAGON_ARCHS
from tests.conftest import LONG
from tests.device.probe.conftest import Sample


def test_an_archive_unpacked_by_hand_runs_by_its_own_script(sample: Sample, tmp_path: Path) -> None:
    assert sample.probe("--help").returncode == 0  # prepares the device
    sample.succeeds("package", "sim", "--output", str(tmp_path))
    archive = tmp_path / "htp-ops-0.0.0-sim.tar.zst"
    subprocess.run(["tar", "--zstd", "-xf", archive], cwd=tmp_path, check=True, timeout=60)
    device = sample.root / ".buildtool" / "device" / "qcs6490"

    done = subprocess.run(
        [tmp_path / "htp-ops-0.0.0-sim" / "run.sh", "bin/htp-probe"],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
        env={
            "PATH": os.environ["PATH"],
            "QEMU_LD_PREFIX": str(device),
            "BUILDTOOL_EXEC": "qemu-aarch64",
            "BUILDTOOL_DSP_ARCH": "v68",
        },
    )

    assert done.returncode == 0, done.stderr
    assert "44 of 44 verified" in done.stdout


def test_a_release_for_many_archs_keeps_the_contract(sample: Sample, tmp_path: Path) -> None:
    file = sample.root / "buildtool.toml"
    before = file.read_text()
    archs = HEXAGON_ARCHS if LONG else (HEXAGON_ARCHS[0], HEXAGON_ARCHS[-1])
    quoted = ", ".join(f'"{arch}"' for arch in archs)
    file.write_text(f'{before}\n[target.all]\nplatform = "ubuntu-aarch64"\narchs = [{quoted}]\n')
    try:
        sample.succeeds("package", "all", "--output", str(tmp_path))
    finally:
        file.write_text(before)

    (archive,) = tmp_path.iterdir()
    printed = sample.succeeds("inspect", str(archive))
    assert re.search(r": 1 release, \d+ files, 0 errors, 0 warnings\n\Z", printed), printed
    skels = subprocess.run(
        ["tar", "--zstd", "-tf", archive], capture_output=True, text=True, check=True, timeout=60
    )
    assert set(re.findall(r"/dsp/(v\d+)/libhtp_ops_skel.so", skels.stdout)) == {*archs}
