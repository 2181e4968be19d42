"""`required-version` is checked before everything else in a project file."""

from __future__ import annotations

from pathlib import Path

import pytest

from buildtool.project.model import Project
from buildtool.project.read import ProjectError, read_project


def project_of(folder: Path, *lines: str) -> Project:
    file = folder / "buildtool.toml"
    file.write_text("\n".join(["[project]", 'name = "demo"', *lines, ""]))
    return read_project(file)


def test_this_version_fits(tmp_path: Path) -> None:
    header = project_of(tmp_path, 'required-version = ">=0.1, <1"').header
    assert header.required_version == ">=0.1, <1"


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (('required-version = ">=99"', "future = 1"), "needs buildtool >=99, and this is"),
        (('required-version = "new"',), "is not a range of versions"),
        (("required-version = 1",), "must be a string"),
    ],
)
def test_other_versions_are_refused(lines: tuple[str, ...], message: str, tmp_path: Path) -> None:
    with pytest.raises(ProjectError, match=message):
        project_of(tmp_path, *lines)
