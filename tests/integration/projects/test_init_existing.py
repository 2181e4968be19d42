"""`buildtool init` in an existing CMake tree proposes a project that can be built."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest

from tests.command_line import Buildtool
from tests.integration.projects.conftest import ThirdParty, Tree
from tests.integration.projects.large_tree import ARCHS, check_large_tree, write_large_tree


@pytest.mark.parametrize(
    ("name", "shipped"),
    [
        pytest.param(
            "monorepo",
            {
                *("bin/imgtool", "lib/libimgkit.so.2", "share/imgkit/tiles.txt"),
                *(f"dsp/{arch}/libblur_skel.so" for arch in ("v68", "v73", "v75")),
                *(f"dsp/{arch}/libedge_skel.so" for arch in ("v68", "v73", "v75")),
            },
            marks=pytest.mark.long,
        ),
        pytest.param(
            "superbuild",
            {
                "bin/denoise",
                *(f"dsp/{arch}/libdenoise-htp-{arch}.so" for arch in ("v68", "v73", "v79")),
            },
            marks=pytest.mark.long,
        ),
        ("one_listing", {"bin/count", "dsp/v68/libcounter_skel.so"}),
        pytest.param("host_tree", {"bin/beam"}, marks=pytest.mark.long),
    ],
)
@pytest.mark.usefixtures("sdk")
def test_what_is_proposed_builds(name: str, shipped: set[str], third_party: Tree) -> None:
    tree = third_party(name)
    before = {path for path in tree.root.rglob("*") if path.is_file()}

    done = tree.run("init")

    assert done.returncode == 0, done.stderr
    assert done.stdout == "buildtool.toml\n"
    after = {path for path in tree.root.rglob("*") if path.is_file()}
    assert after - before == {tree.root / "buildtool.toml"}
    assert set(tree.builds().values()) == {"built"}
    assert tree.shipped == shipped


OLD = """cmake_minimum_required(VERSION 3.0)
project(old C)
add_executable(old old.c)
install(TARGETS old DESTINATION bin)
"""


def test_a_tree_that_asks_for_removed_policies(tmp_path: Path) -> None:
    tree = ThirdParty(tmp_path / "old")
    tree.lay_out({"CMakeLists.txt": OLD, "old.c": "int main(void) { return 0; }\n"})

    done = tree.run("init")

    assert done.returncode == 0, done.stderr
    line = 'defines = { CMAKE_POLICY_VERSION_MINIMUM = "3.5" }'
    assert line in (tree.root / "buildtool.toml").read_text()
    assert "built" in tree.run("build").stderr
    tree.edit("buildtool.toml", line, "")
    assert f"Add to its component: {line}" in tree.run("build").stderr


@pytest.mark.long
def test_the_proposal_for_a_large_tree_builds(tmp_path: Path) -> None:
    tree = ThirdParty(tmp_path / "fleet")
    write_large_tree(tree.root, 2)

    done = tree.run("init")

    assert done.returncode == 0, done.stderr
    assert "! left out: tools/table_maker" in done.stderr
    check_large_tree(tomllib.loads((tree.root / "buildtool.toml").read_text()), "fleet")
    assert set(tree.builds().values()) == {"built"}
    programs = {"bin/fleet-prog0", "bin/fleet-prog1"}
    skels = {f"dsp/{arch}/libfleet-{arch}.so" for arch in ARCHS}
    assert tree.shipped == {*programs, "lib/liblib0.so", *skels}


@pytest.mark.usefixtures("sdk")
def test_printing_writes_nothing(third_party: Tree) -> None:
    tree = third_party("one_listing")
    before = {path: path.stat().st_mtime_ns for path in tree.root.rglob("*")}

    printed = tree.run("init", "--print", "--name", "mine")
    as_json = json.loads(tree.run("init", "--dry-run", "--json").stdout)

    assert '[project]\nname = "mine"\n' in printed.stdout
    assert "# ARM64 side: CMakeLists.txt:15 builds count for ARM64 only\n" in printed.stdout
    assert "✓ . Hexagon v68                configured" in printed.stderr
    assert as_json["files"] == []
    assert "[skel.counter_dsp]" in as_json["text"]
    assert {path: path.stat().st_mtime_ns for path in tree.root.rglob("*")} == before


def test_a_project_file_is_never_overwritten(third_party: Tree) -> None:
    tree = third_party("one_listing", "mine")

    done = tree.run("init")

    assert done.returncode == 2
    assert "buildtool.toml already exists" in done.stderr
    assert "buildtool init --print" in done.stderr
    assert (tree.root / "buildtool.toml").read_text() == "mine"


def test_a_target_without_evidence_is_reported(tmp_path: Path, buildtool: Buildtool) -> None:
    (tmp_path / "CMakeLists.txt").write_text("project(mute C)\nadd_library(mute SHARED m.c)\n")
    (tmp_path / "m.c").touch()

    done = buildtool("init", "--print", "--name", "mute", cwd=tmp_path)

    assert done.returncode == 0
    assert "! CMakeLists.txt:1 has no evidence of its side" in done.stderr
    assert "[host.mute]" in done.stdout


def test_a_tree_without_a_project_is_reported(tmp_path: Path, buildtool: Buildtool) -> None:
    (tmp_path / "CMakeLists.txt").write_text("add_library(a a.c)\n")

    done = buildtool("init", "--name", "a", cwd=tmp_path)

    assert done.returncode == 2
    assert "no component was found in" in done.stderr
    assert "no CMakeLists.txt below it calls project()" in done.stderr
    assert not (tmp_path / "buildtool.toml").exists()


def test_a_template_is_written_where_one_is_asked_for(third_party: Tree) -> None:
    tree = third_party("host_tree")

    done = tree.run("init", "--template", "hvx", "--name", "new", "sub")
    assert done.returncode == 0, done.stderr
    assert (tree.root / "sub/dsp/new_dsp.idl").is_file()

    again = tree.run("init", "--template", "hvx", "sub")
    assert again.returncode == 2


def test_a_proposal_of_comments_alone_is_printed_and_blocks_no_later_one(
    tmp_path: Path, buildtool: Buildtool
) -> None:
    listing = "project(mute NONE)\nmessage(FATAL_ERROR no)\nadd_library(mute SHARED m.c)\n"
    (tmp_path / "CMakeLists.txt").write_text(listing)
    (tmp_path / "m.c").touch()

    done = buildtool("init", "--name", "mute", cwd=tmp_path)

    assert done.returncode == 1
    assert "No component can be built yet, so buildtool.toml was not written." in done.stderr
    assert "# [host.mute]" in done.stdout
    assert "buildtool build" not in done.stderr + done.stdout
    again = buildtool("init", "--name", "mute", "--json", cwd=tmp_path)
    assert again.returncode == 1
    assert json.loads(again.stdout)["files"] == []
    assert not (tmp_path / "buildtool.toml").exists()


def test_a_project_without_components_is_refused(tmp_path: Path, buildtool: Buildtool) -> None:
    (tmp_path / "buildtool.toml").write_text('[project]\nname = "mute"\n#[host.mute]\n')
    commands = {
        ("build",): 2,
        ("build", "--plan"): 2,
        ("package",): 2,
        ("deploy", "sim"): 2,
        ("test", "sim"): 2,
        ("run", "sim", "--", "bin/mute"): 125,
    }
    for arguments, status in commands.items():
        done = buildtool(*arguments, cwd=tmp_path)

        assert (done.returncode, done.stdout) == (status, ""), arguments
        assert "error: the target 'sim' has nothing to build" in done.stderr, arguments
        assert "→ Add one, or complete and uncomment those" in done.stderr, arguments
        assert not (tmp_path / ".buildtool/release").exists(), arguments
    assert buildtool("clean", "sim", cwd=tmp_path).returncode == 0


def test_a_target_without_archs_builds_no_skels(tmp_path: Path, buildtool: Buildtool) -> None:
    text = '[project]\nname = "a"\n[skel.a]\nsource = "a"\n[target.sim]\nplatform = "android"\n'
    (tmp_path / "buildtool.toml").write_text(text)
    (tmp_path / "a").mkdir()
    (tmp_path / "a/CMakeLists.txt").touch()

    done = buildtool("build", cwd=tmp_path)

    assert done.returncode == 2
    assert "[target.sim] names no DSP arch" in done.stderr
    assert 'archs = ["v68"]' in done.stderr
