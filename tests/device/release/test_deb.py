"""A Debian package, installed in a directory of its own, and its program on the emulated device."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from buildtool.device.emulated.device import prepare
from buildtool.device.emulated.socs import find_soc
from tests.command_line import Buildtool


def test_the_command_of_an_installed_package_runs_its_skels(
    project: Path, buildtool: Buildtool, tmp_path: Path
) -> None:
    file = project / "buildtool.toml"
    table = "[target.sim]"
    assert table in file.read_text()
    changed = file.read_text().replace(table, f'{table}\ndeb-skels = "/usr/share/qcom" ', 1)
    file.write_text(changed)
    done = buildtool("package", "--format", "deb", cwd=project)
    assert done.returncode == 0, done.stderr
    (deb,) = (project / "dist").glob("*.deb")
    installed = tmp_path / "installed"
    subprocess.run(["dpkg-deb", "--extract", deb, installed], check=True, timeout=60)
    project.rename(tmp_path / "gone")
    device = tmp_path / "device"
    prepare(device, find_soc("QCS6490"), print)

    environment = {
        **os.environ,
        "BUILDTOOL_EXEC": "qemu-aarch64",
        "QEMU_LD_PREFIX": str(device),
    }
    environment.pop("BUILDTOOL_DSP_ARCH", None)
    (command,) = (installed / "usr/bin").iterdir()
    ran = subprocess.run(
        [command],
        env=environment,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    assert "verified against the CPU" in ran.stdout

    # Any program finds the skels of the arch of its DSP, without a variable.
    moved = tmp_path / "gone" / deb.relative_to(project)
    subprocess.run(["dpkg-deb", "--extract", moved, device], check=True, timeout=60)
    program = device / "usr/lib/demo/bin" / command.name
    environment |= {"LD_LIBRARY_PATH": str(device / "usr/lib/demo/lib")}
    for name in ("ADSP_LIBRARY_PATH", "DSP_LIBRARY_PATH"):
        environment.pop(name, None)
    ran = subprocess.run(
        ["qemu-aarch64", program],
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    assert "verified against the CPU" in ran.stdout
    (link,) = (device / "usr/share/qcom/hexagon/v68").iterdir()
    link.unlink()
    ran = subprocess.run(
        ["qemu-aarch64", program],
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert "0x80000406" in ran.stderr

    (skel,) = (installed / "usr/lib/demo/dsp/v68").glob("*_skel.so")
    skel.unlink()
    ran = subprocess.run(
        [command],
        env=environment,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert ran.returncode == 1
    assert "0x80000406" in ran.stderr
