"""What is proposed for trees in the shapes that Hexagon programs have in public."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from buildtool.project.propose.propose import propose
from buildtool.project.propose.text import text
from buildtool.project.propose.tree import read_tree
from tests.unit.propose.conftest import Propose

SKEL = "project(k C)\nadd_library(k_skel SHARED k.c k_skel.c)\ninstall(TARGETS k_skel)\n"


def test_two_directories_with_install_rules(proposed: Propose) -> None:
    found = proposed(
        {
            "dsp/CMakeLists.txt": SKEL,
            "dsp/k.idl": "interface k {};",
            "app/CMakeLists.txt": "project(app C)\nadd_executable(app main.c)\n"
            "install(TARGETS app)\n",
        }
    )

    assert found == {
        "project": {"name": "demo"},
        "host": {"app": {"source": "app"}},
        "skel": {"k": {"source": "dsp", "idl": "dsp/k.idl"}},
        "target": {"sim": {"platform": "ubuntu-aarch64", "archs": ["v68"]}},
        "?": [],
    }


def test_each_guess_says_why(tmp_path: Path) -> None:
    (tmp_path / "CMakeLists.txt").write_text("# a comment\n" + SKEL)

    assert text(propose(read_tree(tmp_path), "demo")).splitlines()[3:] == [
        "[project]",
        'name = "demo"',
        "",
        "# Hexagon side: CMakeLists.txt:3 compiles k_skel.c; CMakeLists.txt:3 makes k_skel for the"
        " DSP",
        "[skel.k]",
        'source = "."',
        "",
        "# the emulated device",
        "[target.sim]",
        'platform = "ubuntu-aarch64"',
        'archs = ["v68"]',
    ]


EXTERNAL = """\
project(app C)
include(ExternalProject)
option(WITH_SKELS "" ON)
add_executable(app main.c)
install(TARGETS app)
{}
"""
CALL = """\
ExternalProject_Add(htp-{0} SOURCE_DIR ${{CMAKE_CURRENT_SOURCE_DIR}}/htp
  CMAKE_ARGS -DCMAKE_TOOLCHAIN_FILE=${{CMAKE_SOURCE_DIR}}/htp/tc.cmake -DDSP_VERSION={0})
