"""A project, its cache and its tools work at paths with every accepted character."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from buildtool.sdk.packaged_tools import find_cmake
from tests.command_line import Buildtool, Edit
from tests.path_names import SPECIAL_NAME

pytestmark = pytest.mark.long


@pytest.fixture
def special(tmp_path: Path, project: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The template project; all paths that tools receive contain `SPECIAL_NAME`."""
    root = project.rename(tmp_path / SPECIAL_NAME)
    (root / "host").rename(root / SPECIAL_NAME)
    tools, cache, temporary = (tmp_path / f"{SPECIAL_NAME} {name}" for name in "abc")
    for place in (tools, cache, temporary):
        place.mkdir()
    for name in ("zig", "emulator", "digests"):  # as in the cache of every test
        (cache / name).symlink_to(Path(os.environ["BUILDTOOL_CACHE"]) / name)
    monkeypatch.setenv("BUILDTOOL_CACHE", str(cache))
    monkeypatch.setenv("TMPDIR", str(temporary))
    cmake = find_cmake()
    qemu = [Path(shutil.which(name) or name) for name in ("qemu-aarch64", "qemu-hexagon")]
    for program in (cmake.program, cmake.ninja, *qemu):
        (tools / program.name).symlink_to(program)
    file = root / "buildtool.toml"
    text = file.read_text().replace('"host"', f'"{SPECIAL_NAME}"')
    for tool, name in (("cmake", "cmake"), ("ninja", "ninja"), ("qemu", "")):
        text += f'\n[tool.{tool}]\npath = "{tools / name}"\n'
    file.write_text(text)
    return root


def test_a_project_at_a_path_with_every_accepted_character_builds_and_runs(
    special: Path, buildtool: Buildtool, edit: Edit
) -> None:
    host = special / SPECIAL_NAME
    (host / "src" / SPECIAL_NAME).mkdir()
    header = host / "src" / SPECIAL_NAME / f"{SPECIAL_NAME}.h"
    header.write_text('#define WORDS "first"\n')
    edit(host / "src/main.c", "int main(", f'#include "{SPECIAL_NAME}/{header.name}"\nint main(')
    edit(host / "src/main.c", "    rpcmem_init();", "    puts(WORDS);\n    rpcmem_init();")
    # A library with a RUNPATH, and a command of the kind that CMake quotes the least.
    edit(
        host / "CMakeLists.txt",
        "install(",
        "add_custom_command(OUTPUT part.c COMMAND ${CMAKE_COMMAND} -E copy"
        " ${CMAKE_CURRENT_SOURCE_DIR}/part.in ${CMAKE_CURRENT_BINARY_DIR}/part.c DEPENDS part.in)\n"
        "add_library(part SHARED part.c)\n"
        "target_link_libraries(demo_main PRIVATE -Wl,--no-as-needed part)\n"
        "install(TARGETS part)\ninstall(",
    )
    (host / "part.in").write_text("int part(void);\nint part(void) { return 1; }\n")

    ran = buildtool("run", "sim", cwd=special)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.startswith("first\n")
    assert "verified against the CPU" in ran.stdout
    assert "2 steps up to date" in buildtool("build", cwd=special).stderr

    header.write_text('#define WORDS "second"\n')
    ran = buildtool("run", "sim", cwd=special)
    assert ran.stdout.startswith("second\n"), ran.stderr
