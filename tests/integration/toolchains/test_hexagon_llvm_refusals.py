"""Skels that open LLVM cannot compile are refused, with the reason and a remedy."""

from __future__ import annotations

from pathlib import Path

import pytest

from buildtool.core.errors import BuildtoolError
from tests.project import Project

LISTS = """\
cmake_minimum_required(VERSION 3.22)
project(demo C CXX)
find_package(Buildtool REQUIRED)
buildtool_add_skel(demo_skel IDL demo.idl SOURCES imp.cpp)
install(TARGETS demo_skel LIBRARY DESTINATION .)
# more
"""
IMP = """\
#include "demo.h"
struct Base { virtual ~Base(); };
struct Op : Base { int x; };
Base *base;
extern "C" int demo_add(int a) { return a; }
"""
PROJECT = """\
[project]
name = "demo"
[skel.demo]
source = "dsp"
[target.sim]
platform = "ubuntu-aarch64"
dsp-toolchain = "llvm"
archs = ["v68"]
"""


FLAGS = {
    "-fexceptions": "C++ exceptions need a runtime that no DSP shell has",
    "-frtti": "C++ RTTI needs a runtime",
    "-mhmx": "open LLVM's assembler does not know the instructions of HMX",
    "-mhmx=v68": "open LLVM's assembler does not know the instructions of HMX",
}
BODIES = {
    "if (a) throw 1; return a;": "C++ exceptions need",
    "try { return a; } catch (...) { return 1; }": "C++ exceptions need",
    "return dynamic_cast<Op *>(base) != nullptr;": "C++ RTTI needs",
}


@pytest.fixture
def project(tmp_path: Path) -> Project:
    project = Project(tmp_path / "a project")
    project.write("buildtool.toml", PROJECT)
    project.write("dsp/CMakeLists.txt", LISTS)
    project.write("dsp/demo.idl", "interface demo { long add(in long a); };")
    project.write("dsp/imp.cpp", IMP)
    return project


def refusal(project: Project) -> BuildtoolError:
    with pytest.raises(BuildtoolError) as caught:
        project.build_here()
    return caught.value


def compiled(project: Project) -> list[Path]:
    trees = project.root / ".buildtool/build/demo"
    return list(trees.glob("*/CMakeFiles/demo_skel.dir/**/*.obj"))


def test_a_flag_that_asks_for_it_is_refused_before_the_build(project: Project) -> None:
    project.edit("buildtool.toml", 'archs = ["v68"]', 'archs = ["v68"]\nstrict-isa = true')
    for flag, reason in FLAGS.items():
        options = f"target_compile_options(demo_skel PRIVATE {flag})"
        project.write("dsp/CMakeLists.txt", LISTS.replace("# more", options))

        error = refusal(project)

        assert error.code == "profile", flag
        assert error.message.startswith(
            f"demo_skel asks for {flag.partition('=')[0]}, which hexagon"
        )
        assert reason in error.why, flag
        assert "demo_skel.c" in error.why or "imp.cpp" in error.why, flag
        assert 'dsp-toolchain = "sdk"' in error.remedy, flag
        assert compiled(project) == [], flag


@pytest.mark.long
def test_what_is_added_to_a_built_project_is_refused(project: Project) -> None:
    """Flags before the build, and sources with the remedy when they do not compile."""
    project.build_here()
    objects = {file: file.stat().st_mtime_ns for file in compiled(project)}
    assert objects
    project.edit(
        "dsp/CMakeLists.txt",
        "# more",
        "set_source_files_properties(imp.cpp PROPERTIES COMPILE_OPTIONS -fexceptions)",
    )

    for _ in range(2):
        assert "asks for -fexceptions" in refusal(project).message
    assert {file: file.stat().st_mtime_ns for file in compiled(project)} == objects

    project.edit("dsp/CMakeLists.txt", "COMPILE_OPTIONS -fexceptions", "COMPILE_OPTIONS -Wall")
    project.build_here()

    for body, reason in BODIES.items():
        project.write("dsp/imp.cpp", IMP.replace("return a;", body))
        error = refusal(project)
        assert error.code == "tool-failed", body
        assert "imp.cpp:5:" in error.why, body
        assert error.remedy.startswith(reason), body
        assert 'dsp-toolchain = "sdk"' in error.remedy, body


def test_instructions_that_only_the_linker_assembles_are_refused(project: Project) -> None:
    """Those of HMX are encoded where a source is compiled."""
    project.write(
        "dsp/imp.cpp",
        '#include "demo.h"\nextern "C" int demo_add(int a) {\n'
        '    __asm__ volatile("mxclracc.hf" ::: "memory");\n    return a;\n}\n',
    )
    options = "target_compile_options(demo_skel PRIVATE -flto)"
    project.write("dsp/CMakeLists.txt", LISTS.replace("# more", options))

    error = refusal(project)

    assert "unrecognized instruction" in error.why
    assert error.remedy.startswith("With -flto the linker assembles instructions")
    assert "COMPILE_OPTIONS -fno-lto" in error.remedy

    off = "set_source_files_properties(imp.cpp PROPERTIES COMPILE_OPTIONS -fno-lto)"
    project.write("dsp/CMakeLists.txt", LISTS.replace("# more", f"{options}\n{off}"))
    project.build_here()
