"""Trees with the structure of public Hexagon programs are built without changes.

Each only gets a buildtool.toml of a few lines.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from buildtool.contract.build_checks import check_skel
from tests.integration.projects.conftest import ThirdParty, Tree

MONOREPO = """\
[project]
name = "imgkit"

[host.imgkit]
source = "."
preset = "host"

[skel.kernels]
source = "."
preset = "dsp"
defines = { DSP_VERSION = "{arch}" }

[target.sim]
platform = "ubuntu-aarch64"
dsp-toolchain = "llvm"
archs = ["v68", "v73"]
"""
SUPERBUILD = """\
[project]
name = "denoise"

[host.denoise]
source = "."
defines = { DENOISE_BUILD_HTP = false }
artifacts = ["bin/denoise"]

[skel.htp]
source = "backend/htp"
targets = ["htp-{arch}"]
artifacts = ["libdenoise-htp-{arch}.so"]

[target.sim]
platform = "ubuntu-aarch64"
dsp-toolchain = "sdk"
archs = ["v68", "v73"]
"""
ONE_LISTING = """\
[project]
name = "counter"

[host.count]
source = "."

[skel.counter]
source = "."
idl = "inc/counter.idl"

[target.sim]
platform = "ubuntu-aarch64"
dsp-toolchain = "sdk"
archs = ["v68"]
"""
HOST_TREE = """\
[project]
name = "beam"

[host.beam]
source = "app"
defines = { BEAM_WITH_CORE = false }

