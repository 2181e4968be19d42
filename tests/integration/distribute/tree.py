"""A project of many sources on both sides, which a test builds here and on other machines."""

from __future__ import annotations

import os
from pathlib import Path

from buildtool.core.files import file_digest
from tests.caches import SLOW, empty, share
from tests.integration.distribute.daemons import Farm
from tests.project import Project

_CMAKE = """cmake_minimum_required(VERSION 3.25)
project({name} LANGUAGES {languages})
file(WRITE ${{CMAKE_BINARY_DIR}}/generated/made.c "int {name}_made(void) {{ return SCALE; }}\\n")
add_library({name} SHARED {sources} ${{CMAKE_BINARY_DIR}}/generated/made.c)
target_compile_definitions({name} PRIVATE SCALE=3 "TEXT=\\"a b\\"")
target_include_directories({name} PRIVATE ../include)
install(TARGETS {name} LIBRARY DESTINATION {place})
"""
_HEADER = """#pragma once
#define TWICE(x) ((x) + (x))
static inline int line(int from) { return TWICE(from) + __LINE__; }
"""
_C = """#include <common.h>
#include <string.h>
const char *{name}_text(void) {{ return __FILE__ TEXT; }}
int {name}(const char *s) {{ return TWICE((int)strlen(s)) + line({number}) * SCALE; }}
"""
_CXX = """#include <common.h>
#include <string>
#include <vector>
int {name}(const char *s) {{
    std::vector<std::string> all(TWICE(2), s);
    return line((int)all.size()) * SCALE + {number};
}}
"""
_ENTRY = "\nint work_skel_handle_invoke(int h, int s, void *p) { return h + s + !p; }\n"


class Tree(Project):
    """`sources` sources on each side, of which on the ARM64 side every fourth is C++."""

    @classmethod
    def make(cls, root: Path, sources: int, toolchain: str = "zig", target: str = "") -> Tree:
        tree = cls(root / "my tree", share(root / "cache", (*SLOW, "distribute")))
        tree.write("include/common.h", _HEADER)
        names = {"host": "app", "dsp": "work"}
        for folder, name in names.items():
            cxx = [folder == "host" and number % 4 == 3 for number in range(sources)]
            files = [f"s{number}.{'cpp' if is_cxx else 'c'}" for number, is_cxx in enumerate(cxx)]
            for number, (file, is_cxx) in enumerate(zip(files, cxx, strict=True)):
                text = (_CXX if is_cxx else _C).format(name=f"{name}{number}", number=number)
                entry = _ENTRY if folder == "dsp" and not number else ""
                tree.write(f"{folder}/{file}", text + entry)
            cmake = _CMAKE.format(
                name=name,
                languages="C CXX" if folder == "host" else "C",
                sources=" ".join(files),
                place="lib" if folder == "host" else ".",
            )
            tree.write(f"{folder}/CMakeLists.txt", cmake)
        tree.write(
            "buildtool.toml",
            '[project]\nname = "spread"\n[host.app]\nsource = "host"\n'
            '[skel.work]\nsource = "dsp"\n[target.sim]\narchs = ["v68"]\n'
            + (target or f'platform = "ubuntu-aarch64"\ntoolchain = "{toolchain}"\n'),
        )
        return tree

    def objects(self) -> dict[str, str]:
        """The digests of all objects of both sides, by path."""
        root = self.root / ".buildtool/build"
        found = [path for path in root.rglob("CMakeFiles/*.dir/**/*.o*") if path.suffix != ".d"]
        return {str(path.relative_to(root)): file_digest(path) for path in found}

    def compile(self, *options: str) -> dict[str, str]:
        """Build, which must compile everything; returns `objects`."""
        assert set(self.build("sim", *options).values()) == {"built"}
        return self.objects()

    def compile_first(self, *options: str) -> dict[str, str]:
        """`compile`; the next build compiles everything again."""
        made = self.compile(*options)
        self.succeeds("clean", "--all")
        empty(self.cache)
        return made

    def is_up_to_date_here(self) -> bool:
        """Whether a build on this machine alone has nothing to do: no key of a step differs."""
        self.prefix, self.variables = (), {}
        return set(self.build().values()) == {"up-to-date"}

    def step_logs(self) -> str:
        """The logs of the steps of the last build."""
        return "".join(
            log.read_text() for log in (self.root / ".buildtool/state/logs").glob("*.log")
        )

    def use(self, farm: Farm) -> None:
        """Run later commands on the client of `farm`, with its hosts."""
        self.prefix = farm.prefix()
        self.variables = {**farm.variables, "BUILDTOOL_LAUNCHER": farm.launcher}

    def archives(self, engine: str) -> list[Path]:
        """What `profile --distribute` writes."""
        lines = self.succeeds("profile", "--distribute", engine).splitlines()
        return [Path(line) for line in lines if line.startswith(os.sep)]
