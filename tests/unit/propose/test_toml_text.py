"""A proposal as TOML has the same meaning when it is read, whatever its texts contain."""

from __future__ import annotations

import tomllib

from hypothesis import given
from hypothesis import strategies as st

from buildtool.propose.proposal import Line, Proposal, Table, Unknown, toml_text

TEXTS = st.text(alphabet=st.characters(codec="utf-8"), max_size=40)


@given(value=TEXTS, key=TEXTS, items=st.lists(TEXTS, max_size=8), why=TEXTS)
def test_values_are_read_as_they_were(value: str, key: str, items: list[str], why: str) -> None:
    lines = (
        Line("one", value, why),
        Line("many", tuple(items), why),
        Line("table", {key: value}, why),
        Line("left", value, why, sure=False),
    )
    written = toml_text(Proposal((Table("skel.a", why, lines),)))
    assert tomllib.loads(written) == {
        "skel": {"a": {"one": value, "many": items, "table": {key: value}}}
    }


def test_delete_and_control_characters() -> None:
    written = toml_text(Proposal((Table("a", "b\x7fc\x1b", (Line("d", "e\x7f\n"),)),)))
    assert "# b?c?\n" in written
    assert tomllib.loads(written) == {"a": {"d": "e\x7f\n"}}


@given(key=TEXTS, items=st.lists(TEXTS, max_size=8), what=TEXTS, remedy=TEXTS)
def test_a_table_that_is_off_is_a_comment(
    key: str, items: list[str], what: str, remedy: str
) -> None:
    lines = (Line("many", tuple(items), what), Line("table", {key: 3}), Line("a", "b", sure=False))
    off = Table("skel.a", "", lines, Unknown(what, remedy))
    written = toml_text(Proposal((off, Table("skel.b", "", ())), (Unknown(what, remedy),)))
    assert tomllib.loads(written) == {"skel": {"b": {}}}
    assert "# [skel.a]\n" in written
