"""Errors of IDL files: the message, the position of the caret, and the remedy."""

from __future__ import annotations

from pathlib import Path

import pytest

from buildtool.idl.errors import IdlError
from buildtool.idl.model import Location
from tests.unit.idl_front.idl_files import IdlFiles

OPEN = "long open(in string uri, rout remote_handle64 h);"
CLOSE = "long close(in remote_handle64 h);"
# (text with `›` at the position of the caret, code, part of the message)
MISTAKES = [
    # names
    ("interface i { long f(in ›lng a); };", "idl-unknown-name", "`long`"),
    ("interface i { long f(in ›int a); };", "idl-unknown-name", "`long`"),
    ("interface i { long f(›out long a); };", "idl-unsupported", "write `rout`"),
    ("interface i { long f(in long b, ›inout long a); };", "idl-unsupported", "write `inrout`"),
    ("interface i { long f(in long ›out); };", "idl-unsupported", "choose another name"),
    (
        "interface i { long f(in sequence<octet> ›out, in long b); };",
        "idl-unsupported",
        "choose an",
    ),
    ("struct s { long ›inout[4]; };", "idl-unsupported", "choose another name"),
    ("struct s { long ›native; };", "idl-unsupported", "choose another name"),
    ("interface i { long f(in long ›local); };", "idl-unsupported", "choose another name"),
    ("›local interface i {};", "idl-unsupported", "remove `local`"),
    ("›union u switch (long) { case 1: long a; };", "idl-unsupported", "use a struct"),
    ("interface i { long f(in ›bool a); };", "idl-unknown-name", "`boolean`"),
    ("interface i { long f(in ›unsigned char a); };", "idl-syntax", "`octet`"),
    ("struct point { long x; }; typedef ›pont p;", "idl-unknown-name", "`point`"),
    ("module M { typedef long t; }; typedef M::›u v;", "idl-unknown-name", "M::u"),
    ("interface i { ›AEEResult f(); };", "idl-unknown-name", "AEEStdDef.idl"),
    ("interface i : ›remote_handle64 {};", "idl-unknown-name", "remote.idl"),
    ("interface base {}; interface i : ›bass {};", "idl-unknown-name", "`base`"),
    ("typedef long t; interface i : ›t {};", "idl-type", "not an interface"),
    ("const long MAX_N = 1; const long X = ›MAXN;", "idl-unknown-name", "`MAX_N`"),
    ("const long X = 1; typedef ›X t;", "idl-type", "not a type"),
    ("interface a; interface b : ›a {};", "idl-recursion", "not complete"),
    ("interface i : ›i {};", "idl-recursion", "not complete"),
    ("interface o {}; interface i { long f(in ›o a); };", "idl-unsupported", "remote_handle64"),
    # what C has and IDL has not, or in another place
    ("interface i { long f(in uint8_t›* a); };", "idl-syntax", "sequence<uint8_t>"),
    ("interface i { long f(in ›n long); };", "idl-syntax", "`in long n`"),
    ("interface i { long f(rout ›n uint8_t); };", "idl-syntax", "`rout uint8_t n`"),
    ("interface i { long f(in ›struct dims d); };", "idl-syntax", "without `struct`"),
    ("struct s { sequence<›enum e> a; };", "idl-syntax", "without `enum`"),
    ("interface i { long f(in sequence<›> a); };", "idl-syntax", "sequence<octet>"),
    ("interface i { long f()›; ", "idl-syntax", "main.idl:1:13 is not closed"),
    ("interface i { long f(); ›interface j { };", "idl-syntax", "main.idl:1:13 is not closed"),
    ("interface i { [›fast] long f(); };", "idl-syntax", "`[oneway]`"),
    ("interface i { [›oneway] long f(rout long a); };", "idl-unsupported", "only `in`"),
    (
        '#include "remote.idl"\ninterface i : remote_handle64 { long ›open(in string u); };',
        "idl-duplicate",
        "remove it",
    ),
    *(
        (f"interface ›remote_handle64 {{ {methods} }};", "idl-type", '#include "remote.idl"')
        for methods in (
            "",
            "long f(in long a);",
            f"{OPEN}",
            f"{CLOSE} {OPEN}",
            f"{OPEN} {CLOSE} long f(in long a);",
            f"{OPEN} {CLOSE.replace('in ', 'rout ')}",
            f"{OPEN.replace('string', 'wstring')} {CLOSE}",
            f"{OPEN.replace('remote_handle64', 'uint64')} {CLOSE}",
        )
    ),
    (
        f"interface base {{ long f(); }}; interface ›remote_handle64 : base {{ {OPEN} {CLOSE} }};",
        "idl-type",
        '#include "remote.idl"',
    ),
    (
        '#include "remote.idl"\nmodule m { interface remote_handle64 {'
        " long open(in string uri, rout ›::remote_handle64 h); }; };",
        "idl-unsupported",
        "cannot be used as a type",
    ),
    # declared twice
    ("typedef long t; typedef long ›t;", "idl-duplicate", "main.idl:1:14"),
    ("struct s { long a; octet ›a; };", "idl-duplicate", "`a`"),
    ("enum e { A, ›A };", "idl-duplicate", "`A`"),
    ("enum e { A }; enum f { ›A };", "idl-duplicate", "`A`"),
    ("interface i {}; interface ›i {};", "idl-duplicate", "`i`"),
    ("interface i { long f(); long ›f(); };", "idl-duplicate", "`f`"),
    ("interface a { long f(); }; interface b : a { long ›f(); };", "idl-duplicate", "inherited"),
    ("interface i { long f(in long a, in long ›a); };", "idl-duplicate", "`a`"),
    ("interface i { long f(in sequence<octet> a, in long ›aLen); };", "idl-duplicate", "`aLen`"),
    ("interface i { long f(in dmahandle a, in long ›aOffset); };", "idl-duplicate", "aOffset"),
    ("struct s { long aLen; string ›a; };", "idl-duplicate", "`aLen`"),
    ("module M { struct t { long a; }; }; struct ›M_t { long a; };", "idl-duplicate", "scopes"),
    ("module M { enum e { A }; }; enum f { ›A };", "idl-duplicate", "scopes"),
    ("const long N = 1; struct s { long ›N; };", "idl-duplicate", "macro"),
    ("interface i { long f(in long ›N); }; const long N = 1;", "idl-duplicate", "macro"),
    # not in the language
    ("›union u switch (long) { case 1: long a; };", "idl-unsupported", "struct"),
    ("struct s { long a[2][›3]; };", "idl-unsupported", "one dimension"),
    ("typedef long t[2]; typedef t ›u[3];", "idl-unsupported", "one dimension"),
    ("struct s { string ›a[2]; };", "idl-unsupported", "sequence of strings"),
    ("typedef sequence<long> t; typedef t ›u[3];", "idl-unsupported", "sequence of sequences"),
    ("struct n { string s; }; struct s { n ›a[2]; };", "idl-unsupported", "sequence"),
    ("interface i { long f(in long a[›3]); };", "idl-unsupported", "typedef"),
    ("typedef sequence<›sequence<long>> t;", "idl-unsupported", "typedef"),
    ("struct s { dmahandle ›d; };", "idl-unsupported", "separate parameter"),
    ("typedef dmahandle d; struct s { d ›x; };", "idl-unsupported", "separate parameter"),
    ("struct s { sequence<dmahandle> ›d; };", "idl-unsupported", "separate parameter"),
    ("typedef dmahandle ›d[2];", "idl-unsupported", "separate parameter"),
    ("typedef sequence<dmahandle> t; typedef t ›u[2];", "idl-unsupported", "separate parameter"),
    ("typedef sequence<dmahandle> t; typedef sequence<›t> u;", "idl-unsupported", "a sequence of"),
    ("typedef sequence<›sequence<dmahandle>> t;", "idl-unsupported", "separate parameter"),
    ("interface i { long f(inrout sequence<dmahandle> ›a); };", "idl-unsupported", "`rout`"),
    ("interface i { long f(in sequence<dmahandle> a, in long ›aLen); };", "idl-duplicate", "aLen"),
    ("struct s { ›s a; };", "idl-recursion", "contains itself"),
    ("struct s { sequence<›s> a; };", "idl-recursion", "contains itself"),
    ("interface i { long f(›out long a); };", "idl-unsupported", "`rout`"),
    ("interface i { long f(›inout long a); };", "idl-unsupported", "`inrout`"),
    ("interface i { long f(›long a); };", "idl-syntax", "`in`, `rout` or `inrout`"),
    ("›local interface i {};", "idl-unsupported", "remove"),
    # grammar
    ("›interfce i {};", "idl-syntax", "`interface`"),
    ("interface i { long f(in ›sequnce<long> a); };", "idl-syntax", "`sequence`"),
    ("interface i { long f(); ›}", "idl-syntax", "`;`"),
    ("struct s { long a ›}\n;", "idl-syntax", "`;`"),
    ("struct s { long a;\n  long ›b\n};", "idl-syntax", "`;`"),
    ("struct s {›};", "idl-syntax", "a basic type"),
    ("enum e {›};", "idl-syntax", "a name"),
    ("›long f();", "idl-syntax", "`interface`"),
    ("interface i { ›interface j {}; };", "idl-syntax", "`attribute`"),
    ("interface i { long f(in long›); };", "idl-syntax", "a name"),
    ("interface i { long f(in long a,›); };", "idl-syntax", "`in`"),
    ("const long X ›1;", "idl-syntax", "`=`"),
    ("const long X = ›;", "idl-syntax", "a number"),
    ("const long X = 1 ›2;", "idl-syntax", "an operator"),
    ("struct s { long long ›long a; };", "idl-syntax", "a name"),
    ("struct ›in { long a; };", "idl-syntax", "a name"),
    ("typedef long ›@;", "idl-character", "`@`"),
    ("struct s { long don›'t; };", "idl-character", "is not closed"),
    ('const string S = ›"abc;', "idl-character", "is not closed"),
]


