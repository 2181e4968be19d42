"""Several errors of a file are reported at once, and none that only follows from another."""

from __future__ import annotations

import pytest

from buildtool.idl.errors import MAX_ERRORS, IdlError, SeveralIdlError
from tests.unit.idl_front.idl_files import IdlFiles


def lines(error: IdlError) -> list[int]:
    """The line of each error."""
    errors = error.errors if isinstance(error, SeveralIdlError) else (error,)
    return [each.location.line for each in errors if each.location is not None]


@pytest.mark.parametrize(
    ("text", "where"),
    [
        # grammar
        (
            ["interface i {", " long a(in long* x);", " long b();", " long c(in n long);", "};"],
            [2, 4],
        ),
        (
            [
                "struct s { long d; long a b; };",
                "struct t { long a; };",
                "struct u { sequence<> v; long w; };",
            ],
            [1, 3],
        ),
        (["enum e { A B };", "typedef long* t;"], [1]),
        (["interface i {", " long a(out long b);", " long c(in struct s d);", "};"], [2, 3]),
        (["const long A = 1 +;", "const long B = * 2;"], [1, 2]),
        # meaning
        (
            ["interface i {", " long a(in lng x);", " long b();", " long c(in flot y);", "};"],
            [2, 4],
        ),
        (["const octet A = 256;", "const octet B = 3;", "const octet C = 257;"], [1, 3]),
        (["module M {", " typedef lng t;", " typedef flot u;", "};", "typedef dble v;"], [2, 3, 5]),
        # what follows from an error is not one
        (["typedef lng t;", "interface i { long a(in t b); };"], [1]),
        (["struct s { lng a; };", "struct t { s b; sequence<s> c; };", "typedef flot u;"], [1, 3]),
        (["interface i : lost { };", "interface j : i { };"], [1]),
        (["module M { typedef lng t; };", "typedef M::t u;"], [1]),
        (["const long A = B;", "const long C = A;"], [1]),
        (["typedef struct s { lng a; } t;", "typedef s u;", "typedef t v;"], [1]),
        (["typedef enum e { A, B, A } t;", "const e X = A;", "typedef t v;"], [1]),
    ],
)
def test_where_the_errors_are(idl: IdlFiles, text: list[str], where: list[int]) -> None:
    assert lines(idl.error("\n".join(text) + "\n")) == where


def test_the_text_has_each_error_with_its_remedy(idl: IdlFiles) -> None:
    error = idl.error("typedef lng t;\ninterface i { long f(); string g(); };\n")
    assert isinstance(error, SeveralIdlError)
    shown = error.message.splitlines()
    starts = [line for line in shown if "main.idl:" in line]
    assert [line.partition("main.idl:")[2].split(":")[0] for line in starts] == ["1", "2"]
    assert "    → did you mean `long`?" in shown
    assert any(line.startswith("    → return AEEResult") for line in shown)
    assert error.remedy == "correct these 2 errors"


def test_the_document_has_all_errors_and_the_first_is_the_error(idl: IdlFiles) -> None:
    error = idl.error("const octet A = 256;\nconst octet B = 257;\n")
    documents = error.document["errors"]
    assert [each["line"] for each in documents] == [1, 2]
    assert error.as_json() == documents[0]


def test_one_error_stays_one_error(idl: IdlFiles) -> None:
    assert type(idl.error("const octet A = 256;")) is IdlError


@pytest.mark.parametrize("line", ["const octet A{} = 256;", "const long A{} = * 2;"])
def test_no_more_than_a_few_errors_are_reported(idl: IdlFiles, line: str) -> None:
    text = "\n".join(line.replace("{}", str(at)) for at in range(3 * MAX_ERRORS))
    assert lines(idl.error(text)) == list(range(1, MAX_ERRORS + 1))


def test_a_large_file_is_not_read_again_after_an_error(idl: IdlFiles) -> None:
    text = "const long A = * 2;\n" * 2 + "".join(f"const long B{n} = 1;\n" for n in range(5000))
    assert lines(idl.error(text)) == [1]
