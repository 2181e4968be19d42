"""Paths that a tool would misread are rejected, and no others."""

from __future__ import annotations

import os
import string
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from buildtool.core.cache import cache_dir
from buildtool.core.safe_path import MISREAD, UnsafePathError, check_path, misread
from tests.path_names import CONTROL, REFUSED, SPECIAL, SPECIAL_NAME

ACCEPTED = string.ascii_letters + string.digits + "/" + SPECIAL


@pytest.mark.parametrize("byte", range(1, 256), ids=lambda byte: f"0x{byte:02x}")
def test_each_byte_of_a_path_is_accepted_or_refused_by_name(byte: int) -> None:
    path = os.fsdecode(b"/a/b" + bytes([byte]) + b"c")

    wrong = misread(path)

    if chr(byte) in ACCEPTED:
        assert wrong is None
    else:
        assert wrong
        named, why = wrong
        code = f"the byte 0x{byte:02x}" if byte > 127 else f"the character U+{byte:04X}"
        assert named == (repr(chr(byte)) if chr(byte) in MISREAD else code)
        assert why


def test_every_printable_character_of_ascii_is_accepted_or_refused_with_a_reason() -> None:
    assert {*MISREAD, *ACCEPTED} == set(string.printable) - set("\t\n\r\v\f")
    assert set(REFUSED) == set(MISREAD)
    assert misread(f"/{SPECIAL_NAME}") is None


@given(
    st.text(st.characters(min_codepoint=0xA0, exclude_categories=["Cc", "Cs", "Zl", "Zp", "Cf"]))
)
def test_letters_of_all_scripts_are_accepted(name: str) -> None:
    assert misread(f"/home/{name}/project") is None


@pytest.mark.parametrize("character", CONTROL + "\u2029\u2066\ud800")
def test_what_is_no_part_of_a_name_is_refused(character: str) -> None:
    assert misread(f"/a{character}b")


def test_where_a_link_leads_counts_too(tmp_path: Path) -> None:
    (tmp_path / "a`b").mkdir()
    (tmp_path / "link").symlink_to("a`b")

    with pytest.raises(UnsafePathError) as caught:
        check_path(tmp_path / "link" / "below", "the project")

    assert "the path of the project has '`' in it" in caught.value.message
    assert caught.value.why.endswith(f"; the path leads to {tmp_path}/a`b/below")
    assert caught.value.remedy == "Move the project to a path without '`'."
    assert caught.value.exit_status == 2


@pytest.mark.parametrize("variable", ["BUILDTOOL_CACHE", "XDG_CACHE_HOME", "HOME"])
def test_the_cache_is_refused_wherever_its_path_comes_from(
    variable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("BUILDTOOL_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv(variable, "/tmp/a`b")

    with pytest.raises(UnsafePathError, match="the path of the cache has '`' in it") as caught:
        cache_dir()

    assert "BUILDTOOL_CACHE" in caught.value.remedy
