"""The steps of a plan, divided among runners."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from buildtool.engine.shards import partition
from buildtool.plan.plan import Plan, plan_target
from buildtool.project.components import Host, Skel
from buildtool.project.model import Project, Target
from tests.made_up import CMAKE
from tests.unit.plan.test_plan import HOST, PROJECT, SKELS


def plan_of(hosts: dict[str, Host], *skels: str) -> Plan:
    project: Project = PROJECT._replace(
        hosts=hosts,
        skels={name: Skel("dsp") for name in skels},
        targets={"sim": Target("ubuntu-aarch64", tuple(SKELS))},
    )
    return plan_target(project, "sim", CMAKE, HOST, SKELS)


CHAIN = {"base": Host("base"), "app": Host("app", needs=("base",))}
MANY = {"base": Host("base"), **{f"a{n}": Host("a", needs=("base",)) for n in range(3)}}


def test_without_records_all_steps_count_the_same() -> None:
    runners = partition(plan_of({}, "k", "m"), {}, 2)
    assert runners == {"skel/k/v68": 1, "skel/k/v73": 2, "skel/m/v68": 1, "skel/m/v73": 2}


def test_a_long_step_has_a_runner_for_itself() -> None:
    seconds = {"host/app": 90.0, "skel/k/v68": 10.0, "skel/k/v73": 20.0, "skel/m/v68": 30.0}
    runners = partition(plan_of({"app": Host("host")}, "k", "m"), seconds, 2)
    assert [name for name, number in runners.items() if number == 1] == ["host/app"]
    assert [*runners][1] == "skel/m/v73"  # not known: the mean, 37.5 s


def test_a_chain_stays_on_one_runner() -> None:
    runners = partition(plan_of(CHAIN, "k"), {}, 4)
    assert runners["host/base"] == runners["host/app"] == 1
    assert {runners["skel/k/v68"], runners["skel/k/v73"]} == {2, 3}
    assert [*runners][:1] == ["host/base"]


def test_what_many_need_is_built_once_and_they_are_divided() -> None:
    runners = partition(plan_of(MANY), {"host/base": 1.0}, 3)
    assert runners["host/base"] == 1
    assert {runners[f"host/a{number}"] for number in range(3)} == {1, 2, 3}


def test_prebuilt_files_have_no_runner() -> None:
    hosts = {"pre": Host(files=("lib/*.so",)), "app": Host("app", needs=("pre",))}
    assert partition(plan_of(hosts), {}, 2) == {"host/app": 1}


@pytest.mark.parametrize("total", [1, 3, 9999])
def test_any_number_of_runners(total: int) -> None:
    assert set(partition(plan_of(MANY, "k"), {}, total).values()) <= set(range(1, total + 1))


@given(st.data(), st.integers(1, 6))
def test_all_runners_find_the_same_parts_and_none_has_too_much(
    data: st.DataObject, total: int
) -> None:
    plan = plan_of(MANY, *"klm")
    names = [step.name for step in plan.cmake_steps]
    durations = st.floats(0, 1e9, exclude_max=True)
    seconds = data.draw(st.dictionaries(st.sampled_from(names), durations))
    runners = partition(plan, seconds, total)

    again = random.Random(total).sample([*seconds.items()], len(seconds))
    assert [*partition(plan, dict(again), total).items()] == [*runners.items()]
    assert sorted(runners) == sorted(names)
    order = [*runners]
    assert all(order.index("host/base") < order.index(f"host/a{number}") for number in range(3))
    if len(seconds) == len(names):
        loads = [
            sum(seconds[name] for name in names if runners[name] == number)
            for number in range(1, total + 1)
        ]
        ideal = sum(seconds.values()) / total
        longest = seconds["host/base"] + max(seconds.values())  # Graham's bound
        assert max(loads) <= ideal + longest + 1