@pytest.mark.parametrize(("marked", "code", "message"), MISTAKES)
def test_mistakes(idl: IdlFiles, marked: str, code: str, message: str) -> None:
    before, _, after = marked.partition("›")
    text = before + after
    error = idl.error(text)
    assert error.code == code
    assert message in str(error)
    line = before.count("\n") + 1
    column = len(before) - before.rfind("\n")
    path = str(idl.directory / "main.idl")
    assert error.location == Location(path, line, column)
    place, shown, caret, *_ = error.message.split("\n")
    assert place == f"{path}:{line}:{column}: {error.problem}"
    assert shown == "    " + text.split("\n")[line - 1]
    assert caret.rstrip("~") == " " * (4 + column - 1) + "^"
    assert error.remedy


def test_the_way_through_the_includes_is_shown(idl: IdlFiles) -> None:
    idl.write("types.idl", "// types\nstruct s {\n\tlng a; };\n")
    idl.write("middle.idl", '\n#include "types.idl"\n')
    error = idl.error('#include "middle.idl"\n')
    assert str(error).split("\n") == [
        f"{idl.directory}/types.idl:3:2: unknown type `lng`",
        "    \tlng a; };",
        "    \t^~~",
        f"included from {idl.directory}/middle.idl:2",
        f"included from {idl.directory}/main.idl:1",
        "did you mean `long`?",
    ]


