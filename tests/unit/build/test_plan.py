"""The plan: which steps make a target."""

from __future__ import annotations

from pathlib import Path

import pytest

from buildtool.build.plan import make_plan
from buildtool.core.errors import UsageError
from buildtool.project.model import Header, Host, Project, Skel, Target
from buildtool.toolchains.profile import Profile

PROJECT = Project(
    root=Path("/p"),
    header=Header("demo"),
    hosts={"app": Host("host", targets=("app",))},
    skels={"k": Skel("dsp", defines={"A": True, "N": "x-{arch}"}, artifacts=("lib*{arch}.so",))},
    targets={"sim": Target("ubuntu-aarch64", ("v68", "v73")), "v73": Target("u", ("v73",))},
)


def profile(name: str) -> Profile:
    return Profile(name, "hexagon.cmake.in", {"ARCH": name}, "zig 1", {})


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
    base = Profile("a", "hexagon.cmake.in", {"ARCH": "v68"}, "zig 1", {"ZIG": "/here"})

    assert base.digest == Profile("a", base.template, base.settings, "zig 1", {"ZIG": "/x"}).digest
    assert base.digest != Profile("a", base.template, {"ARCH": "v69"}, "zig 1", {}).digest
    assert base.digest != Profile("a", base.template, base.settings, "zig 2", {}).digest
