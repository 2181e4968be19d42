"""Every build type has debug information, and what ships does not depend on it."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from buildtool.diagnose.crash_report import StackFrame
from buildtool.diagnose.module_files import DebugFiles
from tests.project import Project

FILES = {
    "buildtool.toml": """
[project]
name = "lines"

[host.app]
source = "host"

[skel.dsp]
source = "dsp"

[target.sim]
platform = "ubuntu-aarch64"
archs = ["v68"]
""",
    "host/CMakeLists.txt": """
cmake_minimum_required(VERSION 3.22)
project(app C)
add_library(part STATIC part.c)
add_executable(app main.c)
target_link_libraries(app PRIVATE part)
install(TARGETS app part)
""",
    "host/main.c": "int part(int);\nint main(int count, char **v) { return part(count) + !v; }\n",
    "host/part.c": """
#include <stdio.h>
int part(int count)
{
    return printf("%d\\n", count * 3); /* line 5 */
}
""",
    "dsp/CMakeLists.txt": """
cmake_minimum_required(VERSION 3.22)
project(dsp C ASM)
add_library(b_skel SHARED entry.c step.S)
install(TARGETS b_skel LIBRARY DESTINATION .)
""",
    "dsp/entry.c": """
#include <string.h>
struct large { int words[40]; };
int step(struct large *);
int b_skel_handle_invoke(unsigned long long h, unsigned s, void *p)
{
    struct large copy;
    memcpy(&copy, p, s); /* of zig's runtime */
    return step(&copy) + (int)h;
}
""",
    "dsp/step.S": """
    .text
    .globl step
    .type step, @function
step:
    { r0 = memw(r0+#0) }
    { jumpr r31 }
    .size step, .-step
""",
}
SKEL = "dsp/v68/libb_skel.so"


def code_of(debug: Path, function: str) -> range:
    """The addresses of the words of a function in a debug file."""
    symbols = subprocess.run(
        ["llvm-nm", "--print-size", debug], capture_output=True, text=True, check=True, timeout=60
    ).stdout
    (found,) = re.findall(rf"^(\w+) (\w+) \w {function}$", symbols, re.MULTILINE)
    start, size = (int(number, 16) for number in found)
    return range(start, start + size, 4)


def lines(project: Project, file: str, function: str) -> set[str]:
    """`file:line` of all instructions of a function in a file of the release."""
    debug = project.root / ".buildtool/debug/sim"
    path = debug / f"{file}.debug"
    build_id = path.resolve().parent.name + path.resolve().stem
    files = DebugFiles(debug)
    places = [
        files.places(StackFrame(path.stem, at, build_id), call=False)
        for at in code_of(path, function)
    ]
    return {f"{place.file}:{place.line}" for inlined in places for place in inlined if place.line}


@pytest.mark.parametrize(
    "toolchain",
    [
        "zig",
        pytest.param("gcc", marks=pytest.mark.long),
        pytest.param("clang", marks=pytest.mark.long),
    ],
)
def test_release_builds_have_lines_which_do_not_change_what_ships(
    toolchain: str, tmp_path: Path
) -> None:
    project = Project(tmp_path / "lines")
    project.lay_out(FILES)
    project.edit("buildtool.toml", "archs =", f'toolchain = "{toolchain}"\narchs =')
    has_skel = toolchain == "zig"  # the compiler of the skel is the same for all
    if not has_skel:
        project.edit("buildtool.toml", '[skel.dsp]\nsource = "dsp"\n', "")
        project.edit("buildtool.toml", 'archs = ["v68"]', "archs = []")
    project.build_here()
    project.succeeds("package")  # the static library has no path of this machine
    shipped = project.release_files()

    assert "part.c:5" in lines(project, "bin/app", "part")
    if has_skel:
        assert "entry.c:9" in lines(project, SKEL, "b_skel_handle_invoke")
        assert lines(project, SKEL, "step") == {"step.S:6", "step.S:7"}

    for side, target in (("host", "app"), ("host", "part"), ("dsp", "b_skel")):
        listing = project.root / side / "CMakeLists.txt"
        text = listing.read_text() + f"target_compile_options({target} PRIVATE -g0)\n"
        listing.write_text(text)
    project.build_here()

    assert lines(project, "bin/app", "part") == set()
    if has_skel:
        assert lines(project, SKEL, "b_skel_handle_invoke") == set()
    without = project.release_files()
    shipped.pop("lib/libpart.a")
    without.pop("lib/libpart.a")
    assert without == shipped


@pytest.mark.parametrize(
    "build_type",
    [
        pytest.param("Debug", marks=pytest.mark.long),
        pytest.param("RelWithDebInfo", marks=pytest.mark.long),
    ],
)
def test_inlined_calls_and_lines_are_those_of_addr2line(build_type: str, tmp_path: Path) -> None:
    """In code of the template, whose inlined calls are split: clang moves parts of them apart."""
    project = Project(tmp_path / "p")
    project.root.mkdir()
    project.succeeds("init", "--template", "hvx")
    project.succeeds("build", "--build-type", build_type)
    (debug,) = project.root.glob(".buildtool/debug/sim/dsp/v68/*.debug")
    build_id = debug.resolve().parent.name + debug.resolve().stem
    files = DebugFiles(project.root / ".buildtool/debug/sim")
    inlined = 0
    for function in ("p_dsp_skel_handle_invoke", "p_dsp_open", "p_dsp_scale_add"):
        addresses = code_of(debug, function)
        done = subprocess.run(
            ["llvm-addr2line", "-a", "-f", "-i", "-s", "-e", debug, *map(hex, addresses)],
            capture_output=True,
            text=True,
            check=True,
            timeout=60,
        )
        answers = re.split(r"^0x.*\n", done.stdout, flags=re.MULTILINE)[1:]
        for at, answer in zip(addresses, answers, strict=True):
            expected = re.findall(r"(.+)\n(\S+).*\n", answer)
            found = files.places(StackFrame(debug.stem, at, build_id), call=False)
            assert [(place.function, f"{place.file}:{place.line}") for place in found] == expected
            inlined += len(found) > 1
    assert inlined > 10