"""
HTP = """\
project(htp C)
set(lib ops-${DSP_VERSION})
add_library(${lib} SHARED main.c ops_skel.c)
set_target_properties(${lib} PROPERTIES PREFIX "" OUTPUT_NAME libops-${DSP_VERSION})
"""


@pytest.mark.parametrize(
    "calls",
    [
        CALL.format("v68") + CALL.format("v75"),
        "foreach(a v68 v75)\n" + CALL.format("${a}") + "endforeach()",
        "set(as v68 v75)\nforeach(a IN LISTS as)\n" + CALL.format("${a}") + "endforeach()",
        "function(htp a)\n" + CALL.format("${a}") + "endfunction()\nhtp(v68)\nhtp(v75)",
    ],
    ids=["one by one", "a loop", "a loop over a list", "a function"],
)
def test_skels_that_the_other_side_builds_as_steps(calls: str, proposed: Propose) -> None:
    switched = f"if(WITH_SKELS)\n{calls}\nendif()"
    files = {"htp/CMakeLists.txt": HTP, "htp/tc.cmake": ""}

    found = proposed({"CMakeLists.txt": EXTERNAL.format(switched), **files})
    assert found["host"] == {"app": {"source": ".", "defines": {"WITH_SKELS": False}}}
    assert found["skel"] == {
        "htp": {
            "source": "htp",
            "archs": ["v68", "v75"],
            "defines": {"DSP_VERSION": "{arch}"},
            "targets": ["ops-{arch}"],
            "artifacts": ["libops-{arch}.so"],
        }
    }
    assert found["target"]["all"]["archs"] == ["v68", "v75"]
    assert found["?"] == []

    always = proposed({"CMakeLists.txt": EXTERNAL.format(calls), **files})
    assert always["host"] == {"app": {"source": ".", "targets": ["app"], "artifacts": ["app"]}}


@pytest.mark.parametrize(
    "condition",
    [
        'CMAKE_SYSTEM_NAME STREQUAL "QURT"',
        '${CMAKE_SYSTEM_NAME} MATCHES "Hexagon"',
        "DSP_VERSION",
        'NOT (CMAKE_SYSTEM_NAME STREQUAL "Android" OR CMAKE_SYSTEM_NAME STREQUAL "Linux")',
        "HEXAGON",
    ],
)
def test_one_listing_for_both_sides(condition: str, proposed: Propose) -> None:
    found = proposed(
        {
            "CMakeLists.txt": f"project(calc C)\nif({condition})\nadd_library(calc SHARED calc.c)\n"
            "else()\nadd_executable(main main.c)\ntarget_link_libraries(main cdsprpc)\nendif()\n"
        }
    )
    if condition.startswith("NOT ("):
        # Not ARM64's need not be the DSP's: only what is in the other branch can be told.
        assert found["host"] == {"calc": {"source": ".", "artifacts": ["libcalc.so", "main"]}}
        assert "skel" not in found
        return
    assert found["host"] == {"calc": {"source": ".", "artifacts": ["main"]}}
    assert found["skel"]["calc_dsp"]["artifacts"] == ["libcalc.so"]


PRESETS = {
    "version": 3,
    "configurePresets": [
        {"name": "base", "hidden": True, "cacheVariables": {"FAST": "ON"}},
        {"name": "arm64-linux", "inherits": "base"},
        {"name": "arm64-android", "inherits": "base"},
        {"name": "skel-v68", "inherits": "base", "cacheVariables": {"ARCH": "v68"}},
        {"name": "skel-v73", "inherits": ["base"], "cacheVariables": {"ARCH": {"value": "v73"}}},
    ],
}


def test_presets_of_each_side(proposed: Propose) -> None:
    presets = json.dumps(PRESETS)
    both = SKEL + "if(NOT ARCH)\nadd_executable(app main.c)\ninstall(TARGETS app)\nendif()\n"
    found = proposed({"CMakeLists.txt": both, "CMakePresets.json": presets})
    assert found["skel"]["k_dsp"] == {
        "source": ".",
        "archs": ["v68", "v73"],
        "preset": "skel-{arch}",
    }
    assert found["host"]["k"]["preset"] == "arm64-linux"


def test_a_preset_that_leaves_the_arch_open_is_preferred(proposed: Propose) -> None:
    rows = [*PRESETS["configurePresets"], {"name": "skel", "inherits": "base"}]
    found = proposed(
        {"CMakeLists.txt": SKEL, "CMakePresets.json": json.dumps({"configurePresets": rows})}
    )
    assert found["skel"]["k"]["preset"] == "skel"
    assert found["skel"]["k"]["defines"] == {"ARCH": "{arch}"}


def test_a_package_of_another_component_is_needed(proposed: Propose) -> None:
    found = proposed(
        {
            "core/CMakeLists.txt": "project(core C)\nadd_library(core c.c)\n"
            "install(TARGETS core EXPORT x)\ninstall(EXPORT x FILE CoreConfig.cmake DESTINATION l)",
            "app/CMakeLists.txt": "project(app C)\nfind_package(Core REQUIRED)\n"
            "add_executable(app main.c)\ninstall(TARGETS app)",
        }
    )
    assert found["host"] == {
        "app": {"source": "app", "needs": ["core"]},
        "core": {"source": "core"},
    }
    assert found["?"] == []


def test_where_files_go_in_a_build_tree(proposed: Propose) -> None:
    found = proposed(
        {
            "CMakeLists.txt": "project(a C)\nset(CMAKE_LIBRARY_OUTPUT_DIRECTORY"
            " ${CMAKE_BINARY_DIR}/lib)\nadd_subdirectory(one)\nadd_subdirectory(two binary)\n",
            "one/CMakeLists.txt": "add_executable(one o.c)\nadd_library(l SHARED l.c)\n",
            "two/CMakeLists.txt": "add_executable(two t.c)\nset_target_properties(two PROPERTIES"
            " RUNTIME_OUTPUT_DIRECTORY /elsewhere OUTPUT_NAME zwei)\nadd_executable(three t.c)\n",
        }
    )
    assert found["host"]["a"]["artifacts"] == ["one/one", "lib/libl.so", "**/zwei", "binary/three"]


def test_what_could_not_be_told_is_said(proposed: Propose) -> None:
    found = proposed(
        {
            "CMakeLists.txt": "project(a C)\nlink_custom_library(a dsprpc)\n"
            "FetchContent_Declare(z URL https://example.org/z.tar.gz)\nadd_executable(a a.c)\n"
            "ExternalProject_Add(y GIT_REPOSITORY https://example.org/y)\ninstall(TARGETS a)\n",
            "loose/CMakeLists.txt": "add_library(loose l.c)\n",
            "mute/CMakeLists.txt": "project(mute C)\nadd_library(mute m.c)\n",
            "tests/x/CMakeLists.txt": "project(x C)\nadd_executable(x x.c)\n",
        }
    )
    said = "\n".join(found["?"])
    for part in (
        "CMakeLists.txt:2 links the client library of the SDK",
        "CMakeLists.txt:3 downloads",
        "CMakeLists.txt:5 fetches and builds y",
        "loose/CMakeLists.txt is no project of its own",
        "mute/CMakeLists.txt:1 does not tell which side",
        "tests and examples are left out: tests/x",
    ):
        assert part in said
    assert set(found["host"]) == {"a", "mute"}


@pytest.mark.parametrize(
    ("listing", "side"),
    [
        ("add_library(a SHARED a.c)\ntarget_compile_options(a PRIVATE -O2 -mhvx)", "skel"),
        ('add_library(a SHARED a.c)\nset(CMAKE_C_FLAGS "-mcpu=hexagonv68 -O2")', "skel"),
        ("add_library(a_v73 SHARED a.c)", "skel"),
        ("add_library(a SHARED a.c)\nbuild_idl(a.idl a)", "skel"),
        ("buildtool_add_skel(a IDL a.idl SOURCES a.c)", "skel"),
        ("add_library(a SHARED a_stub.c)\nbuild_idl(a.idl a)", "host"),
        ("add_library(a SHARED a.c)\ntarget_link_libraries(a PRIVATE -lcdsprpc)", "host"),
        ("include(${HEXAGON_SDK_ROOT}/x.cmake)\nadd_executable(a a.c)", "host"),
        ("buildtool_add_stub(a IDL a.idl)\nadd_executable(b b.c)", "host"),
    ],
)
def test_signs_of_a_side(listing: str, side: str, proposed: Propose) -> None:
    found = proposed({"CMakeLists.txt": f"project(p C)\n{listing}\n"})
    assert {"skel", "host"} & found.keys() == {side}


def test_sources_tell_where_cmake_files_do_not(proposed: Propose) -> None:
    found = proposed(
        {
            "ops/CMakeLists.txt": "project(ops C)\nadd_library(ops SHARED a.c)\n",
            "ops/src/a.c": "/* */\n#include <hexagon_protos.h>\n",
        }
    )
    assert found["skel"] == {"ops": {"source": "ops", "artifacts": ["libops.so"]}}
