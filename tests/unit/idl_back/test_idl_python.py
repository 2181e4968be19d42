"""The generated Python modules: their names, texts and types."""

from __future__ import annotations

import ast
import importlib
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from buildtool.idl.compile import compile_idl, output_names
from buildtool.idl.emit.python import emit_python
from buildtool.idl.model import Unit
from buildtool.idl.parse import load

REMOTE = '#include "AEEStdDef.idl"\n#include "remote.idl"\n'


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Any]:
    """A function that returns the imported module of an IDL text."""

    def made_(text: str) -> Any:
        (tmp_path / "v.idl").write_text(text)
        compile_idl(tmp_path / "v.idl", (), (), tmp_path / "made", python=True)
        monkeypatch.syspath_prepend(tmp_path)
        for name in [name for name in sys.modules if name.split(".")[0] == "made"]:
            del sys.modules[name]
        return importlib.import_module("made.v")

    return made_


def test_reserved_names_get_an_underscore(made: Callable[[str], Any]) -> None:
    module = made(
        REMOTE
        + "const long None = 1; const long list = 2; const long _hidden = 3;\n"
        + "enum kind { name, mro, real, lambda, _x, x };\n"
        + "struct pass { long str; long int_; float class; };\n"
        + "interface t : remote_handle64 {\n"
        + "  long def(in long self, in long from, in string register, rout long count);\n"
        + "  long str(rout long a, rout long a_, rout long _a);\n"
        + "};\n"
    )
    assert (module.None_, module.list_, module.hidden) == (1, 2, 3)
    assert [each.name for each in module.Kind] == ["name_", "mro_", "real_", "lambda_", "x", "x_"]
    assert module.Pass(str_=1, int_=2, class_=0.5).int_ == 2
    assert module.T.def_.__code__.co_varnames == ("self", "self_", "from_", "register")
    assert module.TStrResult._fields == ("a", "a_", "a__")


def test_an_own_remote_handle64_is_the_base_class(made: Callable[[str], Any]) -> None:
    root = (
        "interface remote_handle64 {\n"
        "  long open(in string uri, rout remote_handle64 h);\n"
        "  long close(in remote_handle64 h);\n"
        "};\n"
    )
    module = made(f"{root}interface t : remote_handle64 {{ long f(rout long a); }};\n")
    usual = made(f"{REMOTE}interface t : remote_handle64 {{ long f(rout long a); }};\n")

    assert module.__all__ == usual.__all__ == ["T"]
    assert vars(module.T).keys() == vars(usual.T).keys()
    assert made(root).__all__ == []


def test_types_with_the_same_name_in_capwords_keep_theirs(made: Callable[[str], Any]) -> None:
    module = made(
        REMOTE
        + "struct a_b { long x; }; struct aB { long y; }; struct t_m_result { long z; };\n"
        + "interface t : remote_handle64 {\n"
        + "  long m(in a_b p, in aB q, in t_m_result r, rout long u, rout long v); };\n"
    )
    assert (module.a_b(1).x, module.aB(2).y, module.TMResult(3).z) == (1, 2, 3)
    assert module.TMResult_._fields == ("u", "v")


def test_constants_have_the_value_that_c_has(made: Callable[[str], Any]) -> None:
    module = made(
        'const string TEXT = "a\\"\\303\\244";\nconst wstring WIDE = L"\\u00e4";\n'
        "const char LETTER = 'A'; const boolean ON = TRUE; const float BIG = -1.5e38;\n"
        "enum kind { red, green }; const kind BEST = green;\n"
        "const unsigned long long MOST = 0xffffffffffffffff;\n"
    )
    assert (module.TEXT, module.WIDE, module.LETTER, module.ON) == ('a"ä', "ä", 65, True)
    assert module.BEST is module.Kind.green
    assert module.MOST == 2**64 - 1
    assert module.BIG == -1.5e38


def test_comments_cannot_end_their_docstring(load_text: Callable[[str], Unit]) -> None:
    unit = load_text(
        REMOTE
        + '/** Ends with a quote" */\ninterface t : remote_handle64 {\n'
        + '/** """ \\ \\N{x} \\x \x0b\x1b\u2028 \\""" */\nlong m();\n/** \\ */\nlong n();\n};\n'
    )
    tree = ast.parse(emit_python(unit)["v.py"])
    names = [node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    assert names == ["m", "n"]


def test_included_types_are_part_of_the_module(tmp_path: Path, made: Callable[[str], Any]) -> None:
    (tmp_path / "common.idl").write_text("struct inner { long a; }; struct unused { long b; };\n")
    module = made(
        REMOTE + '#include "common.idl"\nstruct outer { inner i; };\n'
        "interface t : remote_handle64 { long m(in outer o); };\n"
    )
    assert module.Outer().i == module.Inner(0)
    assert not hasattr(module, "Unused")


def test_the_files_are_those_that_are_announced(tmp_path: Path) -> None:
    (tmp_path / "my-ops.idl").write_text("interface t { long m(); };\n")
    announced = output_names(tmp_path / "my-ops.idl", python=True)
    written = compile_idl(tmp_path / "my-ops.idl", (), (), tmp_path / "out", python=True)
    assert [str(path.relative_to(tmp_path / "out")) for path in written] == list(announced)
    assert announced[0] == "my_ops.py"


def test_a_depfile_names_the_modules(tmp_path: Path) -> None:
    (tmp_path / "v.idl").write_text("interface t { long m(); };\n")
    depfile = tmp_path / "v.d"
    compile_idl(tmp_path / "v.idl", (), (), tmp_path, python=True, depfile=depfile)
    left, right = depfile.read_text().split(":", 1)
    assert "/v.py" in left
    assert "_fastrpc/interface.py" in right


def test_everything_is_valid_in_python_3_9() -> None:
    golden = Path(__file__).parents[2] / "golden" / "idl" / "shapes.idl"
    for text in emit_python(load(golden, (), ())).values():
        ast.parse(text, feature_version=(3, 9))
