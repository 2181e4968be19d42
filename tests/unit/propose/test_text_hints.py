"""Information on the projects of a tree from its texts."""

from __future__ import annotations

from pathlib import Path

import pytest

from buildtool.propose.cmake_tree import CMakeTree
from buildtool.propose.target_sides import (
    ARM64_EVIDENCE,
    FASTRPC_EVIDENCE,
    HEXAGON_EVIDENCE,
    PORTED_EVIDENCE,
    PORTED_SOURCE_EVIDENCE,
    SDK_EVIDENCE,
    TextHints,
    archs_of,
    builds_skel,
    nested_builds,
    with_arch,
)


def hints(**files: str) -> TextHints:
    named = {f"{path.replace('_', '/')}/CMakeLists.txt": text for path, text in files.items()}
    if "top" in files:
        named["CMakeLists.txt"] = named.pop("top/CMakeLists.txt")
    return TextHints(CMakeTree(Path("/tree"), named, (), ()))


def test_projects_are_named_from_the_top() -> None:
    found = hints(b_c="project(c)", a="project (${A} C)", z="add_library(z)", top="PROJECT(t)")
    assert list(found.projects) == [".", "a", "b/c"]
    assert found.projects["a"].words == ("${A}", "C")


def test_the_texts_of_a_project_are_its_own_and_of_what_it_adds() -> None:
    found = hints(top="project(t)", lib="# x\nadd_executable(a)", app="project(a)\n\n-mhvx")
    assert found.search(ARM64_EVIDENCE, ".") == "lib/CMakeLists.txt:2: add_executable"
    assert found.search(HEXAGON_EVIDENCE, ".") == ""
    assert found.search(HEXAGON_EVIDENCE, "app") == "app/CMakeLists.txt:3: -mhvx"
    assert found.search(HEXAGON_EVIDENCE, ".", {"app"}) == "app/CMakeLists.txt:3: -mhvx"


@pytest.mark.parametrize(
    "text",
    [
        'if(CMAKE_SYSTEM_NAME STREQUAL "QURT")',
        'if(${CMAKE_SYSTEM_NAME} MATCHES "Hexagon")',
        "if(DSP_VERSION)",
        "if (NOT DSP_ARCH)",
        "buildtool_add_skel(a IDL a.idl)",
        "add_library(a_skel SHARED a.c)",
        "add_library(a SHARED ${out}/a_skel.c)",
        'set(CMAKE_C_FLAGS "-mcpu=hexagonv68 -O2")',
    ],
)
def test_texts_that_say_that_there_is_a_hexagon_side(text: str) -> None:
    assert HEXAGON_EVIDENCE.search(text)
    assert not SDK_EVIDENCE.search(text)


TOOL = "ExternalProject_Add(t SOURCE_DIR ${CMAKE_CURRENT_SOURCE_DIR}/tool)"
MADE = "execute_process(COMMAND ${CMAKE_COMMAND} -S ${CMAKE_CURRENT_SOURCE_DIR}/tool -B x)"
OTHER = "execute_process(COMMAND git -C ${CMAKE_CURRENT_SOURCE_DIR}/tool describe)"
HTP = "ExternalProject_Add(t SOURCE_DIR ${CMAKE_CURRENT_SOURCE_DIR}/tool CMAKE_ARGS -D%s)"


@pytest.mark.parametrize(
    ("call", "project", "is_step", "is_skel"),
    [
        (TOOL, "", True, False),
        (MADE, "", True, False),
        (OTHER, "", False, False),
        (HTP % "DSP_VERSION=${a}", "", True, True),
        (HTP % "X:STRING=v73", "", True, True),
        (HTP % "X=1", "", True, False),
        (TOOL, "add_compile_options(-mhvx)", True, True),
    ],
)
def test_projects_that_others_build_as_steps(
    call: str, project: str, is_step: bool, is_skel: bool
) -> None:
    found = hints(top=f"project(t)\n{call}", tool=f"project(tool)\n{project}")
    called = nested_builds(found.calls, found)
    assert set(called) == ({"tool"} if is_step else set())
    assert builds_skel("tool", called.get("tool", ()), found) == is_skel


def test_archs_are_words() -> None:
    assert archs_of(["v73 a-v68.so", "toolv19_v79", "v7", "xv75", "v759"]) == ("v68", "v73", "v79")
    assert with_arch("lib/v68/a-v68-v73-xv68", "v68") == "lib/{arch}/a-{arch}-v73-xv68"


@pytest.mark.parametrize(
    "text",
    [
        'if(CMAKE_SYSTEM_PROCESSOR MATCHES "[Hh]exagon")',
        'if("${CMAKE_SYSTEM_PROCESSOR}" STREQUAL hexagon)',
        'set(CMAKE_SYSTEM_PROCESSOR "Hexagon")',
        'if(CMAKE_SYSTEM_NAME STREQUAL "QURT")',
        "target_compile_options(k PRIVATE -mhvx -mhvx-length=128B)",
        "if(HEXAGON_ARCH)",
    ],
)
def test_texts_of_trees_that_are_also_for_the_dsp(text: str) -> None:
    assert PORTED_EVIDENCE.search(text)
    assert not FASTRPC_EVIDENCE.search(text)


@pytest.mark.parametrize(
    "text",
    ["qaic(k.idl)", "target_link_libraries(a cdsprpc)", "add_library(k_skel SHARED k.c)"],
)
def test_texts_of_trees_that_call_the_dsp(text: str) -> None:
    assert FASTRPC_EVIDENCE.search(text)
    assert not PORTED_EVIDENCE.search(text)


@pytest.mark.parametrize(
    ("text", "ported", "only"),
    [
        ("#if defined(__HVX__)\nHVX_Vector v;\n#endif\n", True, False),
        ("#ifdef __hexagon__\n#include <hexagon_types.h>\n#endif\n", True, False),
        ("#include <hexagon_protos.h>\nHVX_Vector v;\n", True, True),
        ("#ifdef __aarch64__\n#include <arm_neon.h>\n#endif\n", False, False),
    ],
)
def test_sources_that_are_also_or_only_for_the_dsp(
    text: str, ported: bool, only: bool, tmp_path: Path
) -> None:
    (tmp_path / "k.c").write_text(text)
    found = TextHints(CMakeTree(tmp_path, {}, (), ()))
    assert bool(found.search_sources(PORTED_SOURCE_EVIDENCE, ["k.c"])) == ported
    assert found.is_only_for_dsp(["k.c"]) == only
