"""zig compiles a C library for Hexagon, which takes minutes, only once for all ways to link."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

from buildtool.sdk.cmake import find_cmake
from buildtool.sdk.zig import usable_zig
from buildtool.toolchains.hexagon import hexagon_musl
from tests.integration.idl.idl_rig import HEXAGON
from tests.integration.toolchains.conftest import PlainCMake
from tests.integration.truth.builds import HEXAGON as TRUTH
from tests.integration.truth.builds import HEXAGON_LIBC


def libraries(script: str, cwd: Path) -> set[str]:
    """The C libraries that the `zig cc` commands of a shell script link."""
    environment = {**os.environ, "ZIG_VERBOSE_LINK": "1"}
    done = subprocess.run(
        ["sh", "-ec", script], cwd=cwd, env=environment, capture_output=True, text=True, check=True
    )
    return set(re.findall(r"\S+/libc\.a\b", done.stderr))


def test_the_emulated_shell_cmake_s_check_and_the_tests_link_the_same(
    plain_cmake: PlainCMake,
) -> None:
    plain_cmake.write(
        CMakeLists_txt="cmake_minimum_required(VERSION 3.22)\nproject(p C)\n"
        "add_executable(p main.c)\n",
        main_c="int main(void) { return 1; }\n",
    )
    tree, _ = plain_cmake.build(hexagon_musl())
    # Another source, since zig caches linked programs.
    plain_cmake.write(main_c="int main(void) { return 2; }\n")
    source = f"'{plain_cmake.root}/main.c'"
    ninja: list[str | Path] = [find_cmake().ninja, "-t", "commands", "p"]
    commands = subprocess.run(ninja, cwd=tree, capture_output=True, text=True, check=True).stdout
    (checked,) = tree.glob("CMakeFiles/*/CMakeCCompiler.cmake")
    variables = dict(re.findall(r'^set\((\w+) "(.*)"\)$', checked.read_text(), re.MULTILINE))
    compiler = f"'{variables['CMAKE_C_COMPILER']}' {variables['CMAKE_C_COMPILER_ARG1']}"
    zig = f"'{usable_zig().where}' cc"

    linked = libraries(commands, tree)

    assert len(linked) == 1
    assert libraries(f"{compiler} {source} -o id", tree) == linked
    assert libraries(f"{zig} {' '.join(HEXAGON)} {source} -o rig", tree) == linked
    truth = " ".join((*TRUTH, *HEXAGON_LIBC))
    assert libraries(f"{zig} {truth} {source} -o truth", tree) == linked
