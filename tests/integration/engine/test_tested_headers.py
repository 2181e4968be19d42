"""A header that a condition tests, or that would be found earlier, is an input while absent."""

from __future__ import annotations

import itertools
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from tests.caches import share
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
    """A project of `files`, which was built, and another clone of it, whose cache is a copy."""

    project: Project
    clone: Project
    files: dict[str, str]


@pytest.fixture(scope="module")
def built_once(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Built]:
    """The project that is built with a toolchain, which is the same one for all tests."""
    return cache(lambda toolchain: build(tmp_path_factory.mktemp("tested"), toolchain))


def build(place: Path, toolchain: str) -> Built:
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
    clone = Project(place / "another clone", share(place / "another cache"))
    shutil.copytree(project.cache / "actions", clone.cache / "actions", dirs_exist_ok=True)
    return Built(project, clone, files)


def remove(path: Path) -> None:
    """Remove a file, and the directories in which nothing else is: they may be inputs too."""
    path.unlink()
    for folder in itertools.takewhile(lambda folder: not any(folder.iterdir()), path.parents):
        folder.rmdir()


# Clang reports a tested file that exists, GCC does not; GCC 12 has no #embed.
CASES = [
    *(("gcc", name) for name in (TESTS | OTHERS).values()),
    *(("zig", name) for name in [*EMBEDDED.values(), *TESTS.values()][:4]),
]


@pytest.mark.parametrize(("toolchain", "name"), CASES)
def test_a_file_that_appears_counts_and_one_that_disappears(
    built_once: Callable[[str], Built], toolchain: str, name: str
) -> None:
    built = built_once(toolchain)
    project = built.project
    before = project.release_files()
    text = "int appeared;\n" if name.endswith("forced.h") else "1"
    clone = built.clone
    clone.forget()  # so that only the cache and the build tree are known there
    clone.lay_out({**built.files, name: text})

    assert clone.build_here() == {"host/app": "built"}
    after = clone.release_files()
    assert after != before
    project.write(name, text)
    assert project.build_here() == {"host/app": "built"}
    assert project.release_files() == after

    remove(project.root / name)
    assert project.build_here() == {"host/app": "restored"}
    assert project.release_files() == before
    assert project.build_here() == {"host/app": "up-to-date"}
