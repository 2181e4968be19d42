"""Compile commands with the options of clang."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from buildtool.drivers.cmake.file_api import BuildTree, CMakeTarget, CMakeToolchain, CompileGroup
from buildtool.ide.compile_commands import clang_arguments, for_clangd, searched


@pytest.mark.parametrize(
    ("command", "arguments"),
    [
        (
            "/x/zig cc -target aarch64-linux-gnu.2.35 -O3 -c a.c",
            "clang --target=aarch64-linux-gnu -D__GLIBC_MINOR__=35 -O3 -c a.c",
        ),
        (
            "/x/zig c++ --target=hexagon-linux-musl"
            " -mcpu=hexagonv79+hvx_length128b+hvxv79+hvx_qfloat a.cpp",
            "clang++ --target=hexagon-linux-musl -mcpu=hexagonv79 -mhvx=v79 -mhvx-length=128B"
            " -mhvx-qfloat a.cpp",
        ),
        ("/x/ccache /x/zig cc a.c", "clang a.c"),
        (
            "/usr/bin/aarch64-linux-gnu-g++ -mcpu=cortex-a78 a.cpp",
            "/usr/bin/aarch64-linux-gnu-g++ -mcpu=cortex-a78 a.cpp",
        ),
        (
            "/ndk/clang --target=aarch64-none-linux-android31 --sysroot=/s a.c",
            "/ndk/clang --target=aarch64-none-linux-android31 --sysroot=/s a.c",
        ),
        (
            "/sdk/hexagon-clang -mcpu=hexagonv73 -mhvx=v73 -mhmx a.c",
            "/sdk/hexagon-clang -mcpu=hexagonv73 -mhvx=v73 a.c",
        ),
        ("zig", "zig"),
        ("ccache", "ccache"),
        ("cc -target", "cc --target="),
    ],
)
def test_a_command(command: str, arguments: str) -> None:
    assert clang_arguments(command.split()) == tuple(arguments.split())


def test_the_compilers_own_headers_are_clangs_the_rest_keeps_its_order(tmp_path: Path) -> None:
    own = tmp_path / "own"
    own.mkdir()
    (own / "arm_acle.h").touch()

    arguments = [*searched(["/c++", str(own), "/libc"])]

    assert arguments == ["-nostdlibinc", "-isystem", "/c++", "-idirafter", "/libc"]
    assert [*searched([])] == []


def test_headers_that_a_command_names_as_the_compilers_own_give_way_too(tmp_path: Path) -> None:
    (tmp_path / "arm_acle.h").touch()
    command = f"g++ -nostdinc -isystem /mine -isystem {tmp_path} -isystem /libc a.cpp"

    wanted = "g++ -nostdlibinc -isystem /mine -idirafter /libc a.cpp"
    assert clang_arguments(command.split()) == tuple(wanted.split())


def toolchain(language: str, *includes: str) -> CMakeToolchain:
    return CMakeToolchain(language, "/x/zig", "Clang", "22.1.8", "", includes, ())


def test_each_source_is_given_what_its_language_searches() -> None:
    root = Path("/p")
    groups = tuple(
        CompileGroup(language, (root / name,), (), (), (), ())
        for language, name in (("C", "a.c"), ("CXX", "b.inc"))
    )
    target = CMakeTarget("t", "EXECUTABLE", root, root, (), (), groups, "C", ())
    tree = BuildTree(
        root, root, (target,), {"C": toolchain("C", "/c"), "CXX": toolchain("CXX", "/c++", "/c")}
    )
    entries = [
        {"directory": "/p", "command": "zig cc -c a.c", "file": "a.c", "output": "a.o"},
        {"directory": "/p", "command": "zig c++ '-DA=\"x y\"' -c b.inc", "file": "/p/b.inc"},
    ]

    def unsaid(command: Sequence[str]) -> list[str]:
        return ["-DUNSAID"] if command[1] == "c++" else []

    first, second = (command.as_json() for command in for_clangd(entries, tree, unsaid))

    assert first == {
        "directory": "/p",
        "file": "/p/a.c",
        "arguments": ["clang", "-c", "a.c", "-nostdlibinc", "-isystem", "/c"],
        "output": "a.o",
    }
    assert "-DUNSAID" in second["arguments"]
    assert second["arguments"][:2] == ["clang++", '-DA="x y"']
    assert second["arguments"][-4:] == ["-isystem", "/c++", "-isystem", "/c"]
    assert "output" not in second
