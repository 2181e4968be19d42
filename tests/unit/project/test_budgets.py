"""`[budget.NAME]` of the project file."""

from __future__ import annotations

from pathlib import Path

import pytest

from buildtool.project.budgets import parse_size
from buildtool.project.read import ProjectError, read_project


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
