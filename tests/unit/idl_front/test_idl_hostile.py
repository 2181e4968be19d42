"""Malicious input leads quickly to an IdlError, and to nothing else.

Counts bound the work, not a clock; the time limit here only ensures that the bounds
are effective (a quadratic step over the largest input takes minutes).
"""

from __future__ import annotations

import time

import pytest

from buildtool.idl.preprocess.tokens import MAX_FILE_BYTES
from tests.conftest import LONG
from tests.unit.idl_front.idl_files import IdlFiles

SECONDS = 30
MANY = 100_000 if LONG else 15_000


def chain(first: str, step: str, count: int) -> str:
    """`first`, then `count` times `step`, with {1} as its number and {0} as the previous one."""
    return first + "".join(step.format(index, index + 1) for index in range(count))


LIMITS = {
    "macros that double": chain("#define A0 x x\n", "#define A{1} A{0} A{0}\n", 40) + "A40",
    "calls that double": "#define f(x) x x\n" + "f(" * 60 + "1" + ")" * 60,
    "calls that nest": "#define f(x) x\n" + "f(" * 5000 + "1" + ")" * 5000,
    "arguments that double": "#define f(x) x x x x x x x x\n#define g(x) f(f(f(f(f(f(x))))))\ng(1)",
    "a chain of macros": chain("#define A0 1\n", "#define A{1} A{0}\n", 5000) + "A5000",
    "parentheses": "const long X = " + "(" * 50_000 + "1" + ")" * 50_000 + ";",
    "modules": "module a {" * 1000,
    "structs that double": chain(
        "struct s0 { long a; };", "struct s{1} {{ s{0} a; s{0} b; }};", 60
    ),
    "structs that double, not deep": chain(
        "struct s0 { long a; };", "struct s{1} {{ s{0} a; s{0} b; }};", 13
    ),
    "a chain of typedefs": chain("typedef long t0;", "typedef t{0} t{1};", 2000),
    "a chain of interfaces": chain("interface i0 {};", "interface i{1} : i{0} {{}};", 5000),
    "inherited methods": chain(
        "interface i0 { long f(); };", "interface i{1} : i0 {{ long f{0}(); }};", 3000
    ),
    "methods": "interface i {" + "".join(f"long f{n}();" for n in range(5000)) + "};",
    "members": "struct s {"
    + "".join(f"long a{n};" for n in range(30_000 if LONG else 8000))
    + "};",
    "a large array": "struct s { double a[2147483647]; };",
    "arrays of arrays": "struct s { double a[100000]; }; struct t { s a[100000]; };",
    "tokens": "x " * 300_000,
    "a huge number": "const long X = " + "1" * 100_000 + ";",
    "a huge shift": "const long X = 1 << 1000000;",
    "conditions": "#if 1\n" * 1000,
    "a deep condition": "#if " + "(" * 50_000 + "1\n#endif",
    "a long choice": "#if " + "1 ? " * 50_000 + "\n#endif",
    "too large": " " * (MAX_FILE_BYTES + 1),
}


@pytest.mark.parametrize("name", LIMITS)
def test_limits(idl: IdlFiles, name: str) -> None:
    started = time.monotonic()
    error = idl.error(LIMITS[name])
    assert time.monotonic() - started < SECONDS
    assert error.code in ("idl-limit", "idl-range")
    assert len(str(error)) < 2000


HARMLESS = {
    "signs": "const long X = " + "-" * MANY + "1;",
    "a long sum": "const long X = " + "1+" * (MANY * 3 // 5) + "1;",
    "a long sum in a condition": "#if " + "1+" * (MANY * 3 // 5) + "1\n#endif",
    "not not": "#if " + "!" * MANY + "1\n#endif",
    "continuations": "\\\n" * (2 * MANY),
    "a long comment": "/**\n" + " * x\n" * MANY + "*/ typedef long t;",
    "many comments": "/// x\n" * MANY + "typedef long t;",
    "many trailing comments": "typedef long t;" + "///< x\n" * MANY,
    "enumerators": "enum e {" + ",".join(f"a{n}" for n in range(30_000 if LONG else 10_000)) + "};",
    "parameters": "interface i { long f("
    + ",".join(f"in long a{n}" for n in range(9000 if LONG else 3000))
    + "); };",
}


@pytest.mark.parametrize("name", HARMLESS)
def test_what_is_only_large(idl: IdlFiles, name: str) -> None:
    started = time.monotonic()
    idl.load(HARMLESS[name])
    assert time.monotonic() - started < SECONDS


NONSENSE: dict[str, str | bytes] = {
    "quotes": '"' * (3 * MANY + 1),
    "escaped quotes": '"\\' * (3 * MANY),
    "escaped quotes and comments": '"\\"' + '/**/\\"' * MANY,
    "apostrophes": "'" * (3 * MANY + 1),
    "hashes": "#" * (3 * MANY),
    "opened comments": "/*" * (3 * MANY + 1),
    "a long name": "a" * MAX_FILE_BYTES,
    "a long number": "1" * MAX_FILE_BYTES,
    "braces": "{" * (MANY * 3 // 2),
    "backslashes": "\\" * (3 * MANY),
    "nul": "\0",
    "not utf-8": b"\xff\xfe\x00",
    "escapes": "\x1b[2J\x07",
    "an elf file": b"\x7fELF\x01\x01\x01" + bytes(range(256)) * 10,
    "surrogates": b"\xed\xa0\x80",
    "other blanks": "\u00a0\u2028",
}


@pytest.mark.parametrize("name", NONSENSE)
def test_nonsense(idl: IdlFiles, name: str) -> None:
    started = time.monotonic()
    error = idl.error(NONSENSE[name])
    assert time.monotonic() - started < SECONDS
    assert len(str(error)) < 2000


def test_includes_that_double(idl: IdlFiles) -> None:
    for index in range(30):
        idl.write(f"f{index + 1}.idl", f'#include "f{index}.idl"\n' * 2)
    idl.write("f0.idl", "")
    error = idl.error('#include "f30.idl"')
    assert (error.code, error.problem) == ("idl-include", "too many includes")


def test_included_text_is_bounded_in_sum(idl: IdlFiles) -> None:
    idl.write("big.idl", " " * (MAX_FILE_BYTES - 1))
    assert idl.error('#include "big.idl"\n' * 20).code == "idl-limit"


def test_no_input_reaches_pythons_recursion_limit(idl: IdlFiles) -> None:
    """The deepest input within all bounds, compiled from deep in the stack."""

    def deep(levels: int) -> None:
        if levels:
            deep(levels - 1)
            return
        nested = chain("struct s0 { string a; };", "struct s{1} {{ s{0} a; }};", 30)
        conditions = "#if " + "(" * 20 + "1" + ")" * 20 + "\n"
        text = conditions + "module m {" * 60 + nested + "};" * 60 + "\n#endif\n"
        for index in range(30):
            idl.write(f"f{index + 1}.idl", f'#include "f{index}.idl"\n')
        idl.write("f0.idl", text)
        idl.load('#include "f30.idl"')

    deep(100)


def test_the_parsers_own_error_does_not_show(idl: IdlFiles) -> None:
    assert idl.error("struct s { long };").__context__ is None


def test_names_and_texts_cannot_drive_the_terminal(idl: IdlFiles) -> None:
    for text in ('#include "\x1b[2J"', "#error \x1b]0;title\x07", '#include "x\ny"'):
        assert not {"\x1b", "\x07"} & set(str(idl.error(text)))
