"""`buildtool init` in an existing CMake tree proposes a project that can be built."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.command_line import Buildtool
from tests.integration.projects.conftest import ThirdParty, Tree
from tests.integration.projects.large_tree import write_large_tree


@pytest.mark.parametrize(
    ("name", "shipped"),
    [
        (
            "monorepo",
            {
                *("bin/imgtool", "lib/libimgkit.so.2", "share/imgkit/tiles.txt"),
                *("dsp/v68/libblur_skel.so", "dsp/v68/libedge_skel.so"),
            },
        ),
        ("superbuild", {"bin/denoise", "dsp/v68/libdenoise-htp-v68.so"}),
        ("one_listing", {"bin/count", "dsp/v68/libcounter_skel.so"}),
        ("host_tree", {"bin/beam"}),
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
    assert set(tree.build().values()) == {"built"}
    assert tree.shipped == shipped


def test_the_proposal_for_a_large_tree_builds(tmp_path: Path) -> None:
    tree = ThirdParty(tmp_path / "fleet")
    write_large_tree(tree.root, 4)

    done = tree.run("init")

    assert done.returncode == 0, done.stderr
    assert "! left out: tools/table_maker" in done.stderr
    assert set(tree.build().values()) == {"built"}
    programs = {f"bin/fleet-prog{number}" for number in range(4)}
    assert tree.shipped == {*programs, "lib/liblib0.so", "dsp/v68/libfleet-v68.so"}


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
