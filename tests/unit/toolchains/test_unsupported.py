"""Flags that a profile cannot support, and their errors."""

from __future__ import annotations

import pytest

from buildtool.toolchains.hexagon import HMX, UNSUPPORTED
from buildtool.toolchains.unsupported_flags import explain_failure, find_unsupported


@pytest.mark.parametrize(
    ("flags", "flag"),
    [
        (["-O2", "-fno-exceptions", "-fexceptions"], "-fexceptions"),
        (["-fexceptions", "-fno-exceptions"], ""),
        (["-fno-rtti", "-frtti"], "-frtti"),
        (["-mhmx"], "-mhmx"),
        (["-mhmx=v73"], "-mhmx"),
        (["-mhmx", "-mno-hmx"], ""),
        (["-fno-exceptions", "-fno-rtti", "-mhvx"], ""),
        ([], ""),
    ],
)
def test_the_last_flag_wins(flags: list[str], flag: str) -> None:
    found = find_unsupported((*UNSUPPORTED, HMX), flags)
    assert (found.flag if found else "") == flag


@pytest.mark.parametrize(
    "output",
    [
        "a.cpp:3:5: error: cannot use 'throw' with exceptions disabled",
        "a.cpp:3:5: error: cannot use 'try' with exceptions disabled",
        "a.cpp:3:5: error: use of dynamic_cast requires -frtti",
        "a.cpp:3:5: error: use of typeid requires -frtti",
    ],
)
def test_errors_of_the_compiler_get_a_remedy(output: str) -> None:
    assert 'dsp-toolchain = "sdk"' in explain_failure(UNSUPPORTED, output)
    assert explain_failure(UNSUPPORTED, "a.c:1:1: error: expected ';'") == ""
