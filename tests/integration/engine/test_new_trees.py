"""CMake configures a tree again in a new one: what is kept, and what a build finds when the last
one did not come to its end."""

from __future__ import annotations

import functools
import http.server
import os
import tarfile
import threading
from pathlib import Path

import pytest

from buildtool.core.errors import BuildtoolError
from buildtool.drivers.cmake.new_tree import set_aside
from buildtool.drivers.cmake.tree_record import RECORD_FILE
from buildtool.plan.plan import former_tree
from tests.integration.engine.marked import Marked, marked

CONFIG = (
    "configure_file(config.h.in config.h)\n"
    "target_include_directories(app PRIVATE ${CMAKE_BINARY_DIR})\n"
    "include_directories(${CMAKE_BINARY_DIR})\n"
)
PARTS = (
    "add_library(part STATIC part.c)\n"
    "set_target_properties(part PROPERTIES POSITION_INDEPENDENT_CODE ON UNITY_BUILD ON)\n"
    "target_link_libraries(app PRIVATE part)\n"
    "target_precompile_headers(app PRIVATE <stdio.h>)\n"
    "add_custom_command(OUTPUT gen.h DEPENDS gen.txt"
    " COMMAND ${CMAKE_COMMAND} -E copy ${CMAKE_SOURCE_DIR}/gen.txt gen.h)\n"
    "target_sources(app PRIVATE gen.h)\n"
)


@pytest.fixture
def app(tmp_path: Path) -> Marked:
    app = Marked(tmp_path / "a project")
    app.project()
    app.write("app/a.c", '#include "config.h"\n#include "gen.h"\n' + marked("one"))
    app.write("app/part.c", '#include "config.h"\nint part(void) { return 1; }\n')
    app.write("app/config.h.in", "#define CONFIG 1\n")
    app.write("app/gen.txt", "#define GEN 1\n")
    app.lists(CONFIG, PARTS)
    return app


def _commands(app: Marked) -> set[str]:
    """The lines of Ninja's log: each command has a new one when it runs again."""
    return {line for line in (app.tree("app") / ".ninja_log").read_text().splitlines() if line}


def _ran(app: Marked, before: set[str]) -> set[str]:
    """The names of what commands made since the log was as `before`."""
    return {Path(line.split("\t")[3]).name for line in _commands(app) - before}


def _log(app: Marked) -> str:
    return (app.root / ".buildtool/state/logs/host-app.log").read_text()


def test_products_whose_commands_and_inputs_are_the_same_are_kept(app: Marked) -> None:
    app.outcome()
    before = _commands(app)

    app.lists(CONFIG, PARTS, "# another line\n")
    assert app.outcome() == "built"
    assert _ran(app, before) == set()

    app.lists(CONFIG, PARTS, "target_compile_definitions(app PRIVATE ONE)\n")
    assert app.outcome() == "built"
    assert _ran(app, before) == {"cmake_pch.h.gch", "a.c.o", "libapp.so"}
    before = _commands(app)

    app.write("app/config.h.in", "#define CONFIG 2\n", old=True)
    assert app.outcome() == "built"
    assert {"a.c.o", "unity_0_c.c.o", "libapp.so"} <= _ran(app, before)


def test_nothing_is_compiled_again_for_other_targets_and_artifacts(app: Marked) -> None:
    app.lists(CONFIG, PARTS, "add_library(more SHARED more.c)\ntarget_link_libraries(more part)\n")
    app.write("app/more.c", marked("more", "more"))

    def outcome(targets: str, artifacts: str = "") -> str:
        more = f"artifacts = [{artifacts}]\n" if artifacts else ""
        app.project(f"install = false\ntargets = [{targets}]\n{more}")
        return app.outcome()

    def shipped() -> list[str]:
        return sorted(file.name for file in (app.release() / "lib").iterdir())

    outcome('"app"', '"libapp.so"')
    before = _commands(app)
    with pytest.raises(BuildtoolError, match="Name CMake targets of the component in 'targets'"):
        outcome('"app", "moer"', '"libapp.so"')
    assert outcome('"app", "more"', '"libapp.so"') == "built"
    assert _ran(app, before) == {"more.c.o", "libmore.so"}
    assert shipped() == ["libapp.so"]
    before = _commands(app)

    assert outcome('"app", "more"', '"lib*.so"') == "built"
    assert shipped() == ["libapp.so", "libmore.so"]
    assert outcome('"more"', '"lib*.so"') == "built"
    assert shipped() == ["libmore.so"]
    assert outcome('"more", "part"', '"lib*.so", "*.a"') == "built"
    assert _ran(app, before) == set()
    assert outcome('"app", "more"') == "built"
    assert shipped() == ["libapp.so", "libmore.so"]
    assert outcome('"app"') == "built"
    assert shipped() == ["libapp.so"]
    with pytest.raises(BuildtoolError, match="ships nothing") as raised:
        outcome('"part"')
    assert "its targets link no program and no shared library" in raised.value.why


