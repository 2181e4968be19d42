"""The digest depends on the tokens of the IDL, and on nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.idl_front.idl_files import IdlFiles

TEXT = "const long N = 2;\ninterface i {\n  long f(in sequence<long> a);\n};\n"


@pytest.mark.parametrize(
    "same",
    [
        TEXT.replace("\n", "\r\n"),
        TEXT.replace(" ", "\t \n"),
        TEXT.replace("long", "/* a comment */ long"),
        "/** @file */\n" + TEXT + "// end",
        "#ifndef G\n#define G\n#define L long\n" + TEXT.replace("long", "L") + "#endif\n",
        TEXT.replace("const", "con\\\nst"),
    ],
)
def test_layout_comments_and_macros_do_not_count(idl: IdlFiles, same: str) -> None:
    assert idl.load(same).digest == idl.load(TEXT).digest


@pytest.mark.parametrize(
    "other",
    [
        TEXT.replace("2", "3"),
        TEXT.replace("f(", "g("),
        TEXT.replace("in ", "rout "),
        TEXT + "typedef long t;",
        TEXT.replace("<long>", "<octet>"),
    ],
)
def test_every_token_counts(idl: IdlFiles, other: str) -> None:
    assert idl.load(other).digest != idl.load(TEXT).digest


def test_the_directory_does_not_count_but_included_text_does(tmp_path: Path) -> None:
    digests = []
    for name, kind in (("one", "long"), ("two", "long"), ("three", "octet")):
        files = IdlFiles(tmp_path / name)
        files.write("types.idl", f"typedef {kind} t;")
        digests.append(files.load('#include "types.idl"\nstruct s { t a; };').digest)
    assert digests[0] == digests[1] != digests[2]


def test_it_stays_what_it_is(idl: IdlFiles) -> None:
    """A golden value, as devices compare digests from different versions of this compiler."""
    assert idl.load(TEXT).digest == (
        "e8638b7dd5b9d63db44be9dd054ee4e587856d3f5bdc9f1cf6d6173627ea350c"
    )
