"""The plan: the steps of a target."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from buildtool.core.errors import UsageError
from buildtool.plan.plan import CMakeStep, in_order, plan_target
from buildtool.project.components import Host, Skel
from buildtool.project.model import Header, Project, Target
from buildtool.toolchains.profile import Compiler, Profile
from tests.made_up import CMAKE

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
    plan = plan_target(PROJECT, "sim", CMAKE, HOST, SKELS)
    steps = plan.cmake_steps

    assert [step.name for step in steps] == ["host/app", "skel/k/v68", "skel/k/v73"]
    assert plan.release == Path("/p/.buildtool/release/sim")
    assert steps[0].targets == ("app",)
    assert all(step.install for step in steps)  # artifacts ship in addition


@pytest.mark.parametrize("artifacts", [(), ("out/*.so",)])
@pytest.mark.parametrize(
    ("install", "needed", "rules_run", "rules_ship"),
    [
        (True, False, True, True),
        (True, True, True, True),
        (False, True, True, False),
        (False, False, False, True),
    ],
)
def test_install_rules_run_and_ship_by_default(
    install: bool, needed: bool, rules_run: bool, rules_ship: bool, artifacts: tuple[str, ...]
) -> None:
    base = Host("base", install=install, artifacts=artifacts)
    app = Host("app", needs=("base",) if needed else ())
    project = PROJECT._replace(hosts={"base": base, "app": app})

    step = plan_target(project, "sim", CMAKE, HOST, SKELS).cmake_steps[0]

    assert (step.install, step.ships) == (rules_run, rules_ship)
    assert step.ships_output("lib/liba.so") is rules_ship
    assert step.ships_output("liba.so") is (rules_ship or bool(artifacts))
    assert step.ships_output("notes") is rules_ship


def test_the_arch_is_filled_in() -> None:
    step = plan_target(PROJECT, "sim", CMAKE, HOST, SKELS).cmake_steps[2]

    assert step.defines == (("A", "ON"), ("N", "x-v73"))
    assert step.artifacts == ("lib*v73.so",)


def test_targets_with_the_same_skel_share_its_tree() -> None:
    one = plan_target(PROJECT, "sim", CMAKE, HOST, SKELS).cmake_steps
    other = plan_target(PROJECT, "v73", CMAKE, HOST, SKELS).cmake_steps

    assert one[2].tree == other[1].tree
    assert one[1].tree != one[2].tree


def test_defines_of_a_target_go_before_those_of_its_components() -> None:
    defines = {"A": False, "ARCH": "{arch}"}
    sim = PROJECT.targets["sim"]
    targets = {
        **PROJECT.targets,
        "tuned": sim._replace(defines=defines),
        "again": sim._replace(defines=dict(reversed(defines.items()))),
        "other": sim._replace(defines={"A": True}),
    }
    project = PROJECT._replace(targets=targets)

    def steps(name: str) -> tuple[CMakeStep, ...]:
        return plan_target(project, name, CMAKE, HOST, SKELS).cmake_steps

    host, skel = steps("tuned")[0], steps("tuned")[2]
    assert host.defines == (("A", "OFF"), ("ARCH", "{arch}"))
    assert skel.defines == (("A", "OFF"), ("ARCH", "v73"), ("N", "x-v73"))
    assert steps("sim")[2].defines == (("A", "ON"), ("N", "x-v73"))
    assert [step.tree for step in steps("again")] == [step.tree for step in steps("tuned")]
    places = [(s.tree, s.output) for name in ("sim", "tuned", "other") for s in steps(name)]
    assert len({place for pair in places for place in pair}) == 2 * 9


def test_what_is_built_on_is_that_of_the_same_defines() -> None:
    skels = {"base": Skel("dsp"), "k": Skel("dsp", needs=("base",))}
    targets = {"tuned": Target("u", ("v68",), defines={"A": 1})}
    project = PROJECT._replace(skels=skels, targets=targets)

    _, base, k = plan_target(project, "tuned", CMAKE, HOST, SKELS).cmake_steps

    assert k.needs == (("skel/base/v68", base.output),)


def test_a_wrong_target_gets_a_suggestion() -> None:
    with pytest.raises(UsageError) as caught:
        plan_target(PROJECT, "simm", CMAKE, HOST, SKELS)

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


def needing(needs: Mapping[str, tuple[str, ...]]) -> dict[str, Host]:
    return {name: Host("host", needs=what) for name, what in needs.items()}


def test_components_come_after_those_that_they_need_else_as_the_project_has_them() -> None:
    assert in_order(needing({"d": (), "a": ("c", "b"), "b": ("d",), "c": ("b",), "e": ()})) == (
        "d",
        "b",
        "c",
        "a",
        "e",
    )


def test_a_long_chain_of_needs_and_one_of_diamonds_have_an_order() -> None:
    last = 5000
    chain = {f"c{n}": (f"c{n + 1}",) if n < last else () for n in range(last + 1)}
    assert in_order(needing(chain)) == tuple(reversed(chain))

    diamonds: dict[str, tuple[str, ...]] = {"top0": ()}
    for n in range(60):  # there are 2^60 paths
        diamonds |= {f"left{n}": (f"top{n}",), f"right{n}": (f"top{n}",)}
        diamonds[f"top{n + 1}"] = (f"left{n}", f"right{n}")
    assert in_order(needing(dict(reversed(diamonds.items()))))[0] == "top0"
