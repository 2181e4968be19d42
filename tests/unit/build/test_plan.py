"""The plan: which steps make a target."""

from __future__ import annotations

from pathlib import Path

import pytest

from buildtool.build.plan import make_plan
from buildtool.core.errors import UsageError
from buildtool.project.model import Header, Host, Project, Skel, Target
from buildtool.toolchains.profile import Compiler, Profile

PROJECT = Project(
    root=Path("/p"),
    header=Header("demo"),
    hosts={"app": Host("host", targets=("app",))},
    skels={"k": Skel("dsp", defines={"A": True, "N": "x-{arch}"}, artifacts=("lib*{arch}.so",))},
    targets={"sim": Target("ubuntu-aarch64", ("v68", "v73")), "v73": Target("u", ("v73",))},
)


COMPILER = Compiler("clang", "22", "", ("cc",), ("c++",))


def profile(name: str) -> Profile:
    return Profile(name, "hexagon", "hexagon.cmake.in", {"ARCH": name}, "zig 1", {}, COMPILER)


HOST = profile("host")
SKELS = {arch: profile(arch) for arch in ("v68", "v73")}


def test_the_host_side_comes_first_then_each_skel_for_each_arch() -> None:
    plan = make_plan(PROJECT, "sim", HOST, SKELS)

    assert [step.name for step in plan.steps] == ["host/app", "skel/k/v68", "skel/k/v73"]
    assert plan.stage == Path("/p/.buildtool/stage/sim")
    assert plan.steps[0].targets == ("app",)
    assert plan.steps[0].install
    assert not plan.steps[1].install  # it names artifacts instead


def test_the_arch_is_filled_in() -> None:
    step = make_plan(PROJECT, "sim", HOST, SKELS).steps[2]

    assert step.defines == (("A", "ON"), ("N", "x-v73"))
    assert step.artifacts == ("lib*v73.so",)


def test_targets_with_the_same_skel_share_its_tree() -> None:
    one = make_plan(PROJECT, "sim", HOST, SKELS).steps
    other = make_plan(PROJECT, "v73", HOST, SKELS).steps

    assert one[2].tree == other[1].tree
    assert one[1].tree != one[2].tree


def test_a_wrong_target_gets_a_suggestion() -> None:
    with pytest.raises(UsageError) as caught:
        make_plan(PROJECT, "simm", HOST, SKELS)

    assert caught.value.remedy == "Did you mean 'sim'?"


def test_the_profile_s_digest_names_what_shapes_the_output_and_nothing_else() -> None:
    def profile(settings: dict[str, str], identity: str, place: str) -> Profile:
        return Profile(
            "a", "hexagon", "hexagon.cmake.in", settings, identity, {"ZIG": place}, COMPILER
        )

    v68 = {"ARCH": "v68"}
    base = profile(v68, "zig 1", "/here")

    assert base.digest == profile(v68, "zig 1", "/there").digest
    assert base.digest != profile({"ARCH": "v69"}, "zig 1", "/here").digest
    assert base.digest != profile(v68, "zig 2", "/here").digest
