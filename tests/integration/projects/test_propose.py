"""Proposals for trees with the structure of real Hexagon programs; these tests run CMake."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from buildtool.core.events import Warned
from buildtool.propose import configure
from tests.integration.engine.processes import left
from tests.integration.projects.conftest import Propose
from tests.integration.projects.large_tree import ARCHS, check_large_tree, write_large_tree

NEW = "cmake_minimum_required(VERSION 3.22)\n"
PROGRAM = NEW + "project({0} C)\nadd_executable({0} ../m.c)\n"


@pytest.mark.long  # test_init_existing.py has a small one
def test_a_large_tree(proposed: Propose, tmp_path: Path) -> None:
    """240 targets that functions install, a tool for the build machine, and skels as steps."""
    write_large_tree(tmp_path / "the tree", 80)

    found = proposed({})

    check_large_tree(found, "demo")
    assert "as htp/CMakeLists.txt:2 builds it" in found["text"]
    (left_out,) = found["?"]
    assert "tools/table_maker, which CMakeLists.txt:10 builds in a separate step" in left_out


@pytest.mark.long
def test_skels_of_a_switch_that_is_off(proposed: Propose, tmp_path: Path) -> None:
    """CMake never runs the code that builds them: the text shows them, and the option is named."""
    write_large_tree(tmp_path / "the tree", 1)
    top = (tmp_path / "the tree/CMakeLists.txt").read_text()

    found = proposed({"CMakeLists.txt": top.replace('as well" ON', 'as well" OFF')})

    assert found["host"] == {"fleet": {"source": "."}}
    assert "options that are off: your choice defines = { FLEET_HTP = true }" in found["text"]
    assert found["skel"]["fleet-htp"]["archs"] == list(ARCHS)
    assert "as htp/CMakeLists.txt:2 builds it" in found["text"]
    (left_out,) = found["?"]
    assert "tools/table_maker, which CMakeLists.txt:10 builds in a separate step" in left_out


@pytest.mark.long
def test_steps_that_nothing_turns_off(proposed: Propose) -> None:
    """The only option that turns them off turns off everything else too."""
    step = "ExternalProject_Add({0} SOURCE_DIR ${{CMAKE_CURRENT_SOURCE_DIR}}/{0} CMAKE_ARGS {1})\n"
    found = proposed(
        {
            "CMakeLists.txt": NEW
            + "project(app C)\ninclude(ExternalProject)\noption(ALL x ON)\nif(ALL)\n"
            + "add_executable(app m.c)\ninstall(TARGETS app)\n"
            + step.format("htp", "-DHTP_ARCH=v73")
            + "endif()\n"
            + step.format("tool", "-DCMAKE_C_COMPILER=cc"),
            "htp/CMakeLists.txt": NEW + "project(htp C)\nadd_library(ops SHARED ../m.c)\n",
            "tool/CMakeLists.txt": NEW + "project(tool C)\nadd_executable(tool ../m.c)\n",
        }
    )
    app = {"source": ".", "targets": ["app"], "install": False}
    assert found["host"] == {"app": app}
    assert found["skel"] == {"ops": {"source": "htp", "archs": ["v73"], "artifacts": ["libops.so"]}}
    assert found["target"]["sim"]["archs"] == ["v73"]


@pytest.mark.long
def test_the_option_that_adds_tests_is_on(proposed: Propose) -> None:
    """Of three options that are off, one fails and one adds no test; the release has no tests."""
    found = proposed(
        {
            "CMakeLists.txt": NEW
            + "project(app C)\nadd_executable(app m.c)\n"
            + "option(APP_FUZZ_TESTS x OFF)\noption(BUILD_TESTING x OFF)\n"
            + "option(APP_UNIT_TESTS x OFF)\nif(APP_FUZZ_TESTS)\nfind_package(None REQUIRED)\n"
            + "elseif(APP_UNIT_TESTS)\nenable_testing()\nadd_executable(unit m.c)\n"
            + "add_test(NAME u COMMAND unit)\nendif()\n"
        }
    )

    defines = {"APP_UNIT_TESTS": True}
    app = {"source": ".", "defines": defines, "artifacts": ["app"]}
    assert found["host"] == {"app": app}
    assert "the option at CMakeLists.txt:6 adds tests" in found["text"]


def test_what_only_ninja_refuses(proposed: Propose) -> None:
    same = "add_library({0} STATIC m.c)\nset_target_properties({0} PROPERTIES OUTPUT_NAME x)\n"
    listing = NEW + "project(app C)\n" + same.format("a") + same.format("b")

    found = proposed({"CMakeLists.txt": listing})

    assert "multiple rules generate libx.a" in found["text"]


def test_an_option_that_avoids_a_missing_package(proposed: Propose) -> None:
    found = proposed(
        {
            "CMakeLists.txt": NEW
            + "project(app C)\noption(FAST x ON)\noption(NO_TLS x OFF)\nif(FAST)\nendif()\n"
            + "if(NOT NO_TLS)\nfind_package(None REQUIRED)\nendif()\nadd_executable(app m.c)\n"
        }
    )

    app = {"source": ".", "defines": {"NO_TLS": True}, "artifacts": ["app"]}
    assert found["host"] == {"app": app}
    assert 'otherwise CMakeLists.txt:8: By not providing "FindNone.cmake"' in found["text"]


def test_data_that_is_copied_for_tests(proposed: Propose) -> None:
    """Headers and what is copied elsewhere are none."""
    found = proposed(
        {
            **dict.fromkeys(("d/a.txt", "e/b", "e/b.txt", "f.h", "g.bin", "h.txt"), ""),
            "CMakeLists.txt": NEW
            + "project(app C)\nenable_testing()\nadd_executable(app m.c)\n"
            + "add_test(NAME app COMMAND app)\nfile(COPY d DESTINATION .)\n"
            + "file(COPY e/b e/b.txt f.h DESTINATION ${CMAKE_BINARY_DIR}/more/)\n"
            + "configure_file(g.bin g.bin COPYONLY)\nconfigure_file(h.txt h.txt)\n",
        }
    )

    assert found["host"]["app"]["test-files"] == ["d/**/*", "more/*", "g.bin"]
    assert "CMakeLists.txt:6 copies them, perhaps for tests" in found["text"]


@pytest.mark.long
def test_data_that_tests_open_in_the_source_directory(proposed: Propose) -> None:
    """Names in strings are relative to the working directory of a test."""
    names = ("a.h", "d/a.txt", "d/b.txt", "e/c", "list", "more/d/x.bin", "out/README")
    program = (
        'const char *names = "d/a.txt" "e/c" "list" "x.bin" "../../list" "no" "out/new" "." "..";\n'
    )
    found = proposed(
        {
            **dict.fromkeys(names, ""),
            "check.c": f'#include "a.h"\n{program}int main(void) {{{{ return 0; }}}}\n',
            "CMakeLists.txt": NEW
            + "project(app C)\nenable_testing()\nadd_executable(check check.c)\n"
            + "add_test(NAME app COMMAND check WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})\n"
            + "add_test(NAME here COMMAND check WORKING_DIRECTORY ${PROJECT_BINARY_DIR})\n"
            + "add_test(NAME more COMMAND check)\nset_tests_properties(more PROPERTIES"
            + " WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}/more/d)\n",
        }
    )

    files = ["list", "d/*.txt", "e/c", "more/d/*.bin", "out/*"]
    assert found["host"]["app"]["test-files"] == files
    assert "tests work in the directory at CMakeLists.txt:8" in found["text"]


@pytest.mark.long
def test_an_option_that_adds_the_backend_is_on(proposed: Propose) -> None:
    """Of two options that are off, one adds a library; no option leaves out its skels."""
    backend = (
        "include(ExternalProject)\noption(DEMO_HTP_DEBUG x OFF)\n"
        "add_library(back SHARED ../m.c)\n"
        "ExternalProject_Add(htp SOURCE_DIR ${CMAKE_CURRENT_SOURCE_DIR}/htp"
        " CMAKE_ARGS -DHTP_ARCH=v73)\n"
    )
    found = proposed(
        {
            "CMakeLists.txt": NEW
            + "project(app C)\noption(DEMO_HTP x OFF)\nadd_executable(app m.c)\n"
            + "if(DEMO_HTP)\nadd_subdirectory(back)\nendif()\n",
            "back/CMakeLists.txt": backend,
            "back/htp/CMakeLists.txt": NEW + "project(htp C)\nadd_library(ops SHARED ../../m.c)\n",
        }
    )
    app = found["host"]["app"]
    assert app["defines"] == {"DEMO_HTP": True}
    assert app["targets"] == ["app", "back"]
    reason = "the option at CMakeLists.txt:3 adds programs or libraries for the DSP"
    assert reason in found["text"]
    assert "your choice defines = { DEMO_HTP = true, DEMO_HTP_DEBUG = true }" in found["text"]
    assert found["skel"]["ops"]["source"] == "back/htp"
    assert found["target"]["sim"]["archs"] == ["v73"]


@pytest.mark.long
@pytest.mark.parametrize(("arch", "allow"), [("v75", None), ("v79", ["qf-values"])])
def test_qf_values_that_open_llvm_may_lose_do_not_stop_the_build(
    proposed: Propose, arch: str, allow: list[str] | None
) -> None:
    found = proposed(
        {
            "CMakeLists.txt": NEW + "project(k C)\nadd_library(k_skel SHARED k.c)\n",
            "CMakePresets.json": json.dumps(
                {"version": 3, "configurePresets": [{"name": f"dsp-{arch}", "binaryDir": "b"}]}
            ),
            "k.c": "\nv = Q6_Vqf32_vadd_VsfVsf(a, b);\n",
        }
    )
    assert found["target"]["sim"]["archs"] == [arch]
    assert found["target"]["sim"].get("allow") == allow
    assert ("qf values (k.c:2: Q6_Vqf32_vadd_VsfVsf)" in found["text"]) == bool(allow)


def test_skels_of_all_archs_in_one_tree(proposed: Propose) -> None:
    """A function adds skels of four archs; one skel cannot be configured for v75, one for v79."""
    found = proposed(
        {
            "CMakeLists.txt": NEW
            + "project(k C)\nfunction(skel arch)\nadd_library(k-${arch} SHARED m.c)\n"
            + "target_compile_options(k-${arch} PRIVATE -mhvx)\nendfunction()\n"
            + "foreach(arch v69 v73 v75 v79)\nskel(${arch})\nendforeach()\n"
            + "if(BUILDTOOL_HEXAGON_ARCH STREQUAL v75)\nmessage(FATAL_ERROR none)\nendif()\n",
            "one/CMakeLists.txt": NEW
            + "project(one C)\nadd_library(one_skel SHARED ../m.c)\n"
            + "if(BUILDTOOL_HEXAGON_ARCH STREQUAL v79)\nmessage(FATAL_ERROR newer)\nendif()\n",
        }
    )
    one = found["skel"].pop("one")
    assert one["archs"] == ["v68", "v69", "v73", "v75", "v81"]
    assert found["target"]["sim"]["archs"] == ["v69", "v73"]
    assert found["skel"] == {
        "k": {
            "source": ".",
            "archs": ["v69", "v73", "v79"],
            "targets": ["k-{arch}"],
            "artifacts": ["libk-{arch}.so"],
        }
    }
    assert "host" not in found
    assert found["?"] == [
        "skel.k is left out for v75: CMakeLists.txt:11: none",
        "skel.one is left out for v79: one/CMakeLists.txt:5: newer",
    ]


def test_what_cannot_be_built_is_a_comment(proposed: Propose, tmp_path: Path) -> None:
    """What depends on it is a comment too; everything else is proposed."""
    away = tmp_path / "elsewhere"  # CMake creates it
    found = proposed(
        {
            "app/CMakeLists.txt": PROGRAM.format("app") + "install(TARGETS app)\n",
            "same/CMakeLists.txt": PROGRAM.format("other")
            + "set_target_properties(other PROPERTIES OUTPUT_NAME app)\n",
            "zlib/CMakeLists.txt": PROGRAM.format("zlib") + "include(x.cmake)\n",
            "zlib/x.cmake": "\nfind_package(Nowhere 3 REQUIRED)\n",
            "mute/CMakeLists.txt": NEW + "project(mute C)\nadd_library(mute ../m.c)\n",
            "lib/CMakeLists.txt": NEW + "project(lib C)\nadd_library(lib SHARED ../m.c)\n",
            "away/CMakeLists.txt": PROGRAM.format("away")
            + f'set_target_properties(away PROPERTIES RUNTIME_OUTPUT_DIRECTORY "{away}")\n',
            "loose/CMakeLists.txt": "add_executable(loose l.c)\n",
        }
    )
    assert found["host"] == {
        "app": {"source": "app"},
        "lib": {"source": "lib", "artifacts": ["liblib.so"]},
    }
    text = "\n".join(found["?"])
    for part in (
        "host.other and host.app both ship bin/app",
        "host.zlib cannot be configured for ARM64: zlib/x.cmake:2: By not providing",
        "mute/CMakeLists.txt:2 builds no program and no skel",
        "lib/CMakeLists.txt:2 has no evidence of its side",
        f"host.away ships nothing: away is built outside the build tree: {away}/away",
    ):
        assert part in text
        assert part in found["text"]
    assert '[host.zlib] source = "zlib"' in found["text"]


def test_a_configuration_that_does_nothing_has_an_end(
    proposed: Propose, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(configure, "IDLE_LIMIT", 4.0)
    mark = tmp_path / "pid"
    wait = f"execute_process(COMMAND sh -c \"echo $$ >'{mark}'; exec sleep 1000\")\n"

    found = proposed({"CMakeLists.txt": NEW + "project(slow NONE)\nmessage(NOTICE here)\n" + wait})

    assert found["?"] == ["host.slow cannot be configured for ARM64: cmake did nothing for 4 s"]
    (warned,) = [event for event in found["events"] if isinstance(event, Warned)]
    shown = warned.text.splitlines()
    assert shown[0] == "cmake did nothing for 4 s"
    assert shown[1].startswith(("command: /", "command: '/"))  # quoted if the path has a space
    assert shown[-1] == "here"
    assert left(tmp_path) == []


@pytest.mark.long
def test_the_sdk_s_client_library_is_not_proposed(proposed: Propose, sdk: Path) -> None:
    """A build would refuse a program with the stand-in SDK's library, so it is a comment."""
    found = proposed(
        {
            "CMakeLists.txt": NEW
            + "project(app C)\ninclude(${HEXAGON_SDK_ROOT}/build/cmake/hexagon_fun.cmake)\n"
            + "add_executable(app m.c)\nlink_custom_library(app dsprpc)\ninstall(TARGETS app)\n"
        }
    )
    assert "host" not in found
    assert found["target"]["sim"]["dsp-toolchain"] == "sdk"
    assert "app would be linked against the libcdsprpc of a Hexagon SDK" in found["?"][0]


