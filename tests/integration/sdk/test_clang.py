"""clang and lld for ARM64 Linux: their identity, and what they lack."""

from __future__ import annotations

from pathlib import Path

import pytest

from buildtool.project.model import Tool
from buildtool.sdk.gnu_compilers import find_clang
from buildtool.sdk.qemu import CROSS_LIBRARIES
from buildtool.sdk.tool_search import ToolMissingError, ToolUnfitError
from buildtool.toolchains.ubuntu_aarch64_gnu import ubuntu_aarch64_clang, ubuntu_aarch64_native

from .conftest import script

ANSWER = """\
echo 'Somebody clang version {version} (made for a test)' >&2
echo 'programs: =/nowhere'; echo 'libraries: =/nowhere'"""


def test_debian_s_is_complete() -> None:
    clang = find_clang()

    assert clang.version.count(".") == 2
    assert clang.problems == ()
    assert clang.lld
    assert clang.lld.name.startswith("ld.lld")
    assert clang.root == CROSS_LIBRARIES.parent
    assert clang.binutils == CROSS_LIBRARIES.parent / "bin"


def test_a_missing_compiler_is_reported_with_packages(programs: Path) -> None:
    with pytest.raises(ToolMissingError, match="clang was not found") as caught:
        find_clang()
    assert "$BUILDTOOL_CLANG (not set)" in caught.value.why
    assert "apt-get install clang lld g++-aarch64-linux-gnu" in caught.value.remedy


def test_a_versioned_name_is_found_and_a_link_to_it_is_not_asked_twice(
    programs: Path, tmp_path: Path
) -> None:
    asked = tmp_path / "asked"
    script(programs / "clang-19", f"echo asked >>'{asked}'\n" + ANSWER.format(version="19.1.0"))
    (programs / "clang").symlink_to("clang-19")

    assert find_clang().version == "19.1.0"
    assert find_clang().where == programs / "clang"
    # Run once for its answers, and once by the loader, which lists its libraries.
    assert asked.read_text().count("asked") == 2


def test_the_newest_is_taken_and_a_version_can_be_asked_for(programs: Path) -> None:
    for major in (9, 14, 20):
        script(programs / f"clang-{major}", ANSWER.format(version=f"{major}.0.1"))

    assert find_clang().version == "20.0.1"
    assert find_clang(Tool(version="14")).where == programs / "clang-14"


def test_what_it_lacks_comes_with_the_packages(programs: Path) -> None:
    script(programs / "clang-18", ANSWER.format(version="18.1.3"))

    remedies = {problem.text: problem.remedy for problem in find_clang().problems}

    assert remedies == {
        "it lacks a C++ compiler (c++ driver)": "Install it: apt-get install clang-18",
        "it lacks a linker (lld)": "Install it: apt-get install lld-18",
        "it lacks a gcc for ARM64, whose libraries it links (crtbegin.o)": (
            "Install it: apt-get install g++-aarch64-linux-gnu"
        ),
        "it lacks the C library (crt1.o)": ("Install it: apt-get install g++-aarch64-linux-gnu"),
        "it lacks the C++ library (libstdc++.so)": (
            "Install it: apt-get install g++-aarch64-linux-gnu"
        ),
    }


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("echo 'gcc version 12'; echo 'programs: =/a'", "it is not a clang"),
        ("echo no; exit 3", "exit status 3, no"),
        (ANSWER.format(version="13.0.0"), "cannot be used: it lacks"),
    ],
)
def test_one_that_cannot_be_used_is_refused(programs: Path, text: str, expected: str) -> None:
    script(programs / "clang", text)

    with pytest.raises(ToolUnfitError, match=expected):
        ubuntu_aarch64_clang()


def test_native_takes_clang_where_there_is_no_gcc(
    programs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = find_clang_of_debian(monkeypatch)
    monkeypatch.setenv("BUILDTOOL_CLANG", str(real))

    profile = ubuntu_aarch64_native(machine="aarch64")

    assert profile.compiler.c == (str(real), "--target=aarch64-linux-gnu")
    assert "set(BUILDTOOL_NATIVE ON)" in profile.cmake_toolchain()


def find_clang_of_debian(monkeypatch: pytest.MonkeyPatch) -> Path:
    with monkeypatch.context() as context:
        context.setenv("PATH", "/usr/bin")
        return find_clang().where
