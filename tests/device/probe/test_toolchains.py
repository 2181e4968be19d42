"""The sample runs with each compiler of the ARM64 side, selected by one word in its project."""

from __future__ import annotations

from pathlib import Path

import pytest

from buildtool.core.elf.read import read_elf
from tests.project import Project

from .conftest import Sample

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


@pytest.mark.long
def test_the_probe_passes_with_each_compiler(sample: Sample) -> None:
    file = sample.root / "buildtool.toml"
    before = file.read_text()
    comments = {}
    try:
        for compiler in COMPILERS:
            toolchain = f'[target.sim]\ntoolchain = "{compiler}"\n'
            file.write_text(before.replace("[target.sim]\n", toolchain))
            status, report = sample.probe_json()
            assert status == 0
            assert report["results"]
            assert {row["result"] for row in report["results"]} == {"verified"}
            # Compilers that do not strip programs write their names into them.
            debug = sample.root / ".buildtool" / "debug" / "sim" / "bin" / "htp-probe.debug"
            comments[compiler] = debug.read_bytes().count(b"GCC: (") if debug.exists() else 0
    finally:
        file.write_text(before)
    assert comments["gcc"] > 0
    assert comments["zig"] == 0


@pytest.mark.long
def test_cxx_by_gcc_finds_its_library_on_the_emulated_device(tmp_path: Path) -> None:
    project = Project(tmp_path)
    for name, text in CXX.items():
        project.write(name, text)

    assert project.succeeds("run", "sim", "--", "bin/hello") == "hello\n"
    assert "libstdc++.so.6" in read_elf(project.release() / "bin" / "hello").needed

    # A program that needs a newer glibc is not shipped: arc4random needs glibc 2.36.
    text = "#include <stdlib.h>\nint main() { return int(arc4random() & 0); }\n"
    project.write("host/main.cpp", text)
    error = project.fails()
    assert "hello needs glibc 2.36, but the target is for glibc 2.35 and newer" in error
    assert "for arc4random of libc.so.6" in error
    assert 'glibc = "2.36"' in error

    project.edit("buildtool.toml", '"gcc"\n', '"gcc"\nglibc = "2.36"\n')
    project.succeeds("run", "sim", "--", "bin/hello")
