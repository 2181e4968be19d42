"""`init` in trees whose programs and tests are also, or only, for the DSP."""

from __future__ import annotations

import pytest

from tests.integration.projects.conftest import Propose

NEW = "cmake_minimum_required(VERSION 3.22)\n"

LIBRARY = (
    "project(sums C)\noption(SUMS_TESTS x OFF)\nadd_library(sums STATIC sums.c)\n"
    "if(SUMS_TESTS)\nenable_testing()\nadd_executable(check m.c)\n"
    "target_link_libraries(check sums)\nadd_test(NAME check COMMAND check)\nendif()\n"
)
PORTABLE = "#ifdef __hexagon__\n#include <hexagon_types.h>\n#endif\nint sums;\n"
TESTED = {"source": ".", "defines": {"SUMS_TESTS": True}}


def test_tests_of_a_library_that_is_also_for_the_dsp(proposed: Propose) -> None:
    """They run on both sides; the option that adds them is on."""
    found = proposed({"CMakeLists.txt": NEW + LIBRARY, "sums.c": PORTABLE})
    assert found["host"] == {"sums": {**TESTED, "artifacts": ["check"]}}
    assert found["dsp"] == {"sums_dsp": TESTED}
    assert "it is also for the DSP: sums.c:1: __hexagon__" in found["text"]
    assert found["target"]["sim"]["archs"] == ["v68"]
    assert found["?"] == []


def test_tests_of_a_library_that_is_only_for_the_dsp(proposed: Propose) -> None:
    """Its sources can be compiled for the DSP only; it has a variable of the arch and data."""
    source = '#include <hexagon_protos.h>\nHVX_Vector v;\nconst char *name = "data/a.txt";\n'
    listing = (
        "project(sums C)\nenable_testing()\nadd_library(sums STATIC sums.c)\n"
        "if(HEXAGON_ARCH)\nadd_compile_options(-m${HEXAGON_ARCH})\nendif()\n"
        "add_executable(check m.c sums.c)\nadd_test(NAME check COMMAND check\n"
        " WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})\n"
    )
    found = proposed({"CMakeLists.txt": NEW + listing, "sums.c": source, "data/a.txt": ""})
    assert "host" not in found
    assert found["dsp"]["sums"] == {
        "source": ".",
        "defines": {"HEXAGON_ARCH": "{arch}"},
        "test-files": ["data/*.txt"],
    }


@pytest.mark.parametrize(
    ("listing", "sources"),
    [
        (LIBRARY, {"sums.c": "int sums;\n"}),
        (LIBRARY + "add_library(k_skel SHARED sums.c)\n", {"sums.c": PORTABLE}),
        (LIBRARY, {"sums.c": PORTABLE, "sums.idl": "interface sums {};\n"}),
    ],
    ids=["plain", "skel", "interface"],
)
def test_other_trees_have_no_programs_for_the_dsp(
    proposed: Propose, listing: str, sources: dict[str, str]
) -> None:
    found = proposed({"CMakeLists.txt": NEW + listing, **sources})
    assert "sums" in found["host"]
    assert "dsp" not in found


def test_tests_that_lack_a_library_on_the_dsp_are_a_comment(proposed: Propose) -> None:
    listing = (
        "project(sums C)\nif(CMAKE_SYSTEM_PROCESSOR MATCHES hexagon)\nfind_package(None REQUIRED)\n"
        "endif()\nadd_executable(check m.c)\n"
    )
    found = proposed({"CMakeLists.txt": NEW + listing})
    assert found["host"] == {"sums": {"source": ".", "artifacts": ["check"]}}
    assert "dsp" not in found
    assert "[dsp.sums_dsp]" in found["text"]
    assert "dsp.sums_dsp cannot be configured for Hexagon: CMakeLists.txt:4" in found["text"]