def test_cmake_that_fails(app: Marked) -> None:
    app.outcome()
    before = _commands(app)
    app.lists(CONFIG, PARTS, "message(FATAL_ERROR no)\n")
    for _ in range(2):
        with pytest.raises(BuildtoolError, match="configuring"):
            app.outcome()
    app.write("app/a.c", '#include "config.h"\n#include "gen.h"\n' + marked("two"))

    app.lists(CONFIG, PARTS, "# another line\n")
    assert app.outcome() == "built"
    assert app.has("two")
    assert _ran(app, before) == {"a.c.o", "libapp.so"}
    assert not former_tree(app.tree("app")).exists()


def test_a_build_that_was_killed_while_cmake_ran(app: Marked) -> None:
    app.outcome()
    before, tree = _commands(app), app.tree("app")
    set_aside(tree)
    (tree / "CMakeCache.txt").write_text("incomplete")
    app.write("app/a.c", '#include "config.h"\n#include "gen.h"\n' + marked("two"))

    assert app.outcome() == "built"
    assert app.has("two")
    assert _ran(app, before) == {"a.c.o", "libapp.so"}


def test_a_build_that_was_killed_while_products_moved(app: Marked) -> None:
    app.outcome()
    tree = app.tree("app")
    set_aside(tree)
    (former_tree(tree) / RECORD_FILE).unlink()
    (former_tree(tree) / "libapp.so").rename(tree / "libapp.so")
    app.write("app/a.c", '#include "config.h"\n#include "gen.h"\n' + marked("two"))

    assert app.outcome() == "built"
    assert app.has("two")
    assert not former_tree(tree).exists()


def test_clean_removes_the_former_tree(app: Marked) -> None:
    app.outcome()
    tree = app.tree("app")
    set_aside(tree)

    app.succeeds("clean", "sim")
    assert not former_tree(tree).exists()


def test_a_list_of_the_same_content_that_is_newer(app: Marked) -> None:
    app.outcome()
    os.utime(app.root / "app/CMakeLists.txt")
    app.write("app/a.c", '#include "config.h"\n#include "gen.h"\n' + marked("two"))

    assert app.outcome() == "built"
    assert app.has("two")
    assert "Re-running CMake" not in _log(app)


def test_copies_of_libraries_that_are_not_linked_again(app: Marked) -> None:
    copies = "".join(
        f"add_library({name} SHARED {name}.c)\n"
        f"add_custom_command(TARGET {name} POST_BUILD COMMAND ${{CMAKE_COMMAND}} -E"
        f" copy $<TARGET_FILE:{name}> ${{CMAKE_BINARY_DIR}}/all/)\n"
        for name in ("b", "c")
    )
    for name in ("b", "c"):
        app.write(f"app/{name}.c", marked("one", name))
    app.lists(
        CONFIG,
        PARTS,
        "file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/all)\n",
        copies,
        "install(DIRECTORY ${CMAKE_BINARY_DIR}/all/ DESTINATION lib)\n",
    )
    app.outcome()
    before = _commands(app)

    app.write("app/b.c", marked("two", "b"))
    assert app.outcome() == "built"
    assert app.has("two")
    assert _ran(app, before) == {"b.c.o", "libb.so"}
    assert "--trace-expand" not in _log(app).partition("ninja")[0]


