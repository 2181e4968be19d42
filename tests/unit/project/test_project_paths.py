"""Paths of components and of build trees that tools would misread."""

from __future__ import annotations

from pathlib import Path

import pytest

from buildtool.core.safe_path import UnsafePathError
from buildtool.project.read import ProjectError, read_project

from .conftest import GOOD, Write


@pytest.mark.parametrize("path", ["a`b", "a;b/c", "a&b", "a\u202eb"])
def test_a_component_at_a_path_that_tools_misread(write: Write, path: str) -> None:
    with pytest.raises(ProjectError, match=r"the path contains .*") as caught:
        read_project(write(GOOD.replace('"dsp"', f'"{path}"')))

    assert (caught.value.line, caught.value.key) == (10, "skel.kernels.source")


def test_a_component_behind_a_link_to_a_path_that_tools_misread(
    write: Write, tmp_path: Path
) -> None:
    file = write(GOOD)
    (tmp_path / "dsp").rename(tmp_path / "d`sp")
    (tmp_path / "dsp").symlink_to("d`sp")

    with pytest.raises(ProjectError, match=f"the path leads to {tmp_path}/d`sp"):
        read_project(file)


def test_build_trees_behind_a_link_to_a_path_that_tools_misread(
    write: Write, tmp_path: Path
) -> None:
    (tmp_path / ".buildtool").symlink_to(tmp_path / "a`b")

    with pytest.raises(UnsafePathError, match="the path of the project's build trees"):
        read_project(write(GOOD))