[target.sim]
platform = "ubuntu-aarch64"
"""


def built_once(tree: ThirdParty) -> set[str]:
    """Build everything, then check that nothing is left to build; returns the release."""
    assert set(tree.builds().values()) == {"built"}
    shipped = {path: path.stat().st_mtime_ns for path in tree.release().rglob("*")}
    assert set(tree.builds().values()) == {"up-to-date"}, tree.why("--last")
    assert {path: path.stat().st_mtime_ns for path in tree.release().rglob("*")} == shipped
    return tree.shipped


def test_a_monorepo_with_presets_and_both_sides_in_one_tree_and_edits_there(
    third_party: Tree,
) -> None:
    tree = third_party("monorepo", MONOREPO)

    assert built_once(tree) == {
        "bin/imgtool",
        "lib/libimgkit.so.2",  # once, under its SONAME
        "share/imgkit/tiles.txt",
        *(f"dsp/{arch}/lib{skel}_skel.so" for arch in ("v68", "v73") for skel in ("blur", "edge")),
    }
    assert tree.elf("bin/imgtool").needed == ("libimgkit.so.2", "libc.so.6")
    assert tree.elf("lib/libimgkit.so.2").exports == {"imgkit_widest"}
    for arch in ("v68", "v73"):
        blur = tree.elf(f"dsp/{arch}/libblur_skel.so")
        assert blur.hexagon_arch == arch
        # Both skels contain the static library.
        assert {"blur_skel_handle_invoke", "hvxmath_tile"} <= blur.exports
        assert f"blur for {arch}".encode() in blur.path.read_bytes()
        assert "hvxmath_average" not in tree.elf(f"dsp/{arch}/libedge_skel.so").imports
    flags = next(tree.root.glob(".buildtool/build/kernels/*/build.ninja")).read_text()
    assert "-DIMGKIT_TILE=64" in flags, "the preset's own cache variable"
    assert "-Werror" in flags, "that of a preset which it inherits"

    # An edit reaches what it is part of.
    host, *skels = ("host/imgkit", "skel/kernels/v68", "skel/kernels/v73")

    tree.edit("dsp/hvxmath/vectors.c", "return IMGKIT_TILE", "return 1 + IMGKIT_TILE")
    assert tree.builds() == {host: "up-to-date", **dict.fromkeys(skels, "built")}

    tree.edit("host/tool/tiles.txt", "64", "128")
    assert tree.builds() == {host: "built", **dict.fromkeys(skels, "up-to-date")}
    assert (tree.release() / "share/imgkit/tiles.txt").read_text() == "32 128\n"

    tree.edit("CMakePresets.json", '"IMGKIT_TILE": "64"', '"IMGKIT_TILE": "16"')
    assert set(tree.builds().values()) >= {"built"}
    flags = next(tree.root.glob(".buildtool/build/kernels/*/build.ninja")).read_text()
    assert "-DIMGKIT_TILE=16" in flags


@pytest.mark.long
@pytest.mark.usefixtures("sdk")
def test_a_superbuild_whose_skels_are_steps_of_their_own(third_party: Tree) -> None:
    tree = third_party("superbuild", SUPERBUILD)
    assert built_once(tree) == SUPERBUILD_SHIPS
    check_superbuild(tree, "v68", "v73")

    tree.edit("backend/htp/dn_iface.idl", "in long wanted", "in long asked")
    rows = tree.why_json().values()
    assert {(row["outcome"], row["reasons"][0]["kind"]) for row in rows} == {("built", "input")}
    tree.edit("backend/htp/dn_iface.idl", "in long asked", "in long wanted")

    # The skels with the tree's own toolchain file in place of the profile's.
    own = 'toolchain-file = "backend/htp/toolchain.cmake"\ntargets ='
    tree.edit("buildtool.toml", "targets =", own)
    tree.edit("buildtool.toml", '["v68", "v73"]', '["v73"]')
    assert tree.builds() == {"host/denoise": "up-to-date", "skel/htp/v73": "built"}
    assert set(tree.builds().values()) == {"up-to-date"}, tree.why("--last")
    assert tree.shipped == SUPERBUILD_SHIPS - {"dsp/v68/libdenoise-htp-v68.so"}
    check_superbuild(tree, "v73")


SUPERBUILD_SHIPS = {
    "bin/denoise",
    "dsp/v68/libdenoise-htp-v68.so",
    "dsp/v73/libdenoise-htp-v73.so",
}


def check_superbuild(tree: ThirdParty, *archs: str) -> None:
    for arch in archs:
        skel = check_skel(tree.release() / f"dsp/{arch}/libdenoise-htp-{arch}.so", arch)
        assert ("filter_wide" in skel.exports) == (arch == "v73")
    assert not list(tree.root.glob(".buildtool/build/denoise/**/htp-v*")), "no step within a step"


@pytest.mark.long
@pytest.mark.usefixtures("sdk")
def test_a_tree_of_both_sides_that_runs_qaic_itself(third_party: Tree) -> None:
    tree = third_party("one_listing", ONE_LISTING)

    assert built_once(tree) == {"bin/count", "dsp/v68/libcounter_skel.so"}
    skel = check_skel(tree.release() / "dsp/v68/libcounter_skel.so", "v68")
    assert {"counter_skel_handle_invoke", "counter_next"} <= skel.exports
    assert "libcdsprpc.so.1" in tree.elf("bin/count").needed
    header = next(tree.root.glob(".buildtool/build/count/*/counter.h")).read_text()
    assert "stand-in qaic" in header

    tree.edit("inc/counter.idl", "in long step", "in long width")
    assert set(tree.builds().values()) == {"built"}


@pytest.mark.long
def test_an_arm64_tree_with_unusual_conventions(third_party: Tree) -> None:
    """Nothing tells of a version that git describes, but the project file can."""
    tree = third_party("host_tree", HOST_TREE)
    tree.edit(
        "buildtool.toml", 'source = "app"', 'source = "app"\ninputs = [".git/HEAD", ".git/refs/**"]'
    )
    git(tree.root, "init")
    git(tree.root, "add", "app")
    git(tree.root, "commit", "-m", "first")
    git(tree.root, "tag", "r1")

    assert built_once(tree) == {"bin/beam"}
    assert b"beam 0.9 (r1)" in (tree.release() / "bin/beam").read_bytes()
    git(tree.root, "tag", "-d", "r1")
    git(tree.root, "tag", "r2")
    assert tree.builds() == {"host/beam": "built"}
    assert b"beam 0.9 (r2)" in (tree.release() / "bin/beam").read_bytes()

    edits = (
        ("app/data/angles.csv", "90", "90, 120"),  # read by a generator
        ("app/scripts/make_table.py", "beam_table[]", "volatile beam_table[]"),
        ("app/src/version.h.in", "beam @", "Beam @"),  # read by configure_file
        ("vendor/ring/src/ring.c", "at + 1", "at + 2"),  # fetched from a directory
        ("modules/cli/cli.c", "abs(atoi(words[1]))", "atoi(words[1])"),  # a submodule
    )
    for edit in edits:
        tree.edit(*edit)
    reasons = {row["name"] for row in tree.why_json()["host/beam"]["reasons"]}
    assert reasons == {f"{{project}}/{file}" for file, _, _ in edits}
    assert tree.builds() == {"host/beam": "built"}
    assert tree.builds() == {"host/beam": "up-to-date"}
    assert b"Beam 0.9 (" in (tree.release() / "bin/beam").read_bytes()


def git(root: Path, *arguments: str) -> None:
    who = ("-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main")
    subprocess.run(["git", *who, *arguments], cwd=root, check=True, capture_output=True)


@pytest.mark.long
def test_a_component_that_needs_another(third_party: Tree) -> None:
    """The other component's installed files are found, and ship only if configured."""
    tree = third_party("host_tree", HOST_TREE)
    tree.edit("buildtool.toml", "defines = { BEAM_WITH_CORE = false }", 'needs = ["beamcore"]')
    core = '[host.beamcore]\nsource = "core"\ninstall = false\n\n[target.sim]'
    tree.edit("buildtool.toml", "[target.sim]", core)

    assert built_once(tree) == {"bin/beam"}

    # A comment changes no object, so nothing that depends on one is built again.
    tree.edit("core/src/beamcore.c", '#include "beamcore.h"', '#include "beamcore.h" // weight')
    assert tree.builds() == {"host/beamcore": "built", "host/beam": "up-to-date"}

    tree.edit("core/src/beamcore.c", "180", "181")
    assert set(tree.builds().values()) == {"built"}
    tree.edit("core/src/beamcore.c", "181", "180")
    assert set(tree.builds().values()) == {"restored"}
