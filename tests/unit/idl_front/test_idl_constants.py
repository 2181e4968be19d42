"""Constant expressions: the arithmetic of C, checked against the constant's type."""

from __future__ import annotations

import pytest

from buildtool.idl.model import Constant, Enum, Primitive, String
from tests.unit.idl_front.idl_files import IdlFiles


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("long X = 1 + 2 * 3", 7),
        ("long X = (1 + 2) * 3", 9),
        ("long X = 10 - 4 - 3", 3),
        ("long X = -7 / 2", -4),
        ("long X = -7 % 2", 1),
        ("long X = 7 / -2", -4),
        ("long X = 1 << 4 | 1", 17),
        ("long X = 6 & 3 ^ 1", 3),
        ("long X = 0x10 + 010", 24),
        ("long X = - - +3", 3),
        ("long X = ~0", -1),
        ("long X = 5u + 5UL", 10),
        ("long X = 0xffffffff", -1),
        ("long X = -2147483648", -2147483648),
        ("short X = 0x8000", -32768),
        ("int8 X = -128", -128),
        ("unsigned long X = ~0", 0xFFFFFFFF),
        ("unsigned short X = ~0x00ff", 0xFF00),
        ("octet X = 255", 255),
        ("uint64 X = 0xffffffffffffffff", 0xFFFFFFFFFFFFFFFF),
        ("long long X = -0x7fffffffffffffff - 1", -(1 << 63)),
        ("long long X = 0x8000000000000000", -(1 << 63)),
        ("long X = -8 >> 1", -4),
        ("float X = 1.5", 1.5),
        ("float X = 1", 1.0),
        ("double X = -1e3 + .5 * 4", -998.0),
        ("double X = 2. / 4.f", 0.5),
        ("double X = 3 / 2", 1.5),
        ("boolean X = TRUE", True),
        ("boolean X = FALSE", False),
        ("char X = 'a'", "a"),
        (r"char X = '\n'", "\n"),
        (r"char X = '\''", "'"),
        ("wchar X = L'w'", "w"),
        (r"wchar X = L'\u20ac'", "\u20ac"),
        (r'string X = "a\tb\x41\101\"\\"', 'a\tbAA"\\'),
        (r'string X = "\xe9"', "\xe9"),
        ('string X = "\u20ac 1"', "\xe2\x82\xac 1"),
        ("long X = 7 % -2", -1),
        ('string X = "one" " two"', "one two"),
        ('string<3> X = "abc"', "abc"),
        ('wstring X = L"w\u00e9"', "w\u00e9"),
    ],
)
def test_values(idl: IdlFiles, text: str, value: object) -> None:
    found = idl.constant(f"const {text};").value
    assert found == value
    assert type(found) is type(value)


def test_references_to_other_constants(idl: IdlFiles) -> None:
    text = "const octet A = 2; module M { const long B = A * 2; }; const long X = M::B + ::A;"
    assert idl.constant(text) == Constant("X", Primitive.LONG, 6)


def test_enum_members_are_numbers(idl: IdlFiles) -> None:
    before = "enum e { ZERO, ONE, TWO };"
    assert idl.constant(before + "const long X = TWO + 1;").value == 3
    assert idl.constant(before + "const e X = TWO;") == Constant(
        "X", Enum("e", ("ZERO", "ONE", "TWO")), 2
    )


def test_text_and_boolean_constants_by_name(idl: IdlFiles) -> None:
    assert idl.constant('const string A = "x"; const string X = A;').value == "x"
    assert idl.constant("const boolean A = TRUE; const boolean X = A;").value is True


def test_constants_of_a_typedef(idl: IdlFiles) -> None:
    constant = idl.constant("typedef uint8 byte; const byte X = 200;")
    assert constant.value == 200
    assert "200 " in idl.error("typedef int8 b; const b X = 200;").problem


