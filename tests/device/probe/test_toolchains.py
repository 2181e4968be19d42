"""The sample runs with each compiler of the ARM64 side, selected by one word in its project."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from buildtool.core.elf import read_elf
from tests.command_line import REPOSITORY, Buildtool, Edit

COMPILERS = ("zig", "gcc", "clang")
CXX = {
    "host/CMakeLists.txt": """\
cmake_minimum_required(VERSION 3.22)
project(host CXX)
find_package(Threads REQUIRED)
add_executable(hello main.cpp)
target_link_libraries(hello Threads::Threads)
install(TARGETS hello)
""",
    "host/main.cpp": """\
#include <iostream>
#include <stdexcept>
#include <thread>
int main() {
    std::thread([] {
        try { throw std::runtime_error("hello"); }
        catch (const std::exception &e) { std::cout << e.what() << std::endl; }
    }).join();
}
""",
    "buildtool.toml": """\
[project]
name = "hello"
[host.hello]
source = "host"
[target.sim]
platform = "ubuntu-aarch64"
toolchain = "gcc"
""",
}


@pytest.fixture
def by(tmp_path: Path, edit: Edit) -> Path:
    """A copy of this repository's own project, in which `sim` names its toolchain."""
    shutil.copy(REPOSITORY / "buildtool.toml", tmp_path)
    for side in ("dsp", "host"):
        shutil.copytree(REPOSITORY / side, tmp_path / side)
    edit(tmp_path / "buildtool.toml", "[target.sim]\n", '[target.sim]\ntoolchain = "auto"\n')
    return tmp_path


def test_the_probe_passes_with_each_compiler(by: Path, buildtool: Buildtool, edit: Edit) -> None:
    word = "auto"
    comments = {}
    for compiler in COMPILERS:
        edit(by / "buildtool.toml", f'toolchain = "{word}"', f'toolchain = "{compiler}"')
        word = compiler
        done = buildtool("run", "sim", "--", "bin/htp-probe", "--json", cwd=by)
        assert done.returncode == 0, done.stderr
        results = json.loads(done.stdout)["results"]
        assert results
        assert {row["result"] for row in results} == {"verified"}
        # Compilers that do not strip programs write their names into them.
        debug = by / ".buildtool" / "debug" / "sim" / "bin" / "htp-probe.debug"
        comments[compiler] = debug.read_bytes().count(b"GCC: (") if debug.exists() else 0
    assert comments["gcc"] > 0
    assert comments["zig"] == 0


def test_cxx_by_gcc_finds_its_library_on_the_emulated_device(
    tmp_path: Path, buildtool: Buildtool
) -> None:
    for name, text in CXX.items():
        file = tmp_path / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)

    done = buildtool("run", "sim", "--", "bin/hello", cwd=tmp_path)

    assert done.returncode == 0, done.stderr
    assert done.stdout == "hello\n"
    program = read_elf(tmp_path / ".buildtool" / "release" / "sim" / "bin" / "hello")
    assert "libstdc++.so.6" in program.needed


def test_a_program_that_needs_a_newer_glibc_is_not_shipped(
    tmp_path: Path, buildtool: Buildtool, edit: Edit
) -> None:
    for name, text in CXX.items():
        file = tmp_path / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)
    source = tmp_path / "host" / "main.cpp"  # arc4random needs glibc 2.36
    source.write_text("#include <stdlib.h>\nint main() { return int(arc4random() & 0); }\n")

    done = buildtool("build", "sim", cwd=tmp_path)

    assert done.returncode == 1
    assert "hello needs glibc 2.36, but the target is for glibc 2.35 and newer" in done.stderr
    assert "for arc4random of libc.so.6" in done.stderr
    assert 'glibc = "2.36"' in done.stderr

    edit(tmp_path / "buildtool.toml", '"gcc"\n', '"gcc"\nglibc = "2.36"\n')
    done = buildtool("run", "sim", "--", "bin/hello", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
