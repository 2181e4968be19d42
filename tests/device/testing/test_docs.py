"""docs/test.md: its commands work as printed, also those about boards."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.command_line import REPOSITORY
from tests.device.devices.emulated_board import emulated_board
from tests.device.docs.test_docs import blocks, shell
from tests.device.testing.test_programs import results_of
from tests.junit import read_junit
from tests.project import Project

TEXT = (REPOSITORY / "docs" / "test.md").read_text("utf-8")


@pytest.fixture
def template(tmp_path: Path, earlier_builds: Path) -> Project:
    """The template's project."""
    project = Project(tmp_path / "my-project", cache=earlier_builds)
    project.root.mkdir()
    project.succeeds("init", "--template", "hvx")
    return project


@pytest.fixture
def documented(template: Project) -> Project:
    """The template's project with everything that the page adds to it."""
    project = template
    tables = "\n".join(blocks(TEXT, "toml"))
    project.write("buildtool.toml", (project.root / "buildtool.toml").read_text() + tables)
    (test,) = blocks(TEXT, "python")
    project.write("tests/device/test_sizes.py", test)
    return project


def test_the_output_is_the_one_of_the_template(template: Project) -> None:
    template.build()

    done = template.run("test", "sim")

    printed = [re.sub(r"\d\.\d", "0.4", line).rstrip() for line in done.stdout.splitlines()]
    shown = TEXT.split("\n\n```\n")[1].partition("\n```\n")[0].splitlines()
    assert printed == shown[1:]
    assert re.sub(r"\d\.\d s", "0.4 s", done.stderr) == shown[0] + "\n"


def test_the_tables_and_the_fixture_work(documented: Project, tmp_path: Path) -> None:
    file = tmp_path / "results.xml"

    # The program passes whatever its arguments are.
    document = results_of(documented, "sim", "--junit", str(file), status=1)

    found = {f"{test['suite']}/{test['name']}": test["outcome"] for test in document["tests"]}
    assert found == {
        "test/verified": "passed",
        "test/kernels": "unexpected pass",
        "accuracy/tests/device/test_sizes.py::test_sizes": "passed",
    }
    for name in list(found)[2:]:
        assert f"`{name}`" in TEXT
    assert len(list(read_junit(file).iter("testcase"))) == 3


@pytest.fixture
def _board(documented: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A board `q6a`."""
    with emulated_board(tmp_path / "board") as board, tempfile.TemporaryDirectory() as sockets:
        config = board.client.config
        config.write_text(config.read_text("utf-8").replace("Host board", "Host q6a"), "utf-8")
        monkeypatch.setenv("PATH", board.client.environment["PATH"])
        monkeypatch.setenv("XDG_RUNTIME_DIR", sockets)
        monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
        documented.succeeds("devices", "add", "q6a", "--ssh", "q6a")
        yield


@pytest.mark.long
@pytest.mark.usefixtures("_board")
def test_the_commands_about_boards(documented: Project) -> None:
    printed = shell("\n".join(blocks(TEXT, "shell")), documented.root)

    assert printed.count("1 passed") == 2
    assert "1 of 1 tests succeeded on q6a" in printed
    assert re.search(r"\n2 of 2 tests succeeded on q6a .*, sim ", printed)
