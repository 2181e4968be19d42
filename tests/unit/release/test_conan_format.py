"""The archive of which Conan makes a package: its name, version and recipe."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import pytest

from buildtool.release.formats.entries import FormatError, Package, write_conan
from buildtool.release.unpack import unpack


def package(**fields: object) -> Package:
    plain = Package("tool", "1.0", "q6a", "ubuntu-aarch64", "2.35", 31, 400_000_000, ())
    return plain._replace(**fields)


def contents(tmp_path: Path, **fields: object) -> dict[str, str]:
    archive = tmp_path / "x.conan.tar.zst"
    write_conan(package(**fields), archive)
    unpack(archive, tmp_path / "unpacked")
    (top,) = (tmp_path / "unpacked").iterdir()
    return {file.name: file.read_text() for file in top.iterdir()}


def identity(recipe: str) -> Any:
    (node,) = (n for n in ast.parse(recipe).body if isinstance(n, ast.AnnAssign))
    assert node.value
    return ast.literal_eval(node.value)


def test_the_recipe_has_the_names_of_the_project_and_none_of_the_target(tmp_path: Path) -> None:
    text = 'says "it\'s\\n{}"'
    files = contents(tmp_path, name="My_Tool", version="1.0-RC1", description=text)
    wanted = {"name": "my_tool", "version": "1.0-rc1", "description": text}
    assert identity(files["conanfile.py"]) == wanted
    assert files["profile"] == "[settings]\nos=Linux\narch=armv8\n"
    assert "q6a" not in files["conanfile.py"]


def test_a_package_for_android_has_its_own_profile(tmp_path: Path) -> None:
    files = contents(tmp_path, platform="android")
    assert files["profile"] == "[settings]\nos=Android\narch=armv8\n"
    assert identity(files["conanfile.py"])["description"] == "tool"


@pytest.mark.parametrize(
    ("field", "text"),
    [("name", "x"), ("name", ".x"), ("version", "1"), ("version", "1 2"), ("version", "1~2")],
)
def test_names_and_versions_that_conan_does_not_allow(
    field: str, text: str, tmp_path: Path
) -> None:
    with pytest.raises(FormatError, match=f"cannot have the {field} '{text}'") as caught:
        write_conan(package(**{field: text}), tmp_path / "archive")
    assert caught.value.remedy == f"Change '{field}' in [project]."
