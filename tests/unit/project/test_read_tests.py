"""`[test.NAME]`, `[expected-failure.TAG]` and `test-files` of a project file."""

from __future__ import annotations

from pathlib import Path

import pytest

from buildtool.project.model import ExpectedFailure, Project
from buildtool.project.read import ProjectError, read_project

HEAD = """[project]
name = "demo"
[host.app]
source = "host"
"""
GOOD = """
[test.unit]
program = "bin/unit"
args = ["-v", "-v"]
env = { N = 3, FAST = true }
timeout = "90s"

[test.accuracy]
pytest = ["tests/device", "tests/test_one.py::test_this"]
env = { N = 3 }

[expected-failure.v68]
tests = ["accuracy/*", "unit"]
reason = "v68 has no half floats"
"""


def read(folder: Path, text: str) -> Project:
    (folder / "host").mkdir()
    (folder / "host/CMakeLists.txt").touch()
    file = folder / "buildtool.toml"
    file.write_text(text)
    return read_project(file)


def test_tests_and_expected_failures_are_read(tmp_path: Path) -> None:
    project = read(tmp_path, HEAD + 'test-files = ["data/*.bin"]\n' + GOOD)

    assert project.tests["unit"].args == ("-v", "-v")
    assert project.tests["unit"].env == {"N": 3, "FAST": True}
    assert project.tests["accuracy"].pytest == ("tests/device", "tests/test_one.py::test_this")
    expected = ExpectedFailure(("accuracy/*", "unit"), "v68 has no half floats")
    assert project.expected_failures == {"v68": expected}
    assert project.hosts["app"].test_files == ("data/*.bin",)


@pytest.mark.parametrize(
    ("table", "key", "says"),
    [
        ("[test.x]", "test.x", "lacks the key 'program'"),
        ('[test.x]\nprograms = "bin/x"', "test.x.programs", "Did you mean 'program'?"),
        ('[test.x]\nprogram = "x"\npytest = ["t"]', "test.x.program", "this test is for pytest"),
        ('[test.x]\nfarf = true\npytest = ["t"]', "test.x.farf", "this test is for pytest"),
        ('[test.x]\npytest = ["../t"]', "test.x.pytest", "is not a path inside the project"),
        ('[test.x]\npytest = ["/t"]', "test.x.pytest", "is not a path inside the project"),
        ('[test.x]\nprogram = "x"\ntimeout = "2 d"', "test.x.timeout", "is not a duration"),
        ('[test.x]\nprogram = "x"\n[test.x.env]\n"A=B" = 1', "test.x.env", "of a variable"),
        ('[test."a b"]\nprogram = "x"', "test.a b", "is not a valid name"),
        ('[expected-failure.x]\ntests = ["a"]', "expected-failure.x", "lacks the key 'reason'"),
        ('[expected-failure.x]\nreason = "a"', "expected-failure.x", "lacks the key 'tests'"),
        (
            '[expected-failure.x]\ntests = ["a"]\nreason = "b"\nrequires = ["hvx"]',
            "expected-failure.x.requires",
            "there is no capability 'hvx'",
        ),
        (
            '[expected-failure.x]\ntests = ["a"]\nreason = " "',
            "expected-failure.x.reason",
            "is empty",
        ),
        ('[host.x]\nsource = "host"\ntest-files = ["../x"]', "host.x.test-files", "not a path"),
        ('[host.x]\nfiles = ["a"]\ntest-files = ["x"]', "host.x.test-files", "prebuilt files"),
        ('[skel.x]\nsource = "host"\ntest-files = ["x"]', "skel.x.test-files", "unknown key"),
    ],
)
def test_what_is_wrong_is_shown_with_its_key(
    tmp_path: Path, table: str, key: str, says: str
) -> None:
    with pytest.raises(ProjectError) as caught:
        read(tmp_path, f"{HEAD}{table}\n")

    assert caught.value.key == key
    assert says in str(caught.value)
    assert caught.value.remedy
