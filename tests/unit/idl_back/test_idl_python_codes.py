"""The error codes of the Python side and of IDL files are those of AEEStdErr.h."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Any

from buildtool.core.fastrpc_codes import DSP_OFFSET, HEADER, defined_codes, read_codes
from buildtool.idl.emit import emit
from buildtool.idl.emit.python import support_package
from buildtool.idl.emit.python._fastrpc.codes import FastRpcError
from buildtool.idl.model import Constant
from buildtool.idl.parse import load
from buildtool.idl.preprocess.preprocessor import BUILTIN_INCLUDES


def test_the_generated_package_has_the_codes_and_nothing_of_buildtool() -> None:
    texts = support_package()
    found: dict[str, Any] = {"__name__": "codes"}
    exec(texts["_fastrpc/codes.py"], found)

    assert found["CODES"] == read_codes()
    assert found["DSP_OFFSET"] == DSP_OFFSET
    assert found["CODES"][0x84] == (
        "AEE_ENOSUCHJOB or AEE_ENOSUCHGROUP",
        "no such job, or no such static process group",
    )
    for text in texts.values():
        ast.parse(text, feature_version=(3, 9))
        assert "import buildtool" not in text
        assert "from buildtool" not in text


def test_every_code_of_the_header_is_read() -> None:
    text = HEADER.read_text()
    names = set(re.findall(r"#define (AEE_\w+|E_\w+)", text)) - {"AEE_EOFFSET", "AEE_EBADHANDLE"}

    assert {name for name, _, _ in defined_codes()} == names
    assert f"#define DSP_AEE_EOFFSET 0x{DSP_OFFSET:x}\n" in text


def test_errors_name_their_code() -> None:
    assert str(FastRpcError("f", -0x7FFFFBF2)) == "f: 0x8000040e AEE_EBADPARM: invalid parameter"
    assert str(FastRpcError("f", 0x0E)) == "f: 0x0000000e AEE_EBADPARM: invalid parameter"
    assert str(FastRpcError("f", -1)) == "f: 0xffffffff AEE_EUNKNOWN"
    assert str(FastRpcError("f", -104)) == "f: 0xffffff98 ECONNRESET"
    assert str(FastRpcError("f", 0x12345678)) == "f: 0x12345678"


def test_the_idl_file_has_the_names_and_values_of_the_header() -> None:
    unit = load(BUILTIN_INCLUDES / "AEEStdErr.idl")
    values = {each.c_name: each.value for each in unit.declarations if isinstance(each, Constant)}

    assert values == {name: code for name, code, _ in defined_codes() if name.startswith("AEE_")}
    assert values["AEE_EUNKNOWN"] == -1
    assert values["AEE_EBADPARM"] == 14


def test_an_interface_that_includes_the_codes(tmp_path: Path) -> None:
    (tmp_path / "v.idl").write_text(
        '#include "AEEStdDef.idl"\n#include "AEEStdErr.idl"\n#include "remote.idl"\n'
        "const long BAD = AEE_EBADPARM;\ninterface v : remote_handle64 { AEEResult f(in long x); };"
    )
    text = emit(load(tmp_path / "v.idl"))["v.h"]

    assert "#define BAD 14" in text
    assert '"AEEStdErr.h"' not in text
    assert "AEE_ENOSUCH" not in text
