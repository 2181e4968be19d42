"""Choosing a compiler launcher, and the commands that run it."""

from __future__ import annotations

from pathlib import Path

import pytest

from buildtool.core.errors import UsageError
from buildtool.drivers.cmake.compiler_launcher import (
    CompilerLauncher,
    chosen,
    find_compiler_launcher,
)
from buildtool.sdk.tool_search import ToolMissingError
from buildtool.toolchains.profile import Compiler, Profile


def profile(*c: str) -> Profile:
    cxx = (c[0], "c++") if c[1:] else c
    return Profile("x", "android", "", {}, "1d", {}, Compiler("clang", "1", "", c, cxx))


@pytest.mark.parametrize(
    ("option", "variable", "project", "wanted"),
    [
        ("", "", "", ""),
        ("", "", "ccache", "ccache"),
        ("", "distcc", "ccache", "distcc"),
        ("icecc", "distcc", "ccache", "icecc"),
        ("none", "distcc", "ccache", ""),
        ("", "none", "ccache", ""),
    ],
)
def test_the_command_line_decides_then_the_environment_then_the_project(
    option: str, variable: str, project: str, wanted: str
) -> None:
    environment = {"BUILDTOOL_LAUNCHER": variable} if variable else {}

    assert chosen(option, project, environment) == wanted


def test_a_compiler_launcher_is_found_on_path_or_at_its_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "bin" / "ccache"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    monkeypatch.setenv("PATH", str(program.parent))
    with pytest.raises(ToolMissingError, match="the compiler launcher ccache was not found"):
        find_compiler_launcher("ccache", tmp_path)
    with pytest.raises(ToolMissingError, match="bin/ccache was not found"):
        find_compiler_launcher("bin/ccache", tmp_path)

    program.chmod(0o755)
    assert find_compiler_launcher("ccache", tmp_path) == CompilerLauncher("ccache", program)
    assert find_compiler_launcher("bin/ccache", tmp_path) == CompilerLauncher("ccache", program)
    assert find_compiler_launcher(str(program), Path("/")) == CompilerLauncher("ccache", program)


def test_a_name_that_is_no_compiler_launcher(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="unknown compiler launcher 'cchache'") as raised:
        find_compiler_launcher("cchache", tmp_path)

    assert raised.value.remedy == "Did you mean 'ccache'?"


def test_it_stands_before_the_compilers_of_c_and_cxx(tmp_path: Path) -> None:
    ccache = CompilerLauncher("ccache", Path("/opt/a b/ccache"))

    assert ccache.cache_entries(profile("/usr/bin/clang"), tmp_path / "l") == {
        "CMAKE_C_COMPILER_LAUNCHER": "/opt/a b/ccache",
        "CMAKE_CXX_COMPILER_LAUNCHER": "/opt/a b/ccache",
    }
    assert not (tmp_path / "l").exists()


def test_a_compiler_of_two_words_is_made_one_for_caches(tmp_path: Path) -> None:
    zig = profile("/opt/zig", "cc", "-target", "x")
    folder = tmp_path / "my tree" / "launcher"

    ccache = CompilerLauncher("ccache", Path("/opt/a b/ccache")).cache_entries(zig, folder)
    assert set(ccache.values()) == {str(folder / "ccache")}
    assert f"exec '/opt/a b/ccache' '{folder}'/\"$driver\"" in (folder / "ccache").read_text()
    # ccache identifies the compiler by this file, which contains its digest, but no local path.
    assert "# 1d\n" in (folder / "c++").read_text()
    assert str(tmp_path) not in (folder / "cc").read_text()
    assert "/opt" not in (folder / "cc").read_text()


def test_the_user_s_own_variables_reach_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CCACHE_DIR", "/a")
    monkeypatch.setenv("DISTCC_HOSTS", "b")
    monkeypatch.setenv("CFLAGS", "-DNO")

    found = CompilerLauncher("ccache", Path("/ccache")).environment

    assert found["CCACHE_DIR"] == "/a"
    assert found["DISTCC_HOSTS"] == "b"
    assert "CFLAGS" not in found
