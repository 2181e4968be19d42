"""Shared libraries of a third party's tree: which of them ship, and which are missing."""

from __future__ import annotations

from buildtool.core.elf import read_dynamic
from tests.integration.projects.conftest import ThirdParty, Tree

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


def runpath(tree: ThirdParty) -> tuple[str, ...]:
    return read_dynamic(tree.release() / "bin/tone").runpath


def refusal(tree: ThirdParty) -> str:
    """The error of a build that is refused."""
    done = tree.run("build")
    assert done.returncode == 1, done.stdout
    return " ".join(done.stderr.split())


def test_libraries_that_install_rules_leave_out(third_party: Tree) -> None:
    tree = third_party("versioned", PROJECT)
    assert tree.build() == {"host/tone": "built"}
    assert tree.shipped == {"bin/tone", *LIBRARIES}

    tree.edit("wave/CMakeLists.txt", "SOVERSION 2", "SOVERSION 3")
    assert tree.build() == {"host/tone": "built"}
    assert tree.shipped == {"bin/tone", "lib/libmixer.so.0", "lib/libwave.so.3"}


def test_a_program_that_is_installed_as_a_file_loses_the_build_tree_s_runpath(
    third_party: Tree,
) -> None:
    tree = third_party(
        "versioned", PROJECT.replace('TONE_INSTALL = "tone"', "TONE_INSTALL_FILES = true")
    )
    tree.build()

    assert tree.shipped == {"bin/tone", *LIBRARIES}
    assert runpath(tree) == ()
    assert str(tree.root).encode() not in (tree.release() / "bin/tone").read_bytes()


def test_runpaths_that_are_installed(third_party: Tree) -> None:
    tree = third_party("versioned", PROJECT)
    rpath = 'TONE_INSTALL = "tone", TONE_RPATH = '
    tree.edit("buildtool.toml", 'TONE_INSTALL = "tone"', f'{rpath}"/opt/tone/lib"')
    message = refusal(tree)
    assert "bin/tone has a RUNPATH that points outside the release: /opt/tone/lib" in message
    assert "CMAKE_SKIP_RPATH = true } in [host.tone]" in message

    inside = f"{tree.root}/wave;$ORIGIN/../lib"
    tree.edit("buildtool.toml", '"/opt/tone/lib"', f'"{inside}"')
    tree.build()
    assert runpath(tree) == ("$ORIGIN/../lib",)


def test_a_library_that_no_target_makes(third_party: Tree) -> None:
    tree = third_party("versioned", PROJECT)
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
    assert tree.build() == {"host/tone": "up-to-date"}
    assert tree.shipped == {"bin/tone", *LIBRARIES}

    tree.edit("buildtool.toml", declared, 'toolchain = "gcc"')
    assert "libbeep.so.1" in refusal(tree)
    tree.edit("buildtool.toml", '["bin/tone"]', '["bin/tone", "vendor/*.so*"]')
    tree.build()
    assert tree.shipped == {"bin/tone", "lib/libbeep.so.1", *LIBRARIES}


def test_install_rules_want_what_is_not_built(third_party: Tree) -> None:
    tree = third_party("versioned", PROJECT)
    tree.edit(
        "buildtool.toml",
        '"tone" }',
        '"tone;wave" }\ntargets = ["wave"]\nartifacts = ["wave/libwave.so.2"]',
    )
    assert "or set install = false and name what ships in 'artifacts'" in refusal(tree)

    tree.edit("buildtool.toml", "targets =", "install = false\ntargets =")
    tree.build()
    assert tree.shipped == {"lib/libwave.so.2"}


def test_an_artifact_that_the_install_rules_put_down_as_well(third_party: Tree) -> None:
    tree = third_party("versioned", PROJECT)
    tree.edit(
        "buildtool.toml", '"tone" }', '"tone;mixer;wave" }\nartifacts = ["**/lib*.so", "bin/*"]'
    )
    tree.build()
    assert tree.shipped == {"bin/tone", *LIBRARIES}

    another = "file(WRITE ${CMAKE_BINARY_DIR}/other/tone another)\nproject(tone C)"
    tree.edit("CMakeLists.txt", "project(tone C)", another)
    tree.edit("buildtool.toml", '"bin/*"', '"other/tone"')
    assert "two files have the path bin/tone" in refusal(tree)
