"""The start script of a release, by itself: the environment that it sets, and its errors."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

import buildtool.release

SCRIPT = Path(buildtool.release.__file__).parent / "run.sh"
PRINT = '#!/bin/sh\nprintf "%s\\n" "$PWD" "$LD_LIBRARY_PATH" "$ADSP_LIBRARY_PATH" "$@"\n'


@pytest.fixture
def release(tmp_path: Path) -> Path:
    root = tmp_path / "a device's root" / "releases" / "1"
    for arch in ("v68", "v73"):
        (root / "dsp" / arch).mkdir(parents=True)
    (root / "bin").mkdir()
    (root / "bin/print").write_text(PRINT)
    (root / "bin/print").chmod(0o755)
    shutil.copy(SCRIPT, root)
    return root


def run(release: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {"PATH": os.environ["PATH"], **variables}
    command = ["sh", str(release / "run.sh"), *arguments]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


def test_the_program_finds_the_libraries_and_skels_of_the_release(release: Path) -> None:
    inherited = {
        "LD_LIBRARY_PATH": "/vendor/lib64",
        "ADSP_LIBRARY_PATH": "/mine;/too",
        "DSP_LIBRARY_PATH": "/other",
    }
    done = run(release, "bin/print", "a  b", "", BUILDTOOL_DSP_ARCH="v73", **inherited)

    skels = f"{release}/dsp/v73;/mine;/too"
    assert done.stdout.splitlines() == [str(release), f"{release}/lib", skels, "a  b", ""]
    assert (done.returncode, done.stderr) == (0, "")


def test_the_device_names_its_arch(release: Path) -> None:
    (release.parents[1] / "device.env").write_text("BUILDTOOL_DSP_ARCH=v68\n")

    assert run(release, "bin/print").stdout.splitlines()[2] == f"{release}/dsp/v68"


@pytest.mark.parametrize(
    ("arguments", "arch", "message"),
    [
        ((), "v68", "usage: {release}/run.sh PROGRAM [ARGUMENT...]"),
        (("bin/nope",), "v68", "run.sh: {release}/bin/nope does not exist"),
        (
            ("bin/print",),
            "v81",
            "run.sh: this release has no skels for v81, it has v68 v73",
        ),
        (
            ("bin/print",),
            "",
            "run.sh: the DSP arch of this device is unknown\n  set BUILDTOOL_DSP_ARCH (this release"
            " has v68 v73), or write it into {release}/../../device.env",
        ),
    ],
    ids=["no program", "a missing program", "another arch", "an unknown arch"],
)
def test_its_errors(release: Path, arguments: tuple[str, ...], arch: str, message: str) -> None:
    done = run(release, *arguments, BUILDTOOL_DSP_ARCH=arch)

    assert (done.returncode, done.stdout) == (125, "")
    assert done.stderr == message.format(release=release) + "\n"
