"""zig compiles a C library for Hexagon, which takes minutes, once, and not for the emulator."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

from buildtool.sdk.packaged_tools import find_cmake, usable_zig
from buildtool.toolchains.hexagon import hexagon_musl
from tests.integration.idl.idl_rig import HEXAGON
from tests.integration.toolchains.conftest import PlainCMake
from tests.integration.truth.builds import HEXAGON as TRUTH
from tests.integration.truth.builds import HEXAGON_LIBC


def links(script: str, cwd: Path) -> str:
    """The linker's commands of the `zig cc` commands of a shell script."""
    environment = {**os.environ, "ZIG_VERBOSE_LINK": "1"}
    done = subprocess.run(
        ["sh", "-ec", script], cwd=cwd, env=environment, capture_output=True, text=True, check=True
    )
    assert "ld.lld" in done.stderr
    return done.stderr


def test_the_emulated_shell_and_cmake_s_check_link_no_library_of_zig(
    plain_cmake: PlainCMake,
) -> None:
    plain_cmake.write(
        CMakeLists_txt="cmake_minimum_required(VERSION 3.22)\nproject(p C)\n"
        "add_executable(p main.c)\n",
        main_c="void _start(void) {}\n",
    )
    tree, _ = plain_cmake.build(hexagon_musl())
    # Another source, since zig caches linked programs.
    plain_cmake.write(main_c="int _start(void) { return 2; }\n")
    source = f"'{plain_cmake.root}/main.c'"
    ninja: list[str | Path] = [find_cmake().ninja, "-t", "commands", "p"]
    commands = subprocess.run(ninja, cwd=tree, capture_output=True, text=True, check=True).stdout
    (checked,) = tree.glob("CMakeFiles/*/CMakeCCompiler.cmake")
    variables = dict(re.findall(r'^set\((\w+) "(.*)"\)$', checked.read_text(), re.MULTILINE))
    compiler = f"'{variables['CMAKE_C_COMPILER']}' {variables['CMAKE_C_COMPILER_ARG1']}"

    linked = links(commands, tree) + links(f"{compiler} {source} -o id", tree)

    assert not re.findall(r"\S+/(?:lib\w+\.a|crt\w*\.o)\b", linked)


def test_tests_link_the_same_libc(tmp_path: Path) -> None:
    source = tmp_path / "main.c"
    source.write_text("int main(void) { return 2; }\n", "utf-8")
    zig = f"'{usable_zig().where}' cc"
    libraries = [
        set(re.findall(r"\S+/libc\.a\b", links(f"{zig} {' '.join(flags)} main.c -o p", tmp_path)))
        for flags in (HEXAGON, (*TRUTH, *HEXAGON_LIBC))
    ]

    assert len(libraries[0]) == 1
    assert libraries[0] == libraries[1]
