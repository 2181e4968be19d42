"""What pytest reports to buildtool is read whatever else is written there."""

from __future__ import annotations

from pathlib import Path

from buildtool.project.model import Header, Project, Test
from buildtool.testing.pytest_suite import PytestSuite


def test_what_tests_write_to_the_descriptor_of_the_records_is_no_record(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text(
        "import json, os\n"
        "told = json.loads(os.environ['BUILDTOOL_TEST'])\n"
        "os.write(told['records'], b'5\\n\\xff\\n{\\n[' + b'[' * 100_000 + b'\\n[]\\n')\n"
        "os.write(told['records'], b'{\"collected\": 5}\\n')\n"
    )
    (tmp_path / "test_one.py").write_text("def test_passes(): pass\n")
    project = Project(tmp_path, Header(name="p"), {}, {}, {})
    suite = PytestSuite(project, "accuracy", Test(pytest=("test_one.py",)), 1.0)

    assert suite.names() == ("test_one.py::test_passes",)
