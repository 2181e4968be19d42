"""The list of names that DSP shells provide, and the emulated shell's own tables."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
LIST = ROOT / "buildtool/toolchains/shell_symbols.toml"
RUNTIME = ROOT / "dsp/shell/runtime"
GROUPS = tomllib.loads(LIST.read_text())["group"]


def tables() -> dict[str, list[str]]:
    """The names of each family, read from its C table."""
    families = re.findall(r"SHELL_FAMILY\((\w+)\)", (RUNTIME / "families.h").read_text())
    assert families
    found = {}
    for family in families:
        source = (RUNTIME / f"{family}.c").read_text()
        table = source.split(f"const struct shell_symbol {family}_symbols[] = {{", 1)[1]
        rows = table.split("OFFER_END", 1)[0]
        found[family] = re.findall(r'OFFER\((\w+)\)|OFFER_AS\("(\w+)"|{"(\w+)"', rows)
    return {family: ["".join(row) for row in rows] for family, rows in found.items()}


def test_list_and_tables_agree() -> None:
    listed = {(g["name"], name) for g in GROUPS if g["emulated"] for name in g["names"]}
    offered = {(family, name) for family, names in tables().items() for name in names}
    assert offered - listed == set(), "offered by the emulated shell, but not in the list"
    assert listed - offered == set(), "in the list as emulated, but in no table"


def test_what_is_not_emulated_is_in_no_table() -> None:
    offered = {name for names in tables().values() for name in names}
    assert {n for g in GROUPS if not g["emulated"] for n in g["names"]} & offered == set()


def test_each_name_is_listed_and_offered_once() -> None:
    names = [name for group in GROUPS for name in group["names"]]
    assert len(names) == len(set(names))
    offered = [name for rows in tables().values() for name in rows]
    assert len(offered) == len(set(offered))


@pytest.mark.parametrize("group", GROUPS, ids=lambda g: f"{g['name']}-{g['evidence']}-{g['weak']}")
def test_each_group_says_where_it_was_read(group: dict[str, object]) -> None:
    keys = {"name", "evidence", "emulated", "weak", "source", "names"}
    assert set(group) == keys
    assert group["evidence"] in {"seen", "documented", "emulator"}
    assert str(group["source"]).strip()
    assert group["names"]


def test_allocator_is_offered_wrapped_only() -> None:
    """Real shells do not export plain malloc; a skel that forgot --wrap must be refused."""
    names = {name for group in GROUPS for name in group["names"]}
    assert {"__wrap_malloc", "__wrap_free", "__wrap_memalign"} <= names
    assert not names & {"malloc", "calloc", "realloc", "free", "memalign"}
