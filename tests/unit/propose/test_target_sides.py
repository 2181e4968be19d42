"""The side of a program or library, determined from CMake's description."""

from __future__ import annotations

from pathlib import Path

import pytest

from buildtool.propose.cmake_tree import CMakeTree
from buildtool.propose.configure import ConfigureFailure
from buildtool.propose.target_sides import (
    HOST,
    SKEL,
    SidedTarget,
    TextHints,
    evidence,
    sided_targets,
    split_by_side,
)
from tests.unit.propose.configured import ROOT, configured, target

NOTHING = TextHints(CMakeTree(ROOT, {}, (), ()))


@pytest.mark.parametrize(
    ("kind", "properties", "side"),
    [
        ("program", {}, HOST),
        ("library", {}, ""),
        ("library", {"sources": "out/a_skel.c b.c"}, SKEL),
        ("library", {"sources": "out/a_stub.c"}, HOST),
        ("program", {"sources": "a_skel.c a_stub.c"}, HOST),
        ("library", {"links": "-lcdsprpc"}, HOST),
        ("library", {"links": "/sdk/libadsprpc.so.1"}, HOST),
        ("library", {"links": "-L/buildtool-cdsprpc/lib -lm"}, ""),
        ("library", {"flags": "-O2 -mhvx=v68"}, SKEL),
        ("library", {"flags": "-mcpu=hexagonv68"}, SKEL),
    ],
)
def test_signs(kind: str, properties: dict[str, str], side: str) -> None:
    (made,) = sided_targets(configured(target("a", kind, **properties)), NOTHING)
    assert made.side == side


@pytest.mark.parametrize("name", ["a_skel", "a-v73"])
def test_names_tell(name: str) -> None:
    (made,) = sided_targets(configured(target(name, "library")), NOTHING)
    assert made.side == SKEL


def test_flags_of_a_hexagon_profile_tell_nothing() -> None:
    (made,) = sided_targets(configured(target("a", "library", flags="-mhvx"), arch="v68"), NOTHING)
    assert made.side == ""


def test_sources_tell_where_cmake_does_not(tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text("/* */\n#include <hexagon_protos.h>\n")
    tree = configured(target("a", "library"))
    own = tree.model.targets[0]._replace(sources=(tmp_path / "a.c",))
    step = tree.step._replace(root=tmp_path)
    tree = tree._replace(step=step, model=tree.model._replace(targets=(own,)))

    (made,) = sided_targets(tree, TextHints(CMakeTree(tmp_path, {}, (), ())))

    assert made.side == SKEL
    assert made.why == "compiles into a a.c:2: #include <hexagon_protos.h>"


def test_what_is_not_built_by_default_is_not_there() -> None:
    tree = configured(target("a"), target("b"), target("c", "static"), without="b")
    assert [made.target.name for made in sided_targets(tree, NOTHING)] == ["a"]
    assert sided_targets(ConfigureFailure("", ""), NOTHING) == sided_targets(None, NOTHING) == ()


def names(made: tuple[SidedTarget, ...]) -> list[str]:
    return [row.target.name for row in made]


def test_what_only_one_configuration_makes() -> None:
    host = configured(target("app"), target("common", "library"))
    skel = configured(target("kernels", "library"), target("common", "library"), arch="v68")
    for_host, for_skel = split_by_side(host, skel, NOTHING, has_hexagon_side=True)
    assert names(for_host) == ["app", "common"]
    assert names(for_skel) == ["kernels", "common"]
    assert evidence(for_skel, ROOT).startswith("CMakeLists.txt:7 builds kernels for the DSP only")

    # A tree without DSP support may define other targets for an unknown system.
    assert split_by_side(host, skel, NOTHING, has_hexagon_side=False)[1] == ()


def test_a_program_is_never_a_skel() -> None:
    tools = target("run"), target("k_skel", "library")
    for_host, for_skel = split_by_side(
        configured(*tools), configured(*tools, arch="v68"), NOTHING, has_hexagon_side=True
    )
    assert (names(for_host), names(for_skel)) == (["run"], ["k_skel"])


def test_where_nothing_tells() -> None:
    tree, failed = configured(target("a", "library")), ConfigureFailure("", "")
    assert names(split_by_side(tree, None, NOTHING, has_hexagon_side=False)[0]) == ["a"]
    assert names(split_by_side(failed, tree, NOTHING, has_hexagon_side=True)[1]) == ["a"]
    assert split_by_side(failed, tree, NOTHING, has_hexagon_side=False) == ((), ())