@pytest.mark.long
def test_without_the_sdk_that_a_tree_asks_for(
    proposed: Propose, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("HEXAGON_SDK_ROOT", raising=False)
    found = proposed(
        {
            "CMakeLists.txt": NEW + "project(k C)\n"
            "include(${HEXAGON_SDK_ROOT}/build/cmake/hexagon_fun.cmake)\n"
            "add_library(k_skel SHARED m.c)\n"
        }
    )
    assert found["target"]["sim"]["dsp-toolchain"] == "llvm"
    assert "for which buildtool has open replacements" in found["text"]
    assert "[skel.k]" in found["text"]


@pytest.mark.long
def test_skels_that_need_a_package_of_another(proposed: Propose) -> None:
    """The libraries are not built yet, but the files of the package are enough to configure."""
    found = proposed(
        {
            "base/CMakeLists.txt": NEW
            + "project(vecbase C)\nadd_library(vecbase ../m.c)\n# hexagon\n"
            + "install(TARGETS vecbase EXPORT x)\ninstall(EXPORT x NAMESPACE vec::\n"
            + "  FILE vecbase-config.cmake DESTINATION lib/cmake/vecbase)\n",
            "dsp/CMakeLists.txt": NEW
            + "project(dsp C)\nfind_package(vecbase REQUIRED)\nadd_library(k_skel SHARED ../m.c)\n"
            + "target_link_libraries(k_skel PRIVATE vec::vecbase)\ninstall(TARGETS k_skel)\n",
            "base/hexagon.cmake": "set(HEXAGON 1)\n",
        }
    )
    assert found["skel"] == {
        "vecbase": {"source": "base", "install": False},
        "k": {"source": "dsp", "needs": ["vecbase"]},
    }
