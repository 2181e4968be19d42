"""Files with time stamps in the future, as from a wrong clock."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.integration.engine.marked import Marked, marked

FUTURE = 2_114_380_800  # 2037


@pytest.fixture
def app(tmp_path: Path) -> Marked:
    app = Marked(tmp_path / "a project")
    app.project()
    app.lists("configure_file(value.h.in value.h)\ninclude_directories(${CMAKE_BINARY_DIR})\n")
    app.write("app/a.c", '#include "mark.h"\n#include "value.h"\n')
    app.write("app/mark.h", marked("one"))
    app.write("app/value.h.in", marked("first", "value"))
    return app


def from_future(app: Marked, *names: str) -> None:
    for name in names:
        os.utime(app.root / name, (FUTURE, FUTURE))


def cmake_by_ninja(app: Marked) -> bool:
    """Whether Ninja ran CMake in the last build."""
    (log,) = (app.root / ".buildtool/state/logs").iterdir()
    return "Re-running CMake" in log.read_text()


@pytest.mark.parametrize(
    "name", [pytest.param("app/CMakeLists.txt", marks=pytest.mark.long), "app/value.h.in"]
)
def test_what_cmake_reads(name: str, app: Marked) -> None:
    """Without buildtool, Ninja would run CMake a hundred times and then fail."""
    from_future(app, name)
    assert app.outcome() == "built"
    assert not cmake_by_ninja(app)
    assert app.outcome() == "up-to-date"
    app.write("app/mark.h", marked("two"))
    assert app.outcome() == "built"
    assert not cmake_by_ninja(app)
    assert app.has("two")

    text = (app.root / name).read_text().replace("first", "second")
    app.write(name, text + "# edited\n" * name.endswith(".txt"))
    from_future(app, name)
    assert app.outcome() == "built"
    assert app.has("second" if name.endswith(".in") else "first")


@pytest.mark.long
def test_a_file_that_comes_to_be_from_the_future(app: Marked) -> None:
    assert app.outcome() == "built"
    os.utime(app.root / "app/CMakeLists.txt")
    app.write("app/mark.h", marked("two"))
    assert app.outcome() == "built"
    assert not cmake_by_ninja(app)
    from_future(app, "app/CMakeLists.txt")
    assert app.outcome() == "up-to-date"
    app.write("app/mark.h", marked("three"))
    assert app.outcome() == "built"
    assert not cmake_by_ninja(app)
    assert app.has("three")


def test_sources(app: Marked) -> None:
    from_future(app, "app/a.c", "app/mark.h")
    assert app.outcome() == "built"
    assert app.outcome() == "up-to-date"
    for mark in ("two", "three"):
        app.write("app/mark.h", marked(mark))
        from_future(app, "app/mark.h")
        assert app.outcome() == "built"
        assert app.has(mark)
    app.write("app/mark.h", marked("two"))  # with the present time
    assert app.outcome() == "restored"
    assert app.has("two")


@pytest.mark.long
def test_a_file_that_cmake_reads_and_a_rule_makes(app: Marked) -> None:
    """For such a file only Ninja decides, by time stamps, whether to run CMake."""
    app.write("app/in.txt", "")
    made = (  # CMake lists such a file only if it exists
        "if(NOT EXISTS ${CMAKE_BINARY_DIR}/made.txt)\n"
        "file(WRITE ${CMAKE_BINARY_DIR}/made.txt first)\nendif()\n"
        "add_custom_command(OUTPUT made.txt DEPENDS in.txt"
        " COMMAND ${CMAKE_COMMAND} -E copy ${CMAKE_SOURCE_DIR}/in.txt made.txt)\n"
        "add_custom_target(made ALL DEPENDS made.txt)\n"
        "set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS"
        " ${CMAKE_BINARY_DIR}/made.txt)\n"
    )
    app.write("app/a.c", marked("one"))
    app.lists(made)
    assert app.outcome() == "built"
    app.lists(made, "# edited\n")
    from_future(app, "app/CMakeLists.txt")
    error = app.fails()
    assert "CMakeLists.txt is from the future: its time stamp is 2037-01-0" in error
    assert f"touch '{app.root}/app/CMakeLists.txt'" in error
    os.utime(app.root / "app/CMakeLists.txt")
    assert app.outcome() == "built"
