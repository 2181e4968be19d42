"""The preprocessor: conditions, macros, includes, and the file of each declaration."""

from __future__ import annotations

from pathlib import Path

import pytest

from buildtool.idl.parse import load
from buildtool.idl.preprocess.preprocessor import BUILTIN_INCLUDES, preprocess
from tests.unit.idl_front.idl_files import IdlFiles


def expanded(idl: IdlFiles, text: str, *defines: str) -> str:
    source = preprocess(idl.write("main.idl", text), (), defines)
    return " ".join(token.text for token in source.tokens)


@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        ("1", True),
        ("0", False),
        ("X", False),
        ("defined X", False),
        ("defined(Y)", True),
        ("!defined X && defined Y", True),
        ("Y == 3", True),
        ("Y > 2 && Y < 4", True),
        ("Y >= 4 || Y <= 2", False),
        ("Y != 3", False),
        ("(1 << 4) + 2 * 3 - 1 == 21", True),
        ("-7 / 2 == -3 && -7 % 2 == -1", True),
        ("(5 & 3) == 1 && (5 | 3) == 7 && (5 ^ 3) == 6", True),
        ("~0 == -1", True),
        ("-1 < 0", True),
        ("-1 < 0u", False),
        ("0xffffffffffffffff + 1 == 0", True),
        ("010 == 8", True),
        ("1 ? 0 : 1", False),
        ("0 ? 0 : 1 ? 2 : 0", True),
        ("0 && 1 / 0", False),
        ("1 || 1 % 0", True),
        ("1 ? 1 : 1 / 0", True),
        ("!!+1", True),
        ("F(2) == 4", True),
        ("defined F", True),
    ],
)
def test_conditions(idl: IdlFiles, condition: str, holds: bool) -> None:
    text = f"#define Y 3\n#define F(x) (x * 2)\n#if {condition}\nyes\n#else\nno\n#endif\n"
    assert expanded(idl, text) == ("yes" if holds else "no")


@pytest.mark.parametrize(
    ("names", "taken"),
    [("A", "a"), ("B", "b"), ("C", "c"), ("", "d"), ("A B C", "a"), ("B C", "b")],
)
def test_one_branch_is_taken(idl: IdlFiles, names: str, taken: str) -> None:
    text = "#ifdef A\na\n#elif defined B\nb\n#elif defined(C)\nc\n#else\nd\n#endif"
    assert expanded(idl, text, *names.split()) == taken


def test_no_branch_of_a_skipped_condition_counts(idl: IdlFiles) -> None:
    inner = "#if 0\na\n#elif 1\nb\n#else\nc\n#endif\n#if 0\nd\n#else\ne\n#endif\n"
    assert expanded(idl, f"#if 0\n{inner}#else\n{inner}#endif") == "b e"


def test_skipped_parts_are_not_looked_at(idl: IdlFiles) -> None:
    text = (
        "#if 0\n#if nonsense (\n#error no\n#include <nope.idl>\n#bogus\ndon't @ \u20ac\n"
        "#else\n#endif\nx\n#elif 1\nyes\n#endif"
    )
    assert expanded(idl, text) == "yes"


@pytest.mark.parametrize(
    ("definition", "use", "result"),
    [
        ("A 1 + 2", "A", "1 + 2"),
        ("A", "x A y", "x y"),
        ("A A", "A", "A"),
        ("f(x) x + x", "f(1)", "1 + 1"),
        ("f(x) x + x", "f((1, 2))", "( 1 , 2 ) + ( 1 , 2 )"),
        ("f(x) x + x", "f(f(1))", "1 + 1 + 1 + 1"),
        ("f(x, y) y x", "f(1\n,\n2)", "2 1"),
        ("f() z", "f()", "z"),
        ("f(x) [x]", "f()", "[ ]"),
        ("f(x) x", "f", "f"),
        ("f(x) x", "f + (1)", "f + ( 1 )"),
        ("f (x)", "f", "( x )"),
        ("f(x) f(x)", "f(1)", "f ( 1 )"),
        ("g(x) x(x)", "g(g)", "g ( g )"),
    ],
)
def test_macros(idl: IdlFiles, definition: str, use: str, result: str) -> None:
    assert expanded(idl, f"#define {definition}\n{use}\n") == result


def test_macros_that_call_each_other_end(idl: IdlFiles) -> None:
    assert expanded(idl, "#define A B\n#define B A\nA B\n") == "A B"


def test_a_macro_may_come_again_out_of_what_follows_its_call(idl: IdlFiles) -> None:
    text = "#define f(a) a * g\n#define g(a) f(a)\nf(2)(9)\n"
    assert expanded(idl, text) == "2 * 9 * g"


def test_no_macros_inside_texts(idl: IdlFiles) -> None:
    assert expanded(idl, "#define A 1\n\"A\" 'A' A\n") == "\"A\" 'A' 1"


