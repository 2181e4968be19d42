"""Stale outputs that Ninja alone would keep."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.integration.engine.marked import HEAD, LIBRARY, Marked, marked

DURING = (  # an edit while the linker runs
    "add_custom_command(TARGET app PRE_LINK COMMAND ${{CMAKE_COMMAND}} -E {command}"
    " WORKING_DIRECTORY ${{CMAKE_SOURCE_DIR}})\n"
)


@pytest.fixture
def app(tmp_path: Path) -> Marked:
    app = Marked(tmp_path / "a project")
    app.project()
    app.write("app/a.c", marked("one"))
    app.lists()
    return app


def test_other_targets(app: Marked) -> None:
    app.lists("add_library(other SHARED b.c)\n")
    app.write("app/b.c", marked("one"))
    for name in ("app", "other"):
        app.project(f'install = false\ntargets = ["{name}"]\nartifacts = ["*.so"]\n')
        assert app.outcome() == "built"
    assert [file.name for file in (app.release() / "lib").iterdir()] == ["libother.so"]

    app.write("app/b.c", marked("two"))
    assert app.outcome() == "built"
    assert app.has("two")


def test_an_input_that_is_declared_after_it_has_changed(app: Marked) -> None:
    app.lists(
        "add_custom_command(OUTPUT gen.c COMMAND ${CMAKE_COMMAND} -E copy"
        " ${CMAKE_SOURCE_DIR}/tag gen.c)\n",
        sources="gen.c",
    )
    app.write("app/tag", marked("one"))
    app.outcome()
    app.write("app/tag", marked("two"))
    assert app.outcome() == "up-to-date"

    app.project('inputs = ["app/tag"]')
    assert app.outcome() == "built"
    assert app.has("two")


def test_a_file_that_a_glob_matches_since_a_tree_was_configured(app: Marked) -> None:
    app.write(
        "app/CMakeLists.txt", HEAD + "file(GLOB all *.c)\n" + LIBRARY.format(sources="${all}")
    )
    app.succeeds("ide", "sim")

    app.write("app/b.c", marked("two", "another"))
    assert app.outcome() == "built"
    assert app.has("two")


@pytest.mark.long
def test_a_file_that_comes_to_match_a_glob_during_the_build(app: Marked) -> None:
    app.write(
        "app/CMakeLists.txt",
        HEAD
        + "file(GLOB all *.c)\n"
        + LIBRARY.format(sources="${all}")
        + DURING.format(command="copy_if_different later b.c"),
    )
    app.write("app/later", marked("two", "another"))
    assert app.outcome() == "built"
    assert not app.has("two")

    assert app.outcome() == "built"
    assert app.has("two")
    assert app.outcome() == "up-to-date"


def test_a_header_that_comes_to_shadow_another_during_the_build(app: Marked) -> None:
    app.lists(
        "target_include_directories(app PRIVATE first second)\n",
        DURING.format(command="copy_if_different later.h first/mark.h"),
    )
    app.write("app/a.c", "#include <mark.h>\n")
    app.write("app/second/mark.h", marked("one"))
    app.write("app/later.h", marked("two"))
    app.write("app/first/keep", "")
    assert app.outcome() == "built"

    assert app.outcome() == "built"
    assert app.has("two")
    assert app.outcome() == "up-to-date"


@pytest.mark.long
def test_a_header_that_is_deleted_during_the_build(app: Marked) -> None:
    app.lists(DURING.format(command="rm -f mark.h"))
    app.write("app/a.c", '#include "mark.h"\n')
    app.write("app/mark.h", marked("one"))
    assert app.outcome() == "built"

    assert app.fails()


def test_a_source_that_is_as_it_was_before_at_the_end_of_the_build(app: Marked) -> None:
    app.lists(DURING.format(command="copy_if_different saved a.c"))
    app.write("app/saved", marked("one"))
    assert app.outcome() == "built"
    assert app.outcome() == "up-to-date"
    app.write("app/a.c", marked("two"))
    app.outcome()

    assert app.outcome() == "restored"
    assert app.has("one")
    assert app.outcome() == "up-to-date"


def test_an_installed_header_of_a_component_with_an_old_time_stamp(app: Marked) -> None:
    app.project('needs = ["base"]', '\n[host.base]\nsource = "base"\n')
    app.write(
        "base/CMakeLists.txt",
        HEAD + "install(FILES x.h DESTINATION include)\n",
    )
    app.write("base/x.h", marked("one"))
    app.lists("find_path(where x.h REQUIRED)\ntarget_include_directories(app PRIVATE ${where})\n")
    app.write("app/a.c", "#include <x.h>\n")
    app.outcome()

    app.write("base/x.h", marked("two"), old=True)
    assert app.outcome() == "built"
    assert app.has("two")


@pytest.mark.long
def test_a_copy_that_cmake_makes_of_a_file_with_an_old_time_stamp(app: Marked) -> None:
    app.lists(
        "file(COPY x.h DESTINATION ${CMAKE_BINARY_DIR}/copies)\n"
        "target_include_directories(app PRIVATE ${CMAKE_BINARY_DIR}/copies)\n"
    )
    app.write("app/a.c", "#include <x.h>\n")
    app.write("app/x.h", marked("one"))
    app.outcome()

    app.write("app/x.h", marked("two"), old=True)
    assert app.outcome() == "built"
    assert app.has("two")
    assert app.outcome() == "up-to-date"


def test_an_edit_that_a_failed_build_did_not_reach(app: Marked) -> None:
    app.lists(
        "add_custom_target(first COMMAND sh ${CMAKE_SOURCE_DIR}/first)\n"
        "add_dependencies(app first)\n"
    )
    app.write("app/first", "exit 0")
    app.outcome()
    app.write("app/first", "exit 1")
    app.write("app/a.c", marked("two"))
    assert app.fails()

    app.write("app/first", "exit 0")
    app.write("app/a.c", marked("two"), old=True)
    assert app.outcome() == "built"
    assert app.has("two")


def test_what_is_made_among_the_sources(app: Marked) -> None:
    app.lists(
        "add_custom_command(OUTPUT ${CMAKE_SOURCE_DIR}/made.c DEPENDS ${CMAKE_SOURCE_DIR}/from"
        " COMMAND ${CMAKE_COMMAND} -E copy from made.c WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})\n",
        sources="${CMAKE_SOURCE_DIR}/made.c",
    )
    app.write("app/from", marked("one"))
    app.outcome()

    app.write("app/from", marked("two"), old=True)
    assert app.outcome() == "built"
    assert app.has("two")

    app.write("app/made.c", marked("by hand"))
    app.write("app/from", marked("two") + "\n")
    assert app.outcome() == "built"
    assert app.has("two")


COPIED = (  # a header among the sources, which no rule declares
    "add_custom_command(OUTPUT stamp DEPENDS from.sh COMMAND sh ${CMAKE_SOURCE_DIR}/from.sh"
    " ${CMAKE_SOURCE_DIR} COMMAND ${CMAKE_COMMAND} -E touch stamp)\n"
    "add_custom_target(made DEPENDS stamp)\nadd_dependencies(app made)\n"
    "target_include_directories(app PRIVATE first second)\n"
)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("cp one.h first/mark.h", "cp two.h first/mark.h"),
        pytest.param("cp one.h second/mark.h", "cp two.h first/mark.h", marks=pytest.mark.long),
        pytest.param(
            "cp one.h first/mark.h; cp two.h second/mark.h",
            "rm -f first/mark.h",
            marks=pytest.mark.long,
        ),
    ],
    ids=["changed", "hidden", "removed"],
)
def test_a_header_among_the_sources_that_a_command(before: str, after: str, app: Marked) -> None:
    app.lists(COPIED)
    app.write("app/a.c", "#include <mark.h>\n")
    app.write("app/one.h", marked("one"))
    app.write("app/two.h", marked("two"))
    app.write("app/first/keep", "")
    app.write("app/second/keep", "")
    app.write("app/from.sh", f'cd "$1"; {before}')
    app.outcome()
    while app.outcome() != "up-to-date":
        pass
    assert app.has("one")

    app.write("app/from.sh", f'cd "$1"; {after}')
    assert app.outcome() == "built"
    assert app.has("two")


def test_a_spoiled_note_of_what_was_checked(app: Marked) -> None:
    app.outcome()
    (app.root / ".buildtool/state/checked/sim").write_bytes(b"\xff")

    assert app.outcome() == "up-to-date"


@pytest.mark.long
def test_cmake_that_was_killed_when_it_had_done(app: Marked) -> None:
    """Ninja's file exists, but the files that CMake read to generate it are unknown."""
    app.lists(
        "file(READ marks text)\nconfigure_file(a.c.in ${CMAKE_BINARY_DIR}/a.c)\n",
        sources="${CMAKE_BINARY_DIR}/a.c",
    )
    app.write("app/a.c.in", 'const char *const mark = "mark: @text@.";\n')
    app.write("app/marks", "one")
    app.outcome()
    tree = app.tree("app")
    (tree / "buildtool-tree.json").rename(app.root / "note")
    (tree / "configured.json").unlink()
    app.outcome()
    subprocess.run(["cp", app.root / "note", tree / "buildtool-tree.json"], check=True)

    app.write("app/marks", "two", old=True)
    assert app.outcome() == "built"
    assert app.has("two")
