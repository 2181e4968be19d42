"""A project of one library that is quickly built, by a process of its own, and checked."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

LISTS = """cmake_minimum_required(VERSION 3.25)
project(app C)
configure_file(config.h.in config.h)
add_custom_command(OUTPUT made/made.h DEPENDS made.txt
  COMMAND ${CMAKE_COMMAND} -E make_directory made
  COMMAND ${CMAKE_COMMAND} -E copy ${CMAKE_SOURCE_DIR}/made.txt made/made.h)
add_subdirectory(sub)
add_library(app SHARED a.c ${CMAKE_BINARY_DIR}/made/made.h)
target_include_directories(app PRIVATE ${CMAKE_BINARY_DIR})
target_link_libraries(app PRIVATE sub)
install(TARGETS app LIBRARY DESTINATION lib)
install(FILES made.txt DESTINATION share/app)
"""
FILES = {
    "buildtool.toml": '[project]\nname = "app"\n\n[host.app]\nsource = "app"\n\n[target.sim]\n'
    'platform = "ubuntu-aarch64"\ntoolchain = "gcc"\n',
    "app/CMakeLists.txt": LISTS,
    "app/config.h.in": '#define CONFIGURED "configured"\n',
    "app/made.txt": '#define MADE "made"\n',
    "app/sub/CMakeLists.txt": "add_library(sub OBJECT sub.c)\n"
    "set_target_properties(sub PROPERTIES POSITION_INDEPENDENT_CODE ON)\n",
    "app/sub/sub.c": 'const char *const sub = "sub";\n',
}


@dataclass
class App:
    """The project in `root`, and the cache of whoever builds it; `prefix` is a command that runs
    buildtool."""

    root: Path
    cache: Path
    prefix: Sequence[str] = ()
    edits: int = 0

    def write(self) -> None:
        """Write the sources; no two projects of a test run have the same."""
        for name, text in FILES.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        self.edit()

    def edit(self) -> None:
        """Change a source to what it never was before."""
        self.edits += 1
        text = '#include "config.h"\n#include "made/made.h"\nconst char *const mark = "mark '
        (self.root / "app/a.c").write_text(text + f'{self.edits} " CONFIGURED " " MADE;\n')

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """`buildtool ARGUMENTS...` in the project."""
        done = subprocess.run(
            [*self.prefix, sys.executable, "-P", "-m", "buildtool", *arguments],
            cwd=self.root,
            env={**os.environ, "BUILDTOOL_CACHE": str(self.cache)},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=120,  # what waits for a pipe does not end
            check=False,
        )
        said = done.stdout + done.stderr
        assert "Traceback" not in said, said
        assert "internal error" not in said, said
        return done

    def build(self) -> str:
        """Build, and check what came out; returns what was said."""
        done = self.run("build")
        assert done.returncode == 0, done.stderr
        made = (self.root / ".buildtool/stage/sim/lib/libapp.so").read_bytes()
        assert f"mark {self.edits} configured made".encode() in made
        return done.stderr

    def fails(self, *arguments: str) -> str:
        """Run what must end in an error; returns that."""
        done = self.run(*(arguments or ("build",)))
        assert done.returncode == 1, done.stderr
        assert done.stderr.startswith("error: ") or "\nerror: " in done.stderr, done.stderr
        return done.stderr[done.stderr.index("error: ") :]

    @property
    def tree(self) -> Path:
        """The library's build tree."""
        (cache,) = (self.root / ".buildtool/build/app").glob("*/CMakeCache.txt")
        return cache.parent
