"""Which headers a text tests and includes, also by macros."""

from __future__ import annotations

from pathlib import Path

import pytest

from buildtool.drivers.cmake.scan.header_names import (
    ANY,
    find_requested_names,
    find_tested_names,
    joined_lines,
)

TESTED = {
    '#if __has_include("a.h") || __has_include ( <b/c.h> )': {"a.h", "b/c.h"},
    '#if defined(X) \\\n  && __has_include \\\r\n ("continued.h")': {"continued.h"},
    '  #elif __has_include(/* c */ "comment.h")': {"comment.h"},
    '#if 0\n#if __has_include_next("not taken.h")\n#endif\n#endif': {"not taken.h"},
    '%:if __has_embed("e.bin" limit(3))': {"e.bin"},
    '#if __has_include(N) // c\n# define N "n.h" /* x */': {"n.h"},
    "#define N2 N1\n#define N1 <n.h>\n#if __has_include( N2 )": {"n.h"},
    '#define N "a.h"\n#define N "b.h"\n#if __has_include(N)': {"a.h", "b.h"},
    "#define N N\n#if __has_include(N)": set(),
    "#if __has_include(OPTION)": {"option.h"},
    "#define W(x) __has_include(x)\n#if W(<w.h>) && W( OPTION )": {"w.h", "option.h"},
    "#define W(x) __has_include(x)\n#define V(a, b) W(b)\n#if V((1, 2), <v,w.h>)": {"v,w.h"},
    "#define W __has_include\n#if W(<w.h>)": {"w.h"},
    '#define W(x) defined(__has_include) && __has_include(x)\n#if W("w.h")': {"w.h"},
    "#define S(x) #x\n#if __has_include(S(a/b.h))": {ANY},
    "#define W(x) __has_include(x)\n#if W(S(a/b.h))": {ANY},
    "#define S(x) <x>\n#define N S(a.h)\n#if __has_include(N)": {ANY},
    "#ifdef __has_include\n#if defined __has_embed\n#undef __has_include_next": set(),
    "/* __has_include(x), or __has_include(...) */": set(),
    "#define __has_include(x) 0\n#if __has_include_it(<a.h>)": set(),
}
INCLUDED = {
    '#include "a.h"\n # include<b.h> // c\n/**/#include_next <c.h>': {"a.h", "b.h", "c.h"},
    '#import "a.h"\n#embed <b.bin> limit(1)\n%:include "c.h"': {"a.h", "b.bin", "c.h"},
    "#define H <h.h>\n#include H": {"h.h"},
    "#include H(x)": {ANY},
    "#if __has_include(<a.h>)": {"a.h"},
    "it does not include the header": set(),
}


@pytest.mark.parametrize("text", TESTED)
def test_what_is_tested(text: str, tmp_path: Path) -> None:
    (tmp_path / "a.h").write_text(text, newline="")
    (tmp_path / "none.h").write_text("int a;")
    files = [f"{tmp_path}/{name}" for name in ("a.h", "none.h", "missing.h")]

    found = find_tested_names(files, ['OPTION="option.h"', "SET"])

    assert found.get(files[0], set()) == TESTED[text]
    assert not found.keys() & set(files[1:])


def test_macros_of_other_files(tmp_path: Path) -> None:
    (tmp_path / "a.h").write_text("#define HAS(x) __has_include(x)\n")
    (tmp_path / "b.h").write_text("#if HAS(<b.h>) || __has_include(C)\n")
    (tmp_path / "linked.h").write_text("#define C <c.h>\n")
    (tmp_path / "c.h").symlink_to("linked.h")
    a, b, c = (f"{tmp_path}/{name}.h" for name in "abc")

    assert find_tested_names([a, b, c], ()) == {a: {"b.h"}, b: {"c.h"}}


@pytest.mark.parametrize("text", INCLUDED)
def test_what_is_included(text: str) -> None:
    assert find_requested_names([joined_lines(text)], ()) == INCLUDED[text]


def test_many_strings_in_one_argument_take_no_time() -> None:
    text = "#define W(x) __has_include(x)\n#if W(" + '"a" ' * 60
    assert find_requested_names([text], ()) == {ANY}
