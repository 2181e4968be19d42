"""The measured projects: a host library and skels, in a git repository with two branches, and a
CMake superbuild of the same sources, which is how such projects are built without buildtool.
"""

from __future__ import annotations

import subprocess
import time
from collections.abc import Mapping
from pathlib import Path

ARCHS = ("v68", "v69", "v73", "v75", "v79", "v81")
SOURCES = 8  # in each component
FUNCTIONS = 12  # in each source: enough that compiling takes longer than starting the compiler
OTHER = "other"
COMMON = "include/common.h"

_COMPONENT = """cmake_minimum_required(VERSION 3.25)
project({name} LANGUAGES C)
add_library({name} SHARED {sources})
target_include_directories({name} PRIVATE ../include)
install(TARGETS {name} LIBRARY DESTINATION {place})
"""
_FUNCTION = """
int {name}_{number}(int *restrict to, const int *restrict from, int count) {{
    int sum = 0;
    for (int i = 0; i < count; i++) {{
        to[i] = from[i] * SCALE + {number};
        sum += to[i] ^ from[count - i - 1];
    }}
    return sum;
}}
"""
_ENTRY = (
    "\nint {name}_handle_invoke(long h, unsigned s, void *p) {{ return (int)h + (int)s + !p; }}\n"
)
_SUPERBUILD = """cmake_minimum_required(VERSION 3.25)
project(superbuild LANGUAGES NONE)
include(ExternalProject)
function(component name source toolchain)
  ExternalProject_Add(${{name}}
    SOURCE_DIR "{root}/${{source}}"
    BINARY_DIR ${{CMAKE_BINARY_DIR}}/${{name}}
    INSTALL_DIR ${{CMAKE_BINARY_DIR}}/out/${{name}}
    BUILD_ALWAYS ON
    CMAKE_GENERATOR Ninja
    CMAKE_ARGS -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX=<INSTALL_DIR>
      "-DCMAKE_TOOLCHAIN_FILE={toolchains}/${{toolchain}}.cmake" ${{ARGN}})
endfunction()
"""


def write(root: Path, skels: int) -> None:
    """Write a project with `skels` skels and new content, and commit it; the branch `other` has
    another common header, so that everything is compiled again."""
    (root / "include").mkdir(parents=True)
    (root / COMMON).write_text(f"#define SCALE {time.time_ns() % 1_000_003}\n")
    _component(root / "host", "bench", "lib")
    names = [f"work{number}" for number in range(skels)]
    for name in names:
        _component(root / name, f"{name}_skel", ".")
    archs = ", ".join(f'"{arch}"' for arch in ARCHS)
    (root / "buildtool.toml").write_text(
        '[project]\nname = "bench"\n\n[host.bench]\nsource = "host"\n'
        + "".join(f'\n[skel.{name}]\nsource = "{name}"\n' for name in names)
        + f'\n[target.sim]\nplatform = "ubuntu-aarch64"\narchs = [{archs}]\n'
        + '\n[target.one]\nplatform = "ubuntu-aarch64"\narchs = ["v68"]\n'
    )
    git(root, "init", "--quiet", "--initial-branch=main")
    commit(root)
    git(root, "switch", "--quiet", "--create", OTHER)
    (root / COMMON).write_text(f"#define SCALE {time.time_ns() % 1_000_003}\n")
    commit(root)
    git(root, "switch", "--quiet", "main")


def write_superbuild(
    folder: Path, root: Path, skels: int, toolchains: Path, launchers: Mapping[str, Path]
) -> None:
    """Write a superbuild of the project in `root`.

    `toolchains` has the toolchain files `host.cmake` and `<arch>.cmake`; `launchers` are compiler
    launchers by the same names.
    """
    rows = ["component(host host host"]
    rows += [
        f"component({skel_tree(number, arch)} work{number} {arch}"
        for number in range(skels)
        for arch in ARCHS
    ]
    text = _SUPERBUILD.format(root=root, toolchains=toolchains)
    for each in rows:
        launcher = launchers.get(each.rpartition(" ")[2])
        text += each + (f' "-DCMAKE_C_COMPILER_LAUNCHER={launcher}")\n' if launcher else ")\n")
    folder.mkdir(parents=True)
    (folder / "CMakeLists.txt").write_text(text)


def skel_tree(number: int, arch: str) -> str:
    """The directory of a skel in the superbuild's build tree."""
    return f"work{number}-{arch}"


def write_inputs(root: Path, count: int) -> None:
    """Write a project with one small component that declares `count` files as its inputs."""
    for number in range(count):
        file = root / "data" / f"{number % 64}" / f"{number}.h"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"{number}\n")
    (root / "host").mkdir()
    (root / "host" / "one.c").write_text("int one(void) { return 1; }\n")
    (root / "host" / "CMakeLists.txt").write_text(
        _COMPONENT.format(name="one", sources="one.c", place="lib")
    )
    (root / "buildtool.toml").write_text(
        '[project]\nname = "inputs"\n\n[host.one]\nsource = "host"\ninputs = ["data/**"]\n'
        '\n[target.sim]\nplatform = "ubuntu-aarch64"\n'
    )


def commit(root: Path) -> None:
    git(root, "add", ".")
    git(root, "-c", "user.name=bench", "-c", "user.email=bench@localhost", "commit", "-qm", "bench")


def git(root: Path, *arguments: str | Path) -> None:
    subprocess.run(["git", "-C", root, *arguments], check=True, capture_output=True)


def functions(name: str, count: int) -> str:
    """C functions, 8 lines each."""
    return "".join(_FUNCTION.format(name=name, number=number) for number in range(count))


def _component(folder: Path, name: str, place: str) -> None:
    folder.mkdir()
    sources = [f"{name}_{number}.c" for number in range(SOURCES)]
    for number, source in enumerate(sources):
        entry = "" if number else _ENTRY.format(name=name)
        text = functions(f"{name}_{number}", FUNCTIONS)
        (folder / source).write_text(f'#include "common.h"\n{text}{entry}')
    (folder / "CMakeLists.txt").write_text(
        _COMPONENT.format(name=name, sources=" ".join(sources), place=place)
    )