def test_undef_and_redefinition(idl: IdlFiles) -> None:
    assert expanded(idl, "#define A 1\nA\n#define A 2\nA\n#undef A\nA\n#undef A\n") == "1 2 A"


def test_names_from_the_command_line(idl: IdlFiles) -> None:
    assert expanded(idl, "A B C", "A", "B=2 + 3", "C=") == "1 2 + 3"
    for bad in ("", "1A", "A B=1", "A\n#define B"):
        assert idl.error("", defines=[bad]).code == "idl-preprocessor"


def test_comments_and_continuations(idl: IdlFiles) -> None:
    text = '#define A 1 /* one\nline */ + \\\n 2 // three\na/**/b // c \\\nd\n"//" A lo\\\nng'
    assert expanded(idl, text) == 'a b "//" 1 + 2 long'


def test_crlf_and_byte_order_mark(idl: IdlFiles) -> None:
    text = b"\xef\xbb\xbf#define A \\\r\n 1\r\nconst long X = A;\r\n"
    assert idl.load(text).declarations


def test_places_survive_continuations_and_crlf(idl: IdlFiles) -> None:
    error = idl.error("const long \\\r\n  X \\\r\n = Y;\r\n")
    assert error.location is not None
    assert (error.location.line, error.location.column) == (3, 4)
    assert error.source_line == " = Y;"
    error = idl.error("const long X = \\\nY;")
    assert error.location is not None
    assert (error.location.line, error.location.column) == (2, 1)


def test_quoted_includes_look_beside_the_file_first(idl: IdlFiles) -> None:
    idl.write("inc/a.idl", "typedef long from_inc;")
    idl.write("sub/a.idl", "typedef long from_sub;")
    idl.write("sub/b.idl", '#include "a.idl"')
    idl.write("sub/c.idl", "#include <a.idl>")
    inc = [idl.directory / "inc"]
    assert idl.load('#include "sub/b.idl"\ntypedef from_sub t;', inc).includes == ("a",)
    assert idl.load('#include "sub/c.idl"\ntypedef from_inc t;', inc).includes == ("a",)


def test_the_users_directories_come_before_ours(idl: IdlFiles) -> None:
    mine = idl.write("inc/AEEStdDef.idl", "typedef long AEEResult; typedef long extra;")
    unit = idl.load("#include <AEEStdDef.idl>\ntypedef extra t;", [mine.parent])
    assert unit.dependencies[1] == str(mine)


def test_our_own_files_are_found_without_directories(idl: IdlFiles) -> None:
    unit = idl.load('#include "AEEStdDef.idl"\n#include <remote.idl>\n')
    assert unit.includes == ("AEEStdDef", "remote")
    assert unit.dependencies[1:] == (
        str(BUILTIN_INCLUDES / "AEEStdDef.idl"),
        str(BUILTIN_INCLUDES / "remote.idl"),
    )


def test_included_declarations_belong_to_their_file(idl: IdlFiles) -> None:
    idl.write("deep.idl", "#pragma once\ntypedef long deep_t;")
    idl.write("macros.idl", "#define N 3\n")
    idl.write("other.idl", '#include "deep.idl"\ntypedef deep_t other_t;')
    unit = idl.load(
        '#include "macros.idl"\n#include "other.idl"\n#include "deep.idl"\n'
        "struct s { other_t a[N]; };"
    )
    assert [each.c_name for each in unit.declarations] == ["s"]
    assert unit.includes == ("deep", "other")
    assert [Path(name).name for name in unit.dependencies] == [
        "main.idl",
        "macros.idl",
        "other.idl",
        "deep.idl",
    ]


def test_a_file_may_be_included_inside_an_interface(idl: IdlFiles) -> None:
    idl.write("body.idl", "struct s { long x; };\nlong f(in s a);\n")
    unit = idl.load('interface i {\n#include "body.idl"\n long g(in s a); };')
    assert [each.c_name for each in unit.declarations] == ["i_s", "i"]
    assert [method.name for method in unit.interfaces[0].methods] == ["f", "g"]
    assert unit.includes == ()


def test_include_by_macro(idl: IdlFiles) -> None:
    idl.write("x.idl", "typedef long t;")
    assert idl.load('#define FILE "x.idl"\n#include FILE\ntypedef t u;').includes == ("x",)


def test_paths_with_spaces(idl: IdlFiles) -> None:
    idl.write("a b/c.idl", "typedef long t;")
    assert idl.load('#include "a b/c.idl"\n').includes == ("c",)


def test_guards_and_once_keep_a_file_from_coming_twice(idl: IdlFiles) -> None:
    idl.write("guarded.idl", "#ifndef G\n#define G\ntypedef long g;\n#endif\n")
    idl.write("once.idl", "#pragma once\ntypedef long o;\n")
    idl.load('#include "guarded.idl"\n#include "once.idl"\n' * 3)
    idl.write("plain.idl", "typedef long p;\n")
    error = idl.error('#include "plain.idl"\n#include "plain.idl"\n')
    assert error.code == "idl-duplicate"
    assert error.location is not None
    assert Path(error.location.file).name == "plain.idl"


