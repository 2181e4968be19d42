"""`[budget.NAME]` of the project file."""

from __future__ import annotations

from pathlib import Path

import pytest

from buildtool.core.errors import UsageError
from buildtool.project.budgets import Budget, parse_size
from buildtool.project.read import ProjectError, read_project
from buildtool.project.write_budgets import new_limits, with_limits, write_limits


def project_file(folder: Path, table: str) -> Path:
    file = folder / "buildtool.toml"
    file.write_text(f'[project]\nname = "demo"\n{table}\n')
    return file


def test_a_budget_has_limits_by_key(tmp_path: Path) -> None:
    text = '[budget."bench/demo_add"]\npackets = 130_000\ncalls = 20\nbytes = "1.5 KiB"\n'
    project = read_project(project_file(tmp_path, f'{text}[budget.demo]\ndata = "0"'))

    assert project.budgets["bench/demo_add"].limits == {
        "packets": 130_000,
        "calls": 20,
        "bytes": 1536,
    }
    assert project.budgets["demo"].limits == {"data": 0}


@pytest.mark.parametrize(
    ("text", "size"), [("8192", 8192), ("8 KiB", 8192), ("2MiB", 2 << 20), ("17 B", 17)]
)
def test_sizes_have_units(text: str, size: int) -> None:
    assert parse_size(text) == size


@pytest.mark.parametrize(
    ("table", "message", "remedy"),
    [
        ("[budget.x]", "budget.x: has no limit", "Add one: packets, calls"),
        ("[budget.x]\npackets = -1", "budget.x.packets: is less than nothing", "from 1"),
        ('[budget.x]\ncode = "8 kB"', "budget.x.code: '8 kB' is not a size", '"8 KiB"'),
        ('[budget.x]\ncode = "0.3 B"', "budget.x.code: '0.3 B' is not a size", "whole bytes"),
        ('[budget.x]\ncode = ""\ncalls = 1.5', "budget.x.calls: must be a number", "It is 1.5"),
        ("[budget.x]\nbytes = 5", "budget.x.bytes: must be a string", 'Write: bytes = "5"'),
        ("[budget.x]\npacket = 5", "budget.x.packet: unknown key", "Did you mean 'packets'?"),
        ('[budget."a\\nb"]\ncalls = 1', "is not a valid name", "Use letters"),
    ],
)
def test_bad_limits_are_named(tmp_path: Path, table: str, message: str, remedy: str) -> None:
    with pytest.raises(ProjectError) as caught:
        read_project(project_file(tmp_path, table))

    assert message in str(caught.value)
    assert remedy in caught.value.remedy


FILE = """[project]  # keep me
name = "demo"

[budget."speed/demo_add"]   # and me
# a reason
packets = 1_000 # one more would be too slow
stack = '9 KiB'

# about others
[budget.other]
calls = 3"""


def test_limits_are_written_over_those_that_are_there() -> None:
    limits = {"speed/demo_add": {"packets": 12_345, "calls": 4}, "speed": {"bytes": 17}}

    assert with_limits(FILE, limits) == (
        FILE.replace("1_000 #", "12_345 #").replace("'9 KiB'\n", "'9 KiB'\ncalls = 4\n")
        + '\n\n[budget.speed]\nbytes = "17"\n'
    )


def test_written_limits_are_those_of_the_file(tmp_path: Path) -> None:
    file = tmp_path / "buildtool.toml"
    file.write_text(FILE)
    changed = write_limits(read_project(file), {"other": {"calls": 9}, "a b/c": {"packets": 1}})

    assert changed.budgets == read_project(file).budgets
    assert changed.budgets["other"].limits == {"calls": 9}
    assert changed.budgets["a b/c"].limits == {"packets": 1}


@pytest.mark.parametrize("table", ["budget.speed = { calls = 3 }", "[budget]\nspeed.calls = 3"])
def test_tables_in_another_form_are_left_alone(tmp_path: Path, table: str) -> None:
    file = tmp_path / "buildtool.toml"
    file.write_text(f'{table}\n[project]\nname = "demo"\n')
    before = file.read_text()
    with pytest.raises(UsageError, match="have a form that is not changed here"):
        write_limits(read_project(file), {"speed": {"calls": 9}})

    assert file.read_text() == before


@pytest.mark.parametrize(
    ("margin", "packets", "calls"), [(0, 1001, 20), (5, 1052, 21), (2.5, 1027, 21), (100, 2002, 40)]
)
def test_a_margin_is_rounded_up(margin: float, packets: int, calls: int) -> None:
    uses = {"speed": {"packets": 1001, "calls": 20, "vtcm": 0}}

    assert new_limits({}, "speed", uses, {}, margin) == {
        "speed": {"packets": packets, "calls": calls}
    }


def test_methods_and_skels_have_limits_unless_they_have_tables() -> None:
    methods = {name: {"packets": 10, "calls": 1} for name in ("add", "speed/add", "speed/sub")}
    uses = {"speed": {"packets": -1, "calls": 2}, "sub": {"packets": 10}, **methods}
    sizes = {"demo": {"code": 9, "data": 0}, "demo/v68": {"code": 9, "data": 0}}
    budgets = {"add": Budget(calls=7), "unit": Budget(calls=5)}

    assert new_limits(budgets, "speed", uses, sizes, 0) == {
        "speed": {"calls": 2},
        "speed/sub": {"packets": 10},
        "demo/v68": {"code": 9, "data": 0},
        "add": {"calls": 1},
    }
    assert new_limits({"demo": Budget(code="1")}, "speed", uses, sizes, 0)["demo"] == {"code": 9}