def test_a_mistake_out_of_a_macro_is_shown_where_it_is_called(idl: IdlFiles) -> None:
    error = idl.error("#define T lng\nstruct s { T a; };")
    assert error.location is not None
    assert (error.location.line, error.location.column) == (2, 12)


def test_a_very_long_line_is_cut_around_the_caret(idl: IdlFiles) -> None:
    error = idl.error("/*" + "x" * 5000 + "*/ typedef lng t; /*" + "y" * 5000 + "*/")
    _, shown, caret, *_ = error.message.split("\n")
    assert len(shown) < 200
    assert shown[caret.index("^") :].startswith("lng ")


def test_control_characters_do_not_reach_the_terminal(idl: IdlFiles) -> None:
    error = idl.error("typedef lng t; /* \x1b[31m */")
    assert "\x1b" not in str(error)


def test_json_has_the_place_apart(idl: IdlFiles) -> None:
    assert idl.error("typedef lng t;").as_json() == {
        "code": "idl-unknown-name",
        "message": "unknown type `lng`",
        "why": "",
        "remedy": "did you mean `long`?",
        "file": str(idl.directory / "main.idl"),
        "line": 1,
        "column": 9,
    }


def test_an_error_by_location_alone_shows_the_line_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "x.idl"
    path.write_text("first\nsecond line\n")
    error = IdlError("wrong", location=Location(str(path), 2, 8))
    assert error.message == f"{path}:2:8: wrong\n    second line\n           ^"
    gone = IdlError("wrong", location=Location("nowhere.idl", 2, 8))
    assert gone.message == "nowhere.idl:2:8: wrong"


@pytest.mark.parametrize("name", ["a b.idl", 'a"b.idl', "-x.idl", "\u00e4.idl"])
def test_names_that_cannot_be_a_header_or_uri(idl: IdlFiles, name: str) -> None:
    from buildtool.idl.parse import load

    with pytest.raises(IdlError) as caught:
        load(idl.write(name, ""))
    assert caught.value.code == "idl-file-name"
