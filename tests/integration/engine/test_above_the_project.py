"""Inputs above the project: they are those of the clone that is built, wherever another one is."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.caches import share
from tests.integration.engine.marked import Marked, marked

UP = "${CMAKE_CURRENT_SOURCE_DIR}/../.."
DEFINE = 'target_compile_definitions(app PRIVATE "MARK=${MARK}")\n'
TEXT = """#define TEXT(x) #x
#define OF(x) TEXT(x)
const char *const mark = "mark: " OF(MARK) ".";
"""
KINDS: Mapping[str, tuple[str, str, str, str]] = {
    "header": ("", '#include "../../top.h"\n', "top.h", marked("X")),
    "header of an include directory": (
        f"target_include_directories(app PRIVATE {UP}/common)\n",
        "#include <top.h>\n",
        "common/top.h",
        marked("X"),
    ),
    "include()": (f"include({UP}/x.cmake)\n{DEFINE}", TEXT, "x.cmake", "set(MARK X)\n"),
    "add_subdirectory()": (
        f"add_subdirectory({UP}/part part)\ntarget_link_libraries(app PRIVATE part)\n",
        "extern const char *const mark; const char *const *here = &mark;\n",
        "part/part.c",
        marked("X"),
    ),
    "file(READ)": (f"file(READ {UP}/x.txt MARK)\n{DEFINE}", TEXT, "x.txt", "X"),
    "find_file()": (
        f"find_file(FILE x.txt PATHS {UP}/data NO_DEFAULT_PATH NO_CMAKE_FIND_ROOT_PATH)\n"
        f'file(READ "${{FILE}}" MARK)\n{DEFINE}',
        TEXT,
        "data/x.txt",
        "X",
    ),
    "install(FILES)": (
        f"install(FILES {UP}/x.txt DESTINATION lib)\n",
        "int nothing;\n",
        "x.txt",
        "mark: X.",
    ),
    "file(GLOB)": (
        f"file(GLOB MARK RELATIVE {UP}/parts {UP}/parts/*)\n{DEFINE}",
        TEXT,
        "parts/X",
        "",
    ),
    "an include of an IDL file": (
        "find_package(Buildtool REQUIRED)\nbuildtool_add_stub(stub IDL calc.idl)\n"
        "target_link_libraries(app PRIVATE stub)\n",
        f'#include "calc.h"\n{TEXT.replace("MARK", "calc_MOST")}',
        "types.idl",
        "const long VALUE = X;\n",
    ),
    "a file that a program reads": (
        f"execute_process(COMMAND cat x.txt WORKING_DIRECTORY {UP} OUTPUT_VARIABLE MARK)\n{DEFINE}",
        TEXT,
        "x.txt",
        "X",
    ),
    "configure_file()": (
        f"configure_file({UP}/x.h.in x.h)\ntarget_include_directories(app PRIVATE"
        " ${CMAKE_CURRENT_BINARY_DIR})\n",
        '#include "x.h"\n',
        "x.h.in",
        marked("X"),
    ),
}
PART = (
    "add_library(part STATIC part.c)\n"
    "set_target_properties(part PROPERTIES POSITION_INDEPENDENT_CODE ON)\n"
)


IDL = (
    '#include "../../types.idl"\ninterface calc { const long MOST = VALUE; long f(in long x); };\n'
)


def repository(root: Path, lists: str, source: str) -> Marked:
    """The project in a folder of a directory, which need not be a repository."""
    app = Marked(root / "app")
    app.project('inputs = ["../x.txt"]')
    app.lists(lists)
    app.write("app/a.c", source)
    app.write("app/calc.idl", IDL)
    app.write("../part/CMakeLists.txt", PART)
    return app


def copied(app: Marked, root: Path) -> Marked:
    """A copy of the whole directory, without what was built."""
    shutil.copytree(
        app.root.parent, root, symlinks=True, ignore=shutil.ignore_patterns(".buildtool")
    )
    return Marked(root / app.root.name, app.cache)


def put(app: Marked, kind: str, mark: str) -> None:
    """Write the file above the project with this mark, in place of that with another one."""
    *_, file, content = KINDS[kind]
    for other in ("101", "202"):
        (app.root.parent / file.replace("X", other)).unlink(missing_ok=True)
    app.write(f"../{file.replace('X', mark)}", content.replace("X", mark))


LONG = ("header of an include directory", "find_file()", "configure_file()")


@pytest.mark.parametrize(
    "kind", [pytest.param(k, marks=pytest.mark.long if k in LONG else ()) for k in KINDS]
)
def test_a_clone_is_built_with_its_own_file(kind: str, tmp_path: Path) -> None:
    lists, source, _, _ = KINDS[kind]
    first = repository(tmp_path / "one", lists, source)
    first.cache = share(tmp_path / "cache")
    put(first, kind, "101")
    assert first.outcome() == "built"
    assert first.has("101")
    equal, other = copied(first, tmp_path / "two"), copied(first, tmp_path / "deep/down/three")
    put(other, kind, "202")

    assert equal.outcome() == "restored"
    assert other.outcome() == "built"
    assert other.has("202")
    assert first.outcome() == other.outcome() == "up-to-date"
    put(other, kind, "101")
    put(first, kind, "202")
    assert first.outcome() == other.outcome() == "restored"
    assert first.has("202")
    assert other.has("101")


INCLUDES = f"target_include_directories(app PRIVATE {UP}/first {UP}/second)\n"
APPEARS: Mapping[str, tuple[str, str, str]] = {
    "first/top.h": (INCLUDES, "#include <top.h>\n", marked("202")),
    "second/other.h": (
        INCLUDES,
        '#if __has_include("other.h")\n#include <other.h>\n#else\n#include <top.h>\n#endif\n',
        marked("202"),
    ),
    "pkgs/lib/cmake/Foo/FooConfig.cmake": (
        f"{INCLUDES}find_package(Foo CONFIG PATHS {UP}/pkgs NO_CMAKE_FIND_ROOT_PATH)\n",
        '#ifdef FOO\nconst char *const mark = "mark: 202.";\n#else\n#include <top.h>\n#endif\n',
        "add_compile_definitions(FOO)\nadd_library(Foo INTERFACE)\n"
        "set_property(TARGET app APPEND PROPERTY COMPILE_DEFINITIONS FOO)\n",
    ),
}
"""A file that only the second clone has: CMakeLists.txt, source, content."""


@pytest.mark.parametrize("file", APPEARS)
def test_a_file_that_only_another_clone_has(file: str, tmp_path: Path) -> None:
    lists, source, content = APPEARS[file]
    first = repository(tmp_path / "one", lists, source)
    first.cache = share(tmp_path / "cache")
    first.write("../second/top.h", marked("101"))
    assert first.outcome() == "built"
    second = copied(first, tmp_path / "two")
    second.write(f"../{file}", content)
    assert second.outcome() == "built"
    assert second.has("202")
    first.write(f"../{file}", content)
    assert first.outcome() == "restored"
    assert first.has("202")


ABSOLUTE: Mapping[str, tuple[str, str]] = {
    "CMakeLists.txt": ("target_include_directories(app PRIVATE {})\n", "#include <top.h>\n"),
    "a source": ("", '#include "{}/top.h"\n'),
    "a definition": (
        "target_include_directories(app PRIVATE ${{WHERE}})\n",
        "#include <top.h>\n",
    ),
}


@pytest.mark.parametrize("spelled", ABSOLUTE)
def test_a_file_that_is_named_by_its_absolute_path(spelled: str, tmp_path: Path) -> None:
    """A copy of the whole workspace reads the file of the first one, which has changed since."""
    place = tmp_path / "one/common"
    lists, source = (text.format(place) for text in ABSOLUTE[spelled])
    first = repository(tmp_path / "one", lists, source)
    first.project(f'defines = {{ WHERE = "{place}" }}' if spelled == "a definition" else "")
    first.cache = share(tmp_path / "cache")
    first.write("../common/top.h", marked("101"))
    assert first.outcome() == "built"
    copy = copied(first, tmp_path / "two")
    assert copy.outcome() == "restored"
    first.write("../common/top.h", marked("202"))
    (copy.root / ".buildtool/state").rename(tmp_path / "state")

    assert copy.outcome() == "built"
    assert copy.has("202")


def test_a_program_that_appears_in_a_directory_of_path(tmp_path: Path) -> None:
    """The directory is at another place relative to a clone that is not as deep."""
    first = repository(
        tmp_path / "deep/one",
        "find_program(TOOL our-tool NO_CMAKE_FIND_ROOT_PATH)\n"
        'file(CONFIGURE OUTPUT x.h CONTENT "const char *const mark = \\"mark: ${TOOL}.\\";\\n")\n'
        "target_include_directories(app PRIVATE ${CMAKE_CURRENT_BINARY_DIR})\n",
        '#include "x.h"\n',
    )
    first.cache = share(tmp_path / "cache")
    first.variables["PATH"] = f"{tmp_path}/programs:{os.environ['PATH']}"
    assert first.outcome() == "built"
    assert first.has("TOOL-NOTFOUND")
    other = copied(first, tmp_path / "two")
    other.variables = first.variables
    (tmp_path / "programs").mkdir()
    (tmp_path / "programs/our-tool").write_text("#!/bin/sh\n")
    (tmp_path / "programs/our-tool").chmod(0o755)

    assert other.outcome() == "built"
    assert other.has(f"{tmp_path}/programs/our-tool")


def git(folder: Path, *arguments: str) -> None:
    identity = ("-c", "user.name=T", "-c", "user.email=t@localhost")
    options = (*identity, "-c", "protocol.file.allow=always", "-c", "init.defaultBranch=main")
    subprocess.run(["git", "-C", str(folder), *options, *arguments], check=True)


VERSION = (
    "execute_process(COMMAND git describe --tags --always WORKING_DIRECTORY"
    " ${CMAKE_CURRENT_SOURCE_DIR} OUTPUT_VARIABLE MARK OUTPUT_STRIP_TRAILING_WHITESPACE)\n"
)


def test_the_version_of_a_linked_worktree(tmp_path: Path) -> None:
    first = repository(tmp_path / "one", VERSION + DEFINE, TEXT)
    first.cache = share(tmp_path / "cache")
    first.project('inputs = ["../.git", "../.git/HEAD", "../.git/packed-refs", "../.git/refs/**"]')
    first.write(".gitignore", ".buildtool\n")
    git(first.root.parent, "init", "-q")
    git(first.root.parent, "add", "-A")
    git(first.root.parent, "commit", "-qm", "one")
    git(first.root.parent, "tag", "1.0")
    assert first.outcome() == "built"
    assert first.has("1.0")
    git(first.root.parent, "commit", "-qm", "two", "--allow-empty")
    git(first.root.parent, "tag", "2.0")
    git(first.root.parent, "worktree", "add", "-q", str(tmp_path / "two"))
    linked = Marked(tmp_path / "two/app", first.cache)

    assert first.outcome() == "built"
    assert first.has("2.0")
    assert linked.outcome() == "built"
    assert linked.has("2.0")
    assert linked.outcome() == "up-to-date"


def test_a_project_in_a_submodule(tmp_path: Path) -> None:
    """What is above the submodule belongs to the repository that has it."""
    lists, source, _, _ = KINDS["header"]
    library = repository(tmp_path / "library", lists, source.replace("../..", "../../.."))
    library.write(".gitignore", ".buildtool\n")
    git(library.root.parent, "init", "-q")
    git(library.root.parent, "add", "-A")
    git(library.root.parent, "commit", "-qm", "one")
    clones, cache = [], share(tmp_path / "cache")
    for name, mark in (("one", "101"), ("two", "202"), ("three", "101")):
        top = tmp_path / name
        top.mkdir()
        git(top, "init", "-q")
        git(top, "submodule", "--quiet", "add", str(library.root.parent), "library")
        (top / "top.h").write_text(marked(mark))
        clones.append(Marked(top / "library/app", cache))
    assert [clone.outcome() for clone in clones] == ["built", "built", "restored"]
    assert [clone.has("101") for clone in clones] == [True, False, True]


def test_the_path_of_a_source_above_the_project(tmp_path: Path) -> None:
    """It is in no output; an output that has it anyway is right in one clone only."""
    lists, _, _, _ = KINDS["add_subdirectory()"]
    first = repository(tmp_path / "one", lists, "extern char *file; char **here = &file;\n")
    first.cache = share(tmp_path / "cache")
    first.write("../part/part.c", 'const char *file = "mark: " __FILE__ ".";\n')
    assert first.outcome() == "built"
    assert first.has("../part/part.c")
    second = copied(first, tmp_path / "two")
    assert second.outcome() == "restored"
    for clone in (first, second):
        clone.edit(
            "app/CMakeLists.txt",
            "add_subdirectory",
            "get_filename_component(TOP"
            f" {UP} ABSOLUTE)\nadd_compile_definitions(MARK=${{TOP}})\nadd_subdirectory",
        )
        clone.write("../part/part.c", TEXT.replace("mark ", "file "))
    assert first.outcome() == second.outcome() == "built"
    assert first.has(f"{tmp_path}/one")
    assert second.has(f"{tmp_path}/two")


def test_other_paths_in_an_output(tmp_path: Path) -> None:
    """As those of zig's cache in the home directory, which is above most projects."""
    names = ("one/.cache/zig/crt1.c", "one/other/a.c", "one-more", "one2")
    paths = ", ".join(f'"{tmp_path}/{name}"' for name in names)
    lists, _, _, _ = KINDS["header"]
    source = f'#include "../../top.h"\nconst char *const paths[] = {{{paths}}};\n'
    first = repository(tmp_path / "one", lists, source)
    first.cache = share(tmp_path / "cache")
    put(first, "header", "101")
    assert first.outcome() == "built"
    assert copied(first, tmp_path / "two").outcome() == "restored"


def test_reasons_name_files_relative_to_the_project(tmp_path: Path) -> None:
    lists, source, _, _ = KINDS["header"]
    app = repository(tmp_path / "one", lists, source)
    put(app, "header", "101")
    assert app.outcome() == "built"
    put(app, "header", "202")
    assert "\n    ../top.h changed: " in app.why()


def test_a_link_to_a_directory_above_the_project(tmp_path: Path) -> None:
    """GCC reports the shorter real path of a system header."""
    link = "a_link_with_a_long_name_to_a_directory"
    lists = f"target_include_directories(app SYSTEM PRIVATE {link})\n"
    first = repository(tmp_path / "one", lists, "#include <top.h>\n")
    first.cache = share(tmp_path / "cache")
    for folder in ("common", "other"):
        first.write(f"../{folder}/top.h", marked(folder))
    (first.root / "app" / link).symlink_to("../../common")
    assert first.outcome() == "built"
    second = copied(first, tmp_path / "two")
    (second.root / "app" / link).unlink()
    (second.root / "app" / link).symlink_to("../../other")
    assert second.outcome() == "built"
    assert second.has("other")
