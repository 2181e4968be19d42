"""A third party's tree of kernels, which expects the Hexagon SDK, is built and run unmodified."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from buildtool.core.elf.read import read_elf
from tests.command_line import REPOSITORY
from tests.conftest import LONG
from tests.project import Project

pytestmark = pytest.mark.long

PROJECT = """\
[project]
name = "blend"

[host.blend]
source = "."
targets = ["blend"]
install = false
artifacts = ["blend"]

[skel.blend_dsp]
source = "dsp"
%s
targets = ["blend-{arch}"]
install = false
artifacts = ["libblend-{arch}.so"]

[target.sim]
platform = "ubuntu-aarch64"
dsp-toolchain = "llvm"
archs = [%s]

[run.blend]
program = "bin/blend"

[run.matrix]
program = "bin/blend"
args = ["--matrix"]
"""
OWN_TOOLCHAIN = 'toolchain-file = "dsp/toolchain.cmake"'
GOOD = """\
device: 0x00000000, &_dom=cdsp, {arch}, unsigned 1, compute 0 1, VTCM
start: 0x00000000
mix: 0x00000000, {arch}, 4 threads, 0 wrong
scale: 0x00000000, 0 wrong
counters: 0x00000000
matrix: 0x00000000, 0x5000
stop: 0x00000000, 4 packets, 262144 bytes of VTCM
"""
SOCS = {"QCS6490": "v68", "SM8550": "v73", "SM8650": "v75", "SM8750": "v79"}


def test_a_third_party_s_tree(tmp_path: Path) -> None:
    project = Project(tmp_path / "a third party")
    shutil.copytree(REPOSITORY / "tests/third_parties/dsp_tree", project.root)
    check_with_its_own_toolchain_file(project)
    check_with_the_profile(project)


def check_with_its_own_toolchain_file(project: Project) -> None:
    """It runs on each arch."""
    socs = SOCS if LONG else {soc: SOCS[soc] for soc in ("QCS6490", "SM8750")}
    archs = ", ".join(f'"{arch}"' for arch in socs.values())
    project.write("buildtool.toml", PROJECT % (OWN_TOOLCHAIN, archs))
    project.build()
    for soc, arch in socs.items():
        skel = read_elf(project.release() / f"dsp/{arch}/libblend-{arch}.so")
        assert skel.flags & 0x3FF == int(arch[1:], 16)
        done = project.run("run", "sim", "blend", "--soc", soc)
        assert (done.returncode, done.stdout) == (0, GOOD.format(arch=arch)), done.stderr

    done = project.run("run", "sim", "blend", "--soc", "SM8750,hmx=zeros")
    assert "matrix: not on this DSP" in done.stdout
    done = project.run("run", "sim", "matrix", "--soc", "SM8750,hmx=zeros")
    assert "matrix: 0x00000000, 0x0000" in done.stdout


def check_with_the_profile(project: Project) -> None:
    """Its flags are dropped, and strict-isa refuses them."""
    project.write("buildtool.toml", PROJECT % ("", '"v73"'))
    project.build()
    assert "-mhmx" not in project.messages
    skel = project.release() / "dsp/v73/libblend-v73.so"
    assert str(project.root).encode() not in skel.read_bytes()
    done = project.run("run", "sim", "blend", "--soc", "SM8550")
    assert (done.returncode, done.stdout) == (0, GOOD.format(arch="v73")), done.stderr

    for command in ("run", "deploy") if LONG else ("run",):
        assert "blend-v73 asks for -mhmx" in project.run(command, "sim", "--strict-isa").stderr

    project.edit("buildtool.toml", "[run.blend]", "strict-isa = true\n\n[run.blend]")

    assert "blend-v73 asks for -mhmx" in project.run("build").stderr
    project.edit("dsp/CMakeLists.txt", '"-mhmx"', '"-O2"')
    assert "unrecognized instruction" in project.fails("build", "-k")  # of all sources that fail
