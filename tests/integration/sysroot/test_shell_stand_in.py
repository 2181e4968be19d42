"""Skels are checked against the DSP's shell: of known chips, or of their stand-in device."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from buildtool.core.errors import BuildtoolError
from buildtool.sdk.packaged_tools import find_cmake
from tests.command_line import Buildtool, Edit
from tests.project import Project
from tests.standins.device import SHELL, dsp_shell, make_board

from .conftest import Pull

PROJECT = """\
[project]
name = "demo"
[skel.demo]
source = "dsp"
[target.sim]
platform = "ubuntu-aarch64"
archs = ["v68"]
[target.v73]
platform = "ubuntu-aarch64"
archs = ["v73"]
[target.board]
platform = "ubuntu-aarch64"
archs = ["v68"]
sysroot = "board"
"""
LISTS = """\
cmake_minimum_required(VERSION 3.22)
project(demo C)
find_package(Buildtool REQUIRED)
buildtool_add_skel(demo_skel IDL demo.idl SOURCES skel.c)
install(TARGETS demo_skel LIBRARY DESTINATION .)
"""
SKEL = """\
#include "demo.h"
int needed(void);
int demo_use(int x) { return needed() + x; }
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project of one skel, which imports one name from the shell."""
    root = tmp_path / "a project"
    (root / "dsp").mkdir(parents=True)
    (root / "buildtool.toml").write_text(PROJECT)
    (root / "dsp/CMakeLists.txt").write_text(LISTS)
    (root / "dsp/demo.idl").write_text("interface demo { long use(in long x); };")
    (root / "dsp/skel.c").write_text(SKEL)
    return root


def test_a_name_on_no_shell_is_refused_for_the_board(
    project: Path, buildtool: Buildtool, edit: Edit
) -> None:
    edit(project / "dsp/skel.c", "int needed(", "int qurt_thread_get_thread_id(")
    edit(project / "dsp/skel.c", "return needed(", "return qurt_thread_get_thread_id(")

    done = buildtool("build", "sim", cwd=project)

    assert done.returncode == 1
    assert (
        "error: libdemo_skel.so needs qurt_thread_get_thread_id, which no known v68 DSP shell"
        " exports\n" in done.stderr
    )
    assert "qurt_thread_get_thread_id: not on v68 QCM6490/QCS6490, v73 SA8775P, " in done.stderr


@pytest.mark.long
def test_a_name_on_some_shells_is_a_warning(
    project: Path, buildtool: Buildtool, edit: Edit
) -> None:
    edit(project / "dsp/skel.c", "int needed(", "int HAP_mem_request(")
    edit(project / "dsp/skel.c", "return needed(", "return HAP_mem_request(")
    warning = [
        "libdemo_skel.so may fail to load with 0x80000406: not every known v73 DSP shell exports"
        " what it needs",
        "  HAP_mem_request: on v73 X1E80100; not on v73 SA8775P",
    ]

    done = buildtool("build", "v73", cwd=project)

    assert done.returncode == 0, done.stderr
    assert "\n".join(["skel/demo/v73:", *warning]) in done.stderr
    again = buildtool("build", "v73", cwd=project).stderr
    assert again.count("HAP_mem_request") == done.stderr.count("HAP_mem_request")
    skel = ".buildtool/release/v73/dsp/v73/libdemo_skel.so"
    inspected = buildtool("inspect", skel, "--skel", "v73", cwd=project)
    assert inspected.returncode == 0
    assert inspected.stderr.startswith("\n".join([f"warning: {warning[0]}", warning[1]]))
    (message,) = json.loads(buildtool("inspect", skel, "--skel=v73", "--json", cwd=project).stdout)[
        "warnings"
    ]
    assert message.splitlines()[:2] == warning
    assert buildtool("inspect", skel, "--skel", "v73", "-q", cwd=project).stdout == ""
    refused = buildtool("inspect", skel, "--skel", "v68", cwd=project)
    assert "is built for v73, not for v68" in refused.stderr


@pytest.mark.long
def test_the_shell_of_a_stand_in_device_decides(
    project: Path, buildtool: Buildtool, edit: Edit, pull_from: Pull, tmp_path: Path
) -> None:
    def has_shell(*exports: str) -> None:
        for name in ("fastrpc_shell_3", "fastrpc_shell_unsigned_3"):
            shutil.copyfile(dsp_shell("v68", exports), board / "usr/lib/dsp/cdsp" / name)
        assert pull_from(board)[0].shell_exports == set(exports)

    board = make_board(tmp_path / "a board")
    pull_from(board)
    edit(project / "dsp/skel.c", "int needed(", "int HAP_mmap_put(")
    edit(project / "dsp/skel.c", "return needed(", "return HAP_mmap_put(")
    here = Project(project)
    here.build_here("sim")

    done = buildtool("build", "board", cwd=project)  # the same skel that was built for `sim`

    assert done.returncode == 1
    assert (
        "libdemo_skel.so needs HAP_mmap_put, which the DSP shell of the device 'board' does not"
        " export" in done.stderr
    )
    assert "HAP_mmap_put: on v68 QCM6490/QCS6490, " in done.stderr

    has_shell(*SHELL, "HAP_mmap_put")
    here.build_here("board")
    assert len(list((project / ".buildtool/build/demo").glob("*/CMakeCache.txt"))) == 1

    has_shell(*SHELL, "of_this_board")
    with pytest.raises(BuildtoolError, match="needs HAP_mmap_put"):
        here.build_here("board")
    edit(project / "dsp/skel.c", "int HAP_mmap_put(", "int of_this_board(")
    edit(project / "dsp/skel.c", "return HAP_mmap_put(", "return of_this_board(")
    here.build_here("board")
    with pytest.raises(BuildtoolError, match="no known v68 DSP shell exports"):
        here.build_here("sim")

    skel = ".buildtool/release/board/dsp/v68/libdemo_skel.so"
    check = ("inspect", skel, "--skel", "v68", "--quiet")
    assert buildtool(*check, "--sysroot", "board", cwd=project).returncode == 0
    assert "needs of_this_board" in buildtool(*check, cwd=project).stderr
    assert "needs of_this_board" in plain_cmake(project, buildtool)
    assert plain_cmake(project, buildtool, "-DBUILDTOOL_SYSROOT=board") == ""


def plain_cmake(project: Path, buildtool: Buildtool, *more: str) -> str:
    """Build the skel without this tool's `build`; returns the errors."""
    buildtool("profile", "sim", "--arch", "v68", "-o", "v68.cmake", cwd=project)
    toolchain = f"-DCMAKE_TOOLCHAIN_FILE={project / 'v68.cmake'}"
    cmake = find_cmake().program
    commands: list[list[str | Path]] = [
        [cmake, "-G", "Ninja", "-B", "plain", "-S", "dsp", toolchain, *more],
        [cmake, "--build", "plain"],
    ]
    for command in commands:
        done = subprocess.run(command, cwd=project, capture_output=True, text=True, check=False)
        if done.returncode:
            return done.stdout + done.stderr
    return ""
