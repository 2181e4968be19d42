"""Include directories whose spelling differs from that of the files in them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.integration.engine.marked import Marked, marked


@pytest.fixture
def app(tmp_path: Path) -> Marked:
    app = Marked(tmp_path / "a project")
    app.project()
    return app


def clone(app: Marked, name: str) -> Marked:
    other = Marked(app.root.with_name(name))
    app.copy_sources(other.root)
    return other


@pytest.mark.long
def test_include_directories_that_end_in_dots(app: Marked) -> None:
    app.lists(
        "include_directories(first/.. src/.. src//./sub/../)\n"
        "target_include_directories(app PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/.. absent/..)\n",
        sources="src/a.c",
    )
    app.write("app/src/a.c", '#include "mark.h"\n#include "other.h"\n#include <beside.h>\n')
    app.write("app/mark.h", marked("one"))
    app.write("app/src/beside.h", "")
    app.write("app/first/keep", "")
    app.write("app/src/sub/keep", "")
    app.write("other.h", "")
    assert app.outcome() == "built"
    assert app.outcome() == "up-to-date"
    elsewhere = clone(app, "elsewhere")
    assert elsewhere.outcome() == "restored"

    app.write("app/mark.h", marked("two"), old=True)
    assert app.outcome() == "built"
    assert app.has("two")
    app.write("app/src/mark.h", marked("three"))  # shadows the other header
    assert app.outcome() == "built"
    assert app.has("three")
    assert app.outcome() == "up-to-date"


@pytest.mark.long
def test_links_in_the_build_tree(app: Marked) -> None:
    """CMake creates a link to a directory, and a rule creates a link to a file."""
    app.lists(
        "include_directories(${CMAKE_BINARY_DIR}/inc ${CMAKE_BINARY_DIR}/made)\n"
        "file(CREATE_LINK ${CMAKE_SOURCE_DIR}/include ${CMAKE_BINARY_DIR}/inc SYMBOLIC)\n"
        "add_custom_command(OUTPUT made/b.h COMMAND ${CMAKE_COMMAND} -E create_symlink"
        " ${CMAKE_SOURCE_DIR}/b.h made/b.h)\n",
        sources="a.c made/b.h",
    )
    app.write("app/a.c", "#include <a.h>\n#include <b.h>\n")
    app.write("app/include/a.h", marked("one"))
    app.write("app/b.h", marked("one", "b"))
    assert app.outcome() == "built"
    assert app.outcome() == "up-to-date"
    app.write("app/include/a.h", marked("two"))
    assert app.outcome() == "built"
    assert app.has("two")
    app.write("app/b.h", marked("three", "b"))
    assert app.outcome() == "built"
    assert app.has("three")


@pytest.mark.long
def test_dots_after_a_link(app: Marked) -> None:
    """The compiler reads the header next to the link's target, Ninja the one next to the link."""
    app.lists("include_directories(link/..)\n", sources="src/a.c")
    app.write("app/src/a.c", "#include <mark.h>\n")
    app.write("app/mark.h", marked("another file"))
    for name in ("one", "two"):
        app.write(f"{name}/deep/keep", "")
        app.write(f"{name}/mark.h", marked(name))
    link = app.root / "app/link"
    link.symlink_to("../one/deep")
    assert app.outcome() == "built"
    assert app.has("one")
    assert app.outcome() == "up-to-date"

    app.write("one/mark.h", marked("edited"), old=True)
    assert app.outcome() == "built"
    assert app.has("edited")
    other = clone(app, "other")
    other.write("one/mark.h", marked("of the clone"))
    assert other.outcome() == "built"
    assert other.has("of the clone")

    link.unlink()
    link.symlink_to("../two/deep")
    assert app.outcome() == "built"
    assert app.has("two")
    assert app.outcome() == "up-to-date"


def test_a_file_that_becomes_a_directory_and_one_that_becomes_a_program(app: Marked) -> None:
    asks = "if({} ${{CMAKE_SOURCE_DIR}}/{})\n  add_compile_definitions({})\nendif()\n"
    app.lists(
        asks.format("IS_DIRECTORY", "thing", "DIRECTORY"),
        asks.format("IS_EXECUTABLE", "tool", "PROGRAM"),
        sources="a.c",
    )
    app.write(
        "app/a.c",
        f"#ifdef DIRECTORY\n{marked('directory', 'a')}#endif\n"
        f"#ifdef PROGRAM\n{marked('program', 'b')}#endif\n",
    )
    app.write("app/thing", "")
    app.write("app/tool", "")
    assert app.outcome() == "built"
    (app.root / "app/thing").unlink()
    app.write("app/thing/keep", "")
    assert app.outcome() == "built"
    assert app.has("directory")
    (app.root / "app/tool").chmod(0o755)
    assert app.outcome() == "built"
    assert app.has("program")
    assert app.outcome() == "up-to-date"
