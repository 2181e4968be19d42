"""`--check-qaic` names what qaic refuses; what it accepts causes no warning."""

from __future__ import annotations

import pytest

from buildtool.idl.qaic_limits import MAX_WARNINGS, qaic_warnings
from tests.unit.idl_front.idl_files import IdlFiles

# (text, the line and a part of each warning).  Source: qualcomm/QAIC, src/Language.
REFUSED = [
    ("\ufeffconst long A = 1;", [(1, "byte order mark")]),
    ("enum e { A, B, };", [(1, "comma after the last")]),
    ("#define N 4\nstruct s { octet a[N]; };", [(1, "`N`")]),
    ("#define twice(x) x\nconst long A = 2;", [(1, "`twice`")]),
    ("#if 1\nconst long A = 2;\n#else\n#endif", [(1, "#if"), (3, "#else")]),
    ("#pragma once\nconst long A = 2;", [(1, "#pragma")]),
    ("#undef X\nconst long A = 2;", [(1, "#undef")]),
    ("interface i;\ninterface i { };", [(1, "before they are defined")]),
    ("module M { typedef long t; };\ntypedef M::t u;", [(2, "::")]),
    ("const long A = +1;\nconst long B = 2 + +1;", [(1, "`+`"), (2, "`+`")]),
    ("const long A = 5u;\nconst long B = 5L;", [(1, "5u"), (2, "5L")]),
    ("const float A = 1.5f;\nconst float B = 2.;", [(1, "1.5f"), (2, "2.")]),
    ('const string A = "a" "b";', [(1, "join texts")]),
    ('const string A = "\u00e9";', [(1, "not ASCII")]),
    ("const long A = \\\n1;", [(1, "join lines")]),
    ("interface i { attribute long a, b; };", [(1, "several names")]),
]
ACCEPTED = """\
#ifndef GUARD_IDL
#define GUARD_IDL
#include "AEEStdDef.idl"
#include "remote.idl"
/* A comment with 1.5f, M::t, an \u00e9 and a "a" "b". */
const string IDL_VERSION = "1.2";
const long MASK = 0x1f;
const double HALF = 0.5;
const long SUM = 1 + 2 - -3;
const string NAME = "a::b, }";
enum e { A, B };
struct s { octet a[4]; sequence<long> x; };
interface i : remote_handle64 {
    attribute long rate;
    [oneway] long f(in sequence<string<8>> a);
    short g(in dmahandle a, rout s b);
};
#endif
"""


M = "interface i {{ long m({} x); }};\n"
# (declarations, the parameter, what the warning names).  Source: runs of qaic 01.00.51.
STRUCTS = [
    ("struct s { sequence<string> a; wstring w; };", "in s", "`w` after `a`"),
    ("struct s { sequence<wstring> a; long n; string w; };", "rout s", "`w` after `a`"),
    ("struct u { sequence<long> a; }; struct s { sequence<u> b; string w; };", "in s", "`w`"),
    ("struct u { sequence<string> a; }; struct s { u b; string w; };", "in s", "`w` after `b`"),
    ("typedef sequence<string> q; typedef string t; struct s { q a; t w; };", "in s", "`w`"),
    ("struct s { sequence<string> a; string w; };", "in sequence<s>", "`w` after `a`"),
    ("struct s { sequence<string> a; string w; };", "in long", ""),
    ("struct s { wstring w; sequence<string> a; long n; };", "in s", ""),
    ("struct u { long a; }; struct s { sequence<u> a; string w; };", "in s", ""),
    ("struct s { sequence<long> a; wstring w; sequence<string> b; };", "in s", ""),
    ("struct u { string a; }; struct s { u b; string w; };", "in s", ""),
]


@pytest.mark.parametrize(("declared", "parameter", "part"), STRUCTS)
def test_texts_in_structs_with_which_qaic_fails_have_a_warning(
    idl: IdlFiles, declared: str, parameter: str, part: str
) -> None:
    found = qaic_warnings(idl.load(f"{declared}\n{M.format(parameter)}"))
    assert [(each.location and each.location.line, part in each.problem) for each in found] == (
        [(1, True)] if part else []
    )


@pytest.mark.parametrize(("text", "warnings"), REFUSED)
def test_what_qaic_refuses_has_a_warning(
    idl: IdlFiles, text: str, warnings: list[tuple[int, str]]
) -> None:
    found = qaic_warnings(idl.load(text))
    assert [each.location.line for each in found if each.location] == [line for line, _ in warnings]
    for warning, (_, part) in zip(found, warnings, strict=True):
        assert part in warning.problem
        assert warning.remedy


def test_what_qaic_accepts_has_no_warning(idl: IdlFiles) -> None:
    assert qaic_warnings(idl.load(ACCEPTED)) == ()


def test_included_files_are_checked(idl: IdlFiles) -> None:
    idl.write("types.idl", "enum e { A, };\n")
    (warning,) = qaic_warnings(idl.load('#include "types.idl"\nconst long A2 = 1;'))
    assert warning.location is not None
    assert warning.location.file.endswith("types.idl")


def test_the_number_of_warnings_has_a_limit(idl: IdlFiles) -> None:
    text = "".join(f"enum e{n} {{ A{n}, }};\n" for n in range(2 * MAX_WARNINGS))
    assert len(qaic_warnings(idl.load(text))) == MAX_WARNINGS