def test_constants_as_lengths_and_bounds(idl: IdlFiles) -> None:
    method = idl.method("long f(in string<N> s);", "const long N = 4;")
    assert method.parameters[0].type == String(bound=4)


@pytest.mark.parametrize(
    ("text", "word", "code"),
    [
        ("long X = 2147483648;", "2147483648", "idl-range"),
        ("long X = 0x1ffffffff;", "0x1ffffffff", "idl-range"),
        ("unsigned long X = -1;", "-", "idl-range"),
        ("octet X = 128 * 2;", "128", "idl-range"),
        ("long X = 1 / (2 - 2);", "/", "idl-range"),
        ("long X = 1 % 0;", "%", "idl-range"),
        ("long X = 1 << 1000000;", "<<", "idl-range"),
        ("long X = 1 << -1;", "<<", "idl-range"),
        ("long X = 0xffffffffffffffff * 2;", "*", "idl-range"),
        ("long X = 09;", "09", "idl-number"),
        ("long X = 1x;", "1x", "idl-number"),
        ("long X = 1.5;", "1.5", "idl-type"),
        ("long X = 'a';", "'a'", "idl-type"),
        ("long X = TRUE;", "TRUE", "idl-type"),
        ('long X = "1";', '"1"', "idl-type"),
        ("float X = 1e39;", "1e39", "idl-range"),
        ("double X = 1e999;", "1e999", "idl-range"),
        ("double X = 1e308 * 10;", "*", "idl-range"),
        ("double X = 1.0 / 0;", "/", "idl-range"),
        ("double X = 1.0 % 2;", "%", "idl-type"),
        ("double X = TRUE;", "TRUE", "idl-type"),
        ("boolean X = 1;", "1", "idl-type"),
        ("boolean X = -TRUE;", "-", "idl-type"),
        ('char X = "a";', '"a"', "idl-type"),
        ("char X = 'ab';", "'ab'", "idl-type"),
        ("wchar X = 'a';", "'a'", "idl-type"),
        ('wstring X = "a";', '"a"', "idl-type"),
        ('string<2> X = "abc";', '"abc"', "idl-range"),
        (r'string X = "\q";', r'"\q"', "idl-character"),
        (r'string X = "\x";', r'"\x"', "idl-character"),
        (r'string X = "\xfff";', r'"\xfff"', "idl-character"),
        (r'string X = "\u20ac";', r'"\u20ac"', "idl-character"),
        (r'string X = "a\0b";', r'"a\0b"', "idl-character"),
        ("char X = '\u20ac';", "'\u20ac'", "idl-type"),
        ("sequence<long> X = 1;", "1", "idl-type"),
        ("long X = Y;", "Y", "idl-unknown-name"),
        ("long X = X;", "X", "idl-unknown-name"),
    ],
)
def test_what_does_not_fit(idl: IdlFiles, text: str, word: str, code: str) -> None:
    error = idl.error(f"const {text}")
    assert error.code == code
    assert error.location is not None
    start = f"const {text}".index("=") + 1 if word != "sequence" else 0
    assert error.location.column == f"const {text}".index(word, start) + 1


def test_shifts_after_nested_bounds(idl: IdlFiles) -> None:
    text = "typedef sequence<string<8>> t; typedef sequence<long, (64 >> 3)> u; "
    assert idl.constant(text + "const long X = 16 >> 2;").value == 4


def test_a_type_is_not_a_value(idl: IdlFiles) -> None:
    error = idl.error("typedef long t; const long X = t;")
    assert (error.code, error.problem) == ("idl-type", "`t` is a type")


def test_lengths_must_be_possible(idl: IdlFiles) -> None:
    assert idl.error("struct s { long a[0]; };").code == "idl-range"
    assert idl.error("struct s { long a[-1]; };").code == "idl-range"
    assert idl.error("typedef sequence<long, -1> t;").code == "idl-range"
    assert idl.error("typedef string<1 << 31> t;").code == "idl-range"
