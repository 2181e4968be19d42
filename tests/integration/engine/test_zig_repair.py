"""zig keeps failing when its cache lacks an output that it lists; a build repairs the cache."""

from __future__ import annotations

import shutil
from pathlib import Path

from tests.caches import share
from tests.project import Project

FILES = {
    "buildtool.toml": '[project]\nname = "kept"\n[host.app]\nsource = "app"\n'
    '[target.sim]\nplatform = "ubuntu-aarch64"\n',
    # Without a dependency file zig caches what it compiles, as it does for its own libraries.
    "app/CMakeLists.txt": """cmake_minimum_required(VERSION 3.25)
project(app NONE)
add_custom_command(OUTPUT kept.o DEPENDS kept.c COMMAND ${CMAKE_C_COMPILER}
  -target aarch64-linux-gnu.2.35 -c ${CMAKE_SOURCE_DIR}/kept.c -o kept.o)
add_custom_target(kept ALL DEPENDS kept.o)
install(FILES ${CMAKE_BINARY_DIR}/kept.o DESTINATION share)
""",
    "app/kept.c": "int kept;\n",
}


def test_outputs_that_are_missing(tmp_path: Path) -> None:
    project = Project(tmp_path / "a project", share(tmp_path / "cache", ["toolchains"]))
    project.lay_out(FILES)
    assert project.build() == {"host/app": "built"}
    (made,) = project.cache.glob("zig/o/*/kept.o")
    made.unlink()
    shutil.rmtree(project.root / ".buildtool")
    shutil.rmtree(project.cache / "actions")

    assert project.build() == {"host/app": "built"}
    (made,) = project.cache.glob("zig/o/*/kept.o")
    assert made.stat().st_size
