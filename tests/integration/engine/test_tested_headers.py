"""A header that a condition tests, or that would be found earlier, is an input while absent."""

from __future__ import annotations

import itertools
import shutil
from pathlib import Path

import pytest

from tests.caches import share
from tests.project import Project

LISTS = """cmake_minimum_required(VERSION 3.25)
project(app C)
add_library(app SHARED {sources})
target_include_directories(app PRIVATE first second third)
target_compile_definitions(app PRIVATE NAMED="cfg/by_option.h")
target_compile_options(app PRIVATE {options})
set_source_files_properties(forced.c PROPERTIES COMPILE_OPTIONS "-include;forced.h")
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
MACROS = """#include <sub/name.h>
#define BY_MACRO NAME_IN_HEADER
#define WORDS(x) #x
#define TEXT(x) WORDS(x)
"""
OTHERS = {
    "app/first/wrapped.h": "#define HAS(x, y) (x && __has_include(y))\n"
    "#if HAS(1, <wrapped.h>)\nint wrapped;\n#endif\n",
    "app/first/other_name.h": "#define OTHER_NAME __has_include\n"
    '#if OTHER_NAME("other_name.h")\nint other_name;\n#endif\n',
    "app/second/sub/inner_beside.h": "#include <sub/inner.h>\n",
    "app/third/next.h": "#include <sub/outer.h>\n",
    "app/first/forced.h": "",
}
"""A file that would be found → the source that looks for it in another way."""
EMBEDDED = {
    "app/e1/tested.bin": '#if __has_embed("tested.bin")\nint tested_resource;\n#endif\n',
    "app/e1/found.bin": 'const char found[] = {\n#embed "found.bin"\n};\n',
}
"""The same, of resources; GCC 12 has no #embed."""
FILES = {
    **{f"app/{name}/keep": "" for name in ("first", "third", "e1")},
    "app/second/sub/name.h": '#define NAME_IN_HEADER "by_macro.h"\n',
    "app/second/sub/inner.h": '#if __has_include("inner_beside.h")\nint inner_beside;\n#endif\n',
    "app/second/sub/outer.h": "#if __has_include_next(<next.h>)\nint next_header;\n#endif\n",
    "app/second/forced.h": "int forced_second;\n",
    "app/e2/found.bin": "2",
}


def sources(toolchain: str) -> dict[str, str]:
    """For each file that may appear the source that depends on it, a source of its own."""
    tests = {
        name: f"{MACROS}#if __has_include({tested})\nint tested_{number};\n#endif\n"
        for number, (tested, name) in enumerate(TESTS.items())
    }
    # Clang reports a tested file that exists, GCC does not.
    return {**EMBEDDED, **dict([*tests.items()][:2])} if toolchain == "zig" else {**tests, **OTHERS}


def project_of(toolchain: str) -> dict[str, str]:
    """The files of a project of these sources."""
    named = {f"{Path(name).stem}.c": text for name, text in sources(toolchain).items()}
    return {
        **FILES,
        **{f"app/{name}": text for name, text in named.items()},
        "app/CMakeLists.txt": LISTS.format(
            sources=" ".join(named),
            options=f'"{EMBED}"' if toolchain == "zig" else "",
        ),
        "buildtool.toml": '[project]\nname = "app"\n[host.app]\nsource = "app"\n[target.sim]\n'
        f'platform = "ubuntu-aarch64"\ntoolchain = "{toolchain}"\n',
    }


def remove(path: Path) -> None:
    """Remove a file, and the directories in which nothing else is: they may be inputs too."""
    path.unlink()
    for folder in itertools.takewhile(lambda folder: not any(folder.iterdir()), path.parents):
        folder.rmdir()


def differs(project: Project, *, known: bool = True) -> set[str]:
    """The inputs that make the next build compile; `known`: since the last build here, not since
    the most similar result of the cache."""
    step = project.explain_here()["host/app"]
    if step.outcome != "built":
        return set()
    return {reason.name for reason in (step.reasons if known else step.nearest)}


@pytest.mark.parametrize("toolchain", ["gcc", pytest.param("zig", marks=pytest.mark.long)])
def test_a_file_that_appears_counts_and_one_that_disappears(toolchain: str, tmp_path: Path) -> None:
    files = project_of(toolchain)
    texts = dict.fromkeys(sources(toolchain), "1")
    texts |= {name: "int appeared;\n" for name in texts if name.endswith("forced.h")}
    project = Project(tmp_path / "clone", share(tmp_path / "cache"))
    project.lay_out(files)
    assert project.build_here() == {"host/app": "built"}
    before = project.release_files()
    clone = Project(tmp_path / "another clone", share(tmp_path / "another cache"))
    shutil.copytree(project.cache / "actions", clone.cache / "actions", dirs_exist_ok=True)
    clone.lay_out(files)
    assert clone.explain_here()["host/app"].outcome == "restored"

    for name, text in texts.items():
        for here, known in ((project, True), (clone, False)):
            here.write(name, text)
            assert f"{{project}}/{name}" in differs(here, known=known)
            remove(here.root / name)
    assert project.build_here() == {"host/app": "up-to-date"}

    for here in (project, clone):
        here.lay_out({**files, **texts})
        assert here.build_here() == {"host/app": "built"}
    assert project.release_files() == clone.release_files()  # the one of a build from scratch
    for name, text in texts.items():
        remove(project.root / name)
        assert f"{{project}}/{name}" in differs(project)
        project.write(name, text)

    for name in texts:
        remove(project.root / name)
    assert project.build_here() == {"host/app": "restored"}
    assert project.release_files() == before
    assert project.build_here() == {"host/app": "up-to-date"}
