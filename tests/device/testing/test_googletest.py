"""The tests of a program with the real GoogleTest, in shared libraries: they are discovered and run
on the device."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.command_line import REPOSITORY
from tests.device.testing.third_party import results
from tests.project import Project

SOURCES = REPOSITORY / ".venv/googletest/usr/src/googletest"
LISTING = """\
cmake_minimum_required(VERSION 3.16)
project(ring CXX)
add_compile_options(-O0)
enable_testing()
set(BUILD_SHARED_LIBS ON)
add_subdirectory("%s" googletest EXCLUDE_FROM_ALL)
add_executable(ring-test ring_test.cpp)
target_link_libraries(ring-test PRIVATE gtest_main)
install(TARGETS ring-test)
include(GoogleTest)
gtest_discover_tests(ring-test XML_OUTPUT_DIR "${CMAKE_BINARY_DIR}/reports")
"""
TEST = """\
#include <gtest/gtest.h>

#include <csignal>
#include <stdexcept>

TEST(Ring, Good) { EXPECT_EQ(1 + 1, 2); }
TEST(Ring, Bad) { EXPECT_EQ(1 + 1, 3) << "said why"; }
TEST(Ring, Throws) { throw std::runtime_error("thrown"); }
TEST(Ring, Crashes) { std::raise(SIGSEGV); }
TEST(Ring, Skipped) { GTEST_SKIP() << "not here"; }
TEST(Ring, DISABLED_Later) { FAIL(); }

class Sizes : public testing::TestWithParam<const char *> {};
TEST_P(Sizes, AreWords) { EXPECT_STRNE(GetParam(), ""); }
INSTANTIATE_TEST_SUITE_P(All, Sizes, testing::Values("a b", "c;d", "\\"e\\""));
"""
PROJECT = """\
[project]
name = "ring"
[host.ring]
source = "."
[target.sim]
platform = "ubuntu-aarch64"
"""


@pytest.mark.long
@pytest.mark.skipif(not SOURCES.is_dir(), reason="there is no GoogleTest: scripts/setup tests")
def test_googletest(tmp_path: Path) -> None:
    project = Project(tmp_path / "ring")
    project.lay_out(
        {"CMakeLists.txt": LISTING % SOURCES, "ring_test.cpp": TEST, "buildtool.toml": PROJECT}
    )
    tests = results(project, "sim")

    assert {name: test["outcome"] for name, test in tests.items()} == {
        "Ring.Good": "passed",
        "Ring.Bad": "failed",
        "Ring.Throws": "failed",
        "Ring.Crashes": "crashed",
        "Ring.Skipped": "skipped",
        "Ring.Later": "skipped",
        'All/Sizes.AreWords/"a b"': "passed",
        'All/Sizes.AreWords/"c;d"': "passed",
        'All/Sizes.AreWords/"\\"e\\""': "passed",
    }
    assert "said why" in tests["Ring.Bad"]["output"]
    assert "thrown" in tests["Ring.Throws"]["output"]
    reports = (project.tree("ring") / "reports").glob("*.xml")
    written = {"Ring.Good.xml", "Ring.Bad.xml", "Ring.Throws.xml", "Ring.Skipped.xml"}
    assert written == {report.name for report in reports}
