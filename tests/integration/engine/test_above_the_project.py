"""Inputs above the project: they are those of the clone that is built, wherever another one is."""

from __future__ import annotations

import os
import shutil
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


def repository(root: Path, lists: str, source: str) -> Marked:
    """The project in a folder of a directory, which need not be a repository."""
    app = Marked(root / "app")
    app.project()
    app.lists(lists)
    app.write("app/a.c", source)
    app.write("../part/CMakeLists.txt", PART)
    return app


def copied(app: Marked, root: Path) -> Marked:
    """A copy of the whole directory, without what was built."""
    shutil.copytree(app.root.parent, root, ignore=shutil.ignore_patterns(".buildtool"))
    return Marked(root / app.root.name)


@pytest.mark.parametrize("kind", KINDS)
def test_a_clone_is_built_with_its_own_file(kind: str, tmp_path: Path) -> None:
    lists, source, file, content = KINDS[kind]
    first = repository(tmp_path / "one", lists, source)
    first.cache = share(tmp_path / "cache")
    first.write(f"../{file}", content.replace("X", "first"))
    assert first.outcome() == "built"
    assert first.has("first")
    equal, other = copied(first, tmp_path / "two"), copied(first, tmp_path / "deep/down/three")
    equal.cache = other.cache = first.cache
    other.write(f"../{file}", content.replace("X", "other"))

    assert equal.outcome() == "restored"
    assert other.outcome() == "built"
    assert other.has("other")
    assert first.outcome() == other.outcome() == "up-to-date"
    other.write(f"../{file}", content.replace("X", "first"))
    first.write(f"../{file}", content.replace("X", "other"))
    assert first.outcome() == other.outcome() == "restored"
    assert first.has("other")
    assert other.has("first")


def test_a_file_that_is_named_by_its_absolute_path(tmp_path: Path) -> None:
    """A copy of the whole workspace reads the file of the first one, which has changed since."""
    first = repository(tmp_path / "one", "", "int nothing;\n")
    first.cache = share(tmp_path / "cache")
    first.write("../x.txt", "mark: first.")
    first.lists(f"install(FILES {tmp_path}/one/x.txt DESTINATION lib)\n")
    assert first.outcome() == "built"
    copy = copied(first, tmp_path / "two")
    copy.cache = first.cache
    assert copy.outcome() == "restored"
    first.write("../x.txt", "mark: other.")

    assert copy.outcome() == "built"
    assert copy.has("other")


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
    other.cache, other.variables = first.cache, first.variables
    (tmp_path / "programs").mkdir()
    (tmp_path / "programs/our-tool").write_text("#!/bin/sh\n")
    (tmp_path / "programs/our-tool").chmod(0o755)

    assert other.outcome() == "built"
    assert other.has(f"{tmp_path}/programs/our-tool")