def test_cmake_that_ninja_runs_again(app: Marked) -> None:
    """A file that CMake reads and a rule makes."""
    reads = (
        "add_custom_command(OUTPUT words.cmake DEPENDS words.txt COMMAND ${CMAKE_COMMAND} -E"
        " copy ${CMAKE_SOURCE_DIR}/words.txt words.cmake)\n"
        "set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS"
        " ${CMAKE_BINARY_DIR}/words.cmake)\n"
        "if(NOT EXISTS ${CMAKE_BINARY_DIR}/words.cmake)\n"
        "file(WRITE ${CMAKE_BINARY_DIR}/words.cmake [[set(words first)]])\nendif()\n"
        "include(${CMAKE_BINARY_DIR}/words.cmake)\n"
        "foreach(word ${words})\nfile(WRITE ${CMAKE_BINARY_DIR}/stage/${word} x)\nendforeach()\n"
        "add_custom_target(words ALL DEPENDS words.cmake)\n"
        "install(DIRECTORY ${CMAKE_BINARY_DIR}/stage DESTINATION share)\n"
    )
    app.write("app/words.txt", "set(words one two)\n")
    app.lists(CONFIG, PARTS, reads)
    app.outcome()
    stage = app.release() / "share/stage"
    assert {path.name for path in stage.iterdir()} == {"first", "one", "two"}

    app.write("app/words.txt", "set(words two)\n")
    assert app.outcome() == "built"
    assert {path.name for path in stage.iterdir()} == {"first", "two"}


def test_a_header_that_a_target_writes_when_it_changes(app: Marked) -> None:
    """As projects do with the version of the sources; nobody declares the header."""
    app.write("app/version.cmake", "configure_file(${FROM} version.h)\n")
    app.write("app/version.in", "#define VERSION 1\n")
    app.write("app/a.c", '#include "version.h"\n' + marked("one"))
    app.write("app/b.c", marked("one", "b"))
    target = (
        "add_custom_target(version COMMAND ${CMAKE_COMMAND} -DFROM=${CMAKE_SOURCE_DIR}/version.in"
        " -P ${CMAKE_SOURCE_DIR}/version.cmake)\nadd_dependencies(app version)\n"
    )
    app.lists(CONFIG, PARTS, target, sources="a.c b.c")
    app.outcome()
    before = _commands(app)

    app.write("app/b.c", marked("two", "b"))
    assert app.outcome() == "built"
    assert app.has("two")
    assert _ran(app, before) == {"b.c.o", "libapp.so", "version"}


@pytest.mark.long
def test_what_was_fetched_needs_no_network_again(app: Marked, tmp_path: Path) -> None:
    sources = tmp_path / "served"
    sources.mkdir()
    (tmp_path / "x").mkdir()
    (tmp_path / "x/CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.25)\nproject(x C)\nadd_library(x STATIC x.c)\n"
        "set_target_properties(x PROPERTIES POSITION_INDEPENDENT_CODE ON)\n"
    )
    (tmp_path / "x/x.c").write_text("int x(void) { return 1; }\n")
    with tarfile.open(sources / "x.tar.gz", "w:gz") as archive:
        archive.add(tmp_path / "x", "x")
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=str(sources))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        url = f"http://127.0.0.1:{server.server_address[1]}/x.tar.gz"
        calls = (
            f"include(FetchContent)\nFetchContent_Declare(x URL {url})\n"
            "FetchContent_MakeAvailable(x)\ntarget_link_libraries(app PRIVATE x)\n"
            f'include(ExternalProject)\nExternalProject_Add(y URL {url} INSTALL_COMMAND ""'
            " CMAKE_ARGS -DCMAKE_TOOLCHAIN_FILE=${CMAKE_TOOLCHAIN_FILE})\n"
        )
        app.lists(CONFIG, PARTS, calls)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        assert app.outcome() == "built"
        server.shutdown()
    before = _commands(app)

    app.lists(CONFIG, PARTS, calls, "message(FATAL_ERROR no)\n")
    with pytest.raises(BuildtoolError, match="configuring"):
        app.outcome()
    app.lists(CONFIG, PARTS, calls, "# another line\n")
    assert app.outcome() == "built"
    assert _ran(app, before) == set()
