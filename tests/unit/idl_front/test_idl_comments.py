"""Doxygen comments: the declaration that they belong to, and the text that is kept."""

from __future__ import annotations

import pytest

from buildtool.idl.model import Struct
from tests.unit.idl_front.idl_files import IdlFiles


def doc(idl: IdlFiles, text: str) -> str:
    return idl.load(text).declarations[-1].doc


@pytest.mark.parametrize(
    ("comment", "text"),
    [
        ("/** One line. */", "One line."),
        ("/*! One line. */", "One line."),
        ("/// One line.", "One line."),
        ("//! One line.", "One line."),
        ("/// Two\n/// lines.", "Two\nlines."),
        ("/**\n * Several.\n *\n * @param x a\n */", "Several.\n\n@param x a"),
        ("/// Old.\n\n/** New. */", "New."),
        ("/// Old.\n// between\n/// New.", "New."),
        ("/* Not for Doxygen. */", ""),
        ("// Not for Doxygen.", ""),
        ("/// ------", "------"),
        ("//////// ornament", ""),
        ("/******* ornament *******/", ""),
        ("/**/", ""),
        ("/// @file main.idl\n/// about it", ""),
        (r"/** \file */", ""),
        ("//% copyright", ""),
    ],
)
def test_what_counts(idl: IdlFiles, comment: str, text: str) -> None:
    assert doc(idl, f"{comment}\ntypedef long t;") == text


def test_nothing_in_it_can_end_a_comment(idl: IdlFiles) -> None:
    text = doc(idl, "/// a */ b /* c */*/ d\ntypedef long t;")
    assert "*/" not in text
    assert "/*" not in text
    assert [word for word in text.split() if word.isalpha()] == ["a", "b", "c", "d"]


def test_trailing_comments(idl: IdlFiles) -> None:
    struct = idl.load(
        "struct s {\n  long a; ///< about a\n  /** about b */ long b, c; /**< more */\n};"
    ).declarations[0]
    assert isinstance(struct, Struct)
    assert [member.doc for member in struct.members] == ["about a", "about b\nmore", ""]


def test_each_kind_of_declaration_has_its_comment(idl: IdlFiles) -> None:
    unit = idl.load(
        "/** C */ const long X = 1;\n/** E */ enum e { A };\n/** S */ struct s { long a; };\n"
        "/** T */ typedef long t;\n"
        "/** I */ interface i {\n /** F */ long f();\n /** A */ async void g();\n"
        " /** V */ void h();\n /** P */ readonly attribute long p;\n};"
    )
    assert [each.doc for each in unit.declarations] == ["C", "E", "S", "T", "I"]
    assert [method.doc for method in unit.interfaces[0].methods] == ["F", "A", "V", "P"]


def test_a_comment_does_not_jump_over_an_include(idl: IdlFiles) -> None:
    idl.write("a.idl", "typedef long a;")
    assert doc(idl, '/** For nobody. */\n#include "a.idl"\ntypedef long t;') == ""


def test_comments_survive_macros(idl: IdlFiles) -> None:
    text = (
        "#define NUMBER long\n#define END ;\ninterface i {\n/** F */ NUMBER f() END ///< more\n};"
    )
    assert idl.interface(text).methods[0].doc == "F\nmore"
