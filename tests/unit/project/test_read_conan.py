"""The keys of project files that are about Conan."""

from __future__ import annotations

from pathlib import Path

import pytest

from buildtool.project.read import ProjectError, read_project

GOOD = """\
[project]
name = "demo"
conan-recipes = ["recipes"]
conan-remotes = ["mine=https://conan.example.com", "index=there", "conancenter"]

[host.app]
source = "host"
conan = "host/conanfile.txt"
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name in ("host/CMakeLists.txt", "host/conanfile.txt", "recipes/a/conanfile.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    (tmp_path / "there" / "recipes").mkdir(parents=True)
    return tmp_path


def test_conan_settings_of_a_project(root: Path) -> None:
    (root / "buildtool.toml").write_text(GOOD)

    project = read_project(root / "buildtool.toml")

    assert project.hosts["app"].conan == "host/conanfile.txt"
    assert project.header.conan_recipes == ("recipes",)
    assert project.header.conan_remotes[1:] == ("index=there", "conancenter")


def test_the_default_remote_is_conancenter(root: Path) -> None:
    (root / "buildtool.toml").write_text('[project]\nname = "demo"\n')

    header = read_project(root / "buildtool.toml").header

    assert (header.conan_recipes, header.conan_remotes) == ((), ("conancenter",))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"host/conanfile.txt"', '"host/none.txt"', "there is no file 'host/none.txt'"),
        ('"host/conanfile.txt"', '"../conanfile.txt"', "is not a path inside the project"),
        ('"host/conanfile.txt"', '"host/CMakeLists.toml"', "there is no file"),
        ('["recipes"]', '["host"]', "no */conanfile.py in 'host'"),
        ('["recipes"]', '["/recipes"]', "is not a path inside the project"),
        ('"conancenter"]', '"somewhere"]', "'somewhere' is not a remote"),
        ('"conancenter"]', '"mine=https://x"]', "'mine' is the name of two remotes: 'mine=https:"),
        ('"conancenter"]', '"again=./there/"]', "'there' is the place of two remotes: 'index=th"),
        ('"index=there"', '"conancenter=https://x"', "'conancenter' is the name of two remotes"),
        ('"conancenter"]', '"=https://x"]', "'=https://x' is not a remote"),
        ('"conancenter"]', '"mine="]', "'mine=' is not a remote"),
        ('"index=there"', '"index=host"', "there is no directory host/recipes"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(old: str, new: str, message: str, root: Path) -> None:
    assert old in GOOD
    (root / "buildtool.toml").write_text(GOOD.replace(old, new))

    with pytest.raises(ProjectError) as caught:
        read_project(root / "buildtool.toml")

    assert message in caught.value.message
    assert caught.value.line == (8 if "conanfile" in old else 3 if "recipes" in old else 4)


def test_a_skel_has_no_conanfile(root: Path) -> None:
    text = GOOD.replace("[host.app]", "[skel.app]")
    (root / "buildtool.toml").write_text(text)

    with pytest.raises(ProjectError, match="unknown key"):
        read_project(root / "buildtool.toml")