@pytest.mark.parametrize(
    ("text", "code", "line", "column"),
    [
        ("#if 1\n#else\n", "idl-preprocessor", 1, 2),
        ("\n#endif\n", "idl-preprocessor", 2, 2),
        ("#else\n", "idl-preprocessor", 1, 2),
        ("#if 1\n#else\n#else\n#endif", "idl-preprocessor", 3, 2),
        ("#if 1\n#else\n#elif 1\n#endif", "idl-preprocessor", 3, 2),
        ("#if\n#endif", "idl-preprocessor", 1, 2),
        ("#if 1 +\n#endif", "idl-preprocessor", 1, 7),
        ("#if (1\n#endif", "idl-preprocessor", 1, 6),
        ("#if 1 2\n#endif", "idl-preprocessor", 1, 7),
        ("#if 1.5\n#endif", "idl-preprocessor", 1, 5),
        ("#if 08\n#endif", "idl-preprocessor", 1, 5),
        ("#if 1 / 0\n#endif", "idl-preprocessor", 1, 7),
        ("#if 0x10000000000000000\n#endif", "idl-range", 1, 5),
        ("#if defined\n#endif", "idl-preprocessor", 1, 5),
        ("#if defined(\n#endif", "idl-preprocessor", 1, 5),
        ("#ifdef\n#endif", "idl-preprocessor", 1, 2),
        ("#define", "idl-preprocessor", 1, 2),
        ("#define 1", "idl-preprocessor", 1, 2),
        ("#define defined", "idl-preprocessor", 1, 9),
        ("#define f(a", "idl-preprocessor", 1, 10),
        ("#define f(a, a) a", "idl-preprocessor", 1, 10),
        ("#define f(a,) a", "idl-preprocessor", 1, 10),
        ("#define f(a) #a", "idl-preprocessor", 1, 14),
        ("#define f(a) a##b", "idl-preprocessor", 1, 15),
        ("#define f(a) a\nf(1, 2)", "idl-preprocessor", 2, 1),
        ("#define f() a\nf(1)", "idl-preprocessor", 2, 1),
        ("#define f(a) a\n f(1", "idl-preprocessor", 2, 2),
        ("#include", "idl-preprocessor", 1, 2),
        ("#include foo", "idl-preprocessor", 1, 10),
        ('#include ""', "idl-preprocessor", 1, 10),
        ('#include "a" b', "idl-preprocessor", 1, 10),
        ("#include <nope.idl>", "idl-include", 1, 10),
        ("#error out of order", "idl-error-directive", 1, 2),
        ("#bogus", "idl-preprocessor", 1, 2),
        ("a /* b\n", "idl-comment", 1, 3),
    ],
)
def test_mistakes(idl: IdlFiles, text: str, code: str, line: int, column: int) -> None:
    error = idl.error(text)
    assert error.location is not None
    assert (error.code, error.location.line, error.location.column) == (code, line, column)


def test_suggestions(idl: IdlFiles) -> None:
    idl.write("htp_ops.idl", "")
    assert idl.error('#include "htp_opps.idl"').suggestion == "htp_ops.idl"
    assert idl.error("#defnie A").suggestion == "define"


def test_the_error_directive_reports_its_text(idl: IdlFiles) -> None:
    assert idl.error("#error don't: needs -D X").problem == "#error don't: needs -D X"


def test_an_include_cycle_is_an_error(idl: IdlFiles) -> None:
    idl.write("other.idl", '#include "main.idl"\n')
    error = idl.error('#include "other.idl"\n')
    assert error.code == "idl-include"
    assert "more includes" in error.message


def test_what_is_not_a_file(idl: IdlFiles) -> None:
    (idl.directory / "folder.idl").mkdir()
    assert idl.error('#include "folder.idl"').code == "idl-include"
    assert idl.error('#include "/dev/zero"').code == "idl-include"
    assert idl.error(f'#include "{"x" * 5000}"').code == "idl-include"


def test_a_missing_file_has_no_place(idl: IdlFiles) -> None:
    from buildtool.idl.errors import IdlError

    with pytest.raises(IdlError) as caught:
        load(idl.directory / "nope.idl")
    assert (caught.value.code, caught.value.location) == ("idl-read", None)


def test_an_included_file_that_is_no_text(idl: IdlFiles) -> None:
    idl.write("x.idl", b"long\n a\0b")
    error = idl.error('\n#include "x.idl"\n')
    assert error.code == "idl-character"
    assert error.location is not None
    assert (Path(error.location.file).name, error.location.line, error.location.column) == (
        "x.idl",
        2,
        3,
    )
    assert [at.line for at in error.included_from] == [2]
