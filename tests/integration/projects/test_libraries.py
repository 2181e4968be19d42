"""Shared libraries of a third party's tree: which of them ship, and which are missing."""

from __future__ import annotations

import shutil

import pytest

from buildtool.core.elf.read import read_dynamic
from tests.caches import empty, share
from tests.integration.projects.conftest import TREES, ThirdParty

PROJECT = """\
[project]
name = "tone"

[host.tone]
source = "."
defines = { TONE_INSTALL = "tone" }

[target.sim]
platform = "ubuntu-aarch64"
toolchain = "gcc"
"""
LIBRARIES = {"lib/libmixer.so.0", "lib/libwave.so.2"}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> ThirdParty:
    """A copy of the tree, which the tests change, with its cache directory."""
    base = tmp_path_factory.mktemp("versioned")
    shutil.copytree(TREES / "versioned", base / "of a third party")
    return ThirdParty(base / "of a third party", cache=share(base / "cache"))


@pytest.fixture
def tree(place: ThirdParty) -> ThirdParty:
    """The tree as it was, of which only configured build trees are there."""
    files = (path for path in (TREES / "versioned").rglob("*") if path.is_file())
    texts = {str(path.relative_to(TREES / "versioned")): path.read_text() for path in files}
    place.lay_out({**texts, "buildtool.toml": PROJECT})
    place.forget()
    empty(place.cache)
    return place


def runpath(tree: ThirdParty) -> tuple[str, ...]:
    return read_dynamic(tree.release() / "bin/tone").runpath


def refusal(tree: ThirdParty) -> str:
    """The error of a build that is refused."""
    return " ".join(tree.fails("build").split())


def test_libraries_that_install_rules_leave_out(tree: ThirdParty) -> None:
    assert tree.builds() == {"host/tone": "built"}
    assert tree.shipped == {"bin/tone", *LIBRARIES}

    tree.edit("wave/CMakeLists.txt", "SOVERSION 2", "SOVERSION 3")
    assert tree.builds() == {"host/tone": "built"}
    assert tree.shipped == {"bin/tone", "lib/libmixer.so.0", "lib/libwave.so.3"}


@pytest.mark.long
def test_a_program_that_is_installed_as_a_file_loses_the_build_tree_s_runpath(
    tree: ThirdParty,
) -> None:
    tree.edit("buildtool.toml", 'TONE_INSTALL = "tone"', "TONE_INSTALL_FILES = true")
    tree.builds()

    assert tree.shipped == {"bin/tone", *LIBRARIES}
    assert runpath(tree) == ()
    assert str(tree.root).encode() not in (tree.release() / "bin/tone").read_bytes()


@pytest.mark.long
def test_runpaths_that_are_installed(tree: ThirdParty) -> None:
    rpath = 'TONE_INSTALL = "tone", TONE_RPATH = '
    tree.edit("buildtool.toml", 'TONE_INSTALL = "tone"', f'{rpath}"/opt/tone/lib"')
    message = refusal(tree)
    assert "bin/tone has a RUNPATH that points outside the release: /opt/tone/lib" in message
    assert "CMAKE_SKIP_RPATH = true } in [host.tone]" in message

    inside = f"{tree.root}/wave;$ORIGIN/../lib"
    tree.edit("buildtool.toml", '"/opt/tone/lib"', f'"{inside}"')
    tree.builds()
    assert runpath(tree) == ("$ORIGIN/../lib",)


@pytest.mark.long
def test_a_library_that_no_target_makes(tree: ThirdParty) -> None:
    tree.edit("buildtool.toml", 'TONE_INSTALL = "tone"', "TONE_WITH_BEEP = true")
    tree.edit("buildtool.toml", "defines", 'artifacts = ["bin/tone"]\ndefines')
    message = refusal(tree)
    assert (
        "bin/tone needs libbeep.so.1, which is neither in the release nor on every device"
        in message
    )
    assert "vendor/libbeep.so.1" in message
    assert 'artifacts = ["vendor/libbeep.so.1"] in [host.tone]' in message

    declared = 'toolchain = "gcc"\nsystem-libraries = ["libbeep.so.1"]'
    tree.edit("buildtool.toml", 'toolchain = "gcc"', declared)
    assert tree.builds() == {"host/tone": "up-to-date"}
    assert tree.shipped == {"bin/tone", *LIBRARIES}

    tree.edit("buildtool.toml", declared, 'toolchain = "gcc"')
    assert "libbeep.so.1" in refusal(tree)
    tree.edit("buildtool.toml", '["bin/tone"]', '["bin/tone", "vendor/*.so*"]')
    tree.builds()
    assert tree.shipped == {"bin/tone", "lib/libbeep.so.1", *LIBRARIES}


def test_install_rules_want_what_is_not_built(tree: ThirdParty) -> None:
    tree.edit(
        "buildtool.toml",
        '"tone" }',
        '"tone;wave" }\ntargets = ["wave"]\nartifacts = ["wave/libwave.so.2"]',
    )
    assert "or set install = false and name what ships in 'artifacts'" in refusal(tree)

    tree.edit("buildtool.toml", "targets =", "install = false\ntargets =")
    tree.builds()
    assert tree.shipped == {"lib/libwave.so.2"}


@pytest.mark.long
def test_an_artifact_that_the_install_rules_put_down_as_well(tree: ThirdParty) -> None:
    tree.edit(
        "buildtool.toml", '"tone" }', '"tone;mixer;wave" }\nartifacts = ["**/lib*.so", "bin/*"]'
    )
    tree.builds()
    assert tree.shipped == {"bin/tone", *LIBRARIES}

    another = "file(WRITE ${CMAKE_BINARY_DIR}/other/tone another)\nproject(tone C)"
    tree.edit("CMakeLists.txt", "project(tone C)", another)
    tree.edit("buildtool.toml", '"bin/*"', '"other/tone"')
    assert "two files have the path bin/tone" in refusal(tree)
