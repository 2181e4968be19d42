"""A header that a condition tests, or that would be found earlier, is an input while absent."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.caches import empty, share
from tests.project import Project

LISTS = """cmake_minimum_required(VERSION 3.25)
project(app C)
add_library(app SHARED a.c)
target_include_directories(app PRIVATE first second third)
target_compile_definitions(app PRIVATE NAMED="cfg/by_option.h")
target_compile_options(app PRIVATE -include forced.h {options})
install(TARGETS app LIBRARY DESTINATION lib)
"""
EMBED = "-std=c23;--embed-dir=${CMAKE_SOURCE_DIR}/e1;--embed-dir=${CMAKE_SOURCE_DIR}/e2"
TESTS = {
    '"quoted.h"': "app/first/quoted.h",
    "<angle.h>": "app/second/angle.h",
    '/* it may */ "beside.h"': "app/beside.h",
    '"no/such/deep.h"': "app/first/no/such/deep.h",
    '"../up.h"': "app/up.h",
    '"sub/../../far.h"': "app/far.h",
    "NAMED": "app/second/cfg/by_option.h",
    "BY_MACRO": "app/first/by_macro.h",
    "TEXT(any/thing.h)": "app/first/any/thing.h",
}
"""What `__has_include` tests → a file that it would find."""
OTHERS = {
    "the operand of a wrapper": "app/first/wrapped.h",
    "the operand of another name": "app/first/other_name.h",
    "in a header": "app/second/sub/inner_beside.h",
    "a header after this one": "app/third/next.h",
    "an earlier header of -include": "app/first/forced.h",
}
EMBEDDED = {
    "a tested resource": "app/e1/tested.bin",
    "an earlier resource": "app/e1/found.bin",
}
SOURCE = """#include <sub/inner.h>
#define BY_MACRO NAME_IN_HEADER
#define WORDS(x) #x
#define TEXT(x) WORDS(x)
#define HAS(x, y) (x && __has_include(y))
#define OTHER_NAME __has_include
"""
FILES = {
    "app/first/keep": "",
    "app/second/sub/inner.h": '#define NAME_IN_HEADER "by_macro.h"\n'
    '#if __has_include("inner_beside.h")\nint inner_beside;\n#endif\n'
    "#if __has_include_next(<next.h>)\nint next_header;\n#endif\n",
    "app/second/forced.h": "int forced_second;\n",
    "app/e2/found.bin": "2",
}


@dataclass
class Built:
    """A project of `files` below `place`, which was built."""

    project: Project
    place: Path
    files: dict[str, str]


@pytest.fixture(scope="module")
def built(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Built:
    toolchain = request.param
    place = tmp_path_factory.mktemp("tested")
    source = SOURCE
    for number, tested in enumerate(TESTS):
        source += f"#if __has_include({tested})\nint tested_{number};\n#endif\n"
    source += "#if HAS(1, <wrapped.h>)\nint wrapped;\n#endif\n"
    source += '#if OTHER_NAME("other_name.h")\nint other_name;\n#endif\n'
    options = ""
    if toolchain == "zig":  # GCC 12 has no #embed
        options = EMBED
        source += '#if __has_embed("tested.bin")\nint tested_resource;\n#endif\n'
        source += 'const char found[] = {\n#embed "found.bin"\n};\n'
    project = Project(place / "clone", share(place / "cache"))
    files = {
        **FILES,
        "app/a.c": source,
        "app/CMakeLists.txt": LISTS.format(options=f'"{options}"'),
        "buildtool.toml": '[project]\nname = "app"\n[host.app]\nsource = "app"\n[target.sim]\n'
        f'platform = "ubuntu-aarch64"\ntoolchain = "{toolchain}"\n',
    }
    project.lay_out(files)
    assert project.build_here() == {"host/app": "built"}
    assert project.build_here() == {"host/app": "up-to-date"}
    return Built(project, place, files)


# Clang reports a tested file that exists, GCC does not; GCC 12 has no #embed.
CASES = [
    *(("gcc", name) for name in (TESTS | OTHERS).values()),
    *(("zig", name) for name in [*EMBEDDED.values(), *TESTS.values()][:4]),
]


@pytest.mark.parametrize(("built", "name"), CASES, indirect=["built"])
def test_a_file_that_appears_counts_and_one_that_disappears(built: Built, name: str) -> None:
    project = built.project
    before = project.release_files()
    text = "int appeared;\n" if name.endswith("forced.h") else "1"
    clone = Project(built.place / "another clone", project.cache)
    clone.lay_out({**built.files, name: text})

    assert clone.build_here() == {"host/app": "built"}
    after = clone.release_files()
    assert after != before
    empty(project.cache)
    project.write(name, text)
    assert project.build_here() == {"host/app": "built"}
    assert project.release_files() == after

    (project.root / name).unlink()
    assert project.build_here() == {"host/app": "built"}
    assert project.release_files() == before
    assert project.build_here() == {"host/app": "up-to-date"}
