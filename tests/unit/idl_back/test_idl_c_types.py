"""The C types and headers of the default mode and of --standard-types."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from buildtool.idl.emit import emit
from buildtool.idl.emit.python import emit_python
from buildtool.idl.errors import IdlError
from buildtool.idl.parse import load

# Each basic type with its C type in qaic's default mode and with its option -st.
# Source: qualcomm/QAIC, src/Language/SO/ToHeader.hs.  There -st makes `signed char` of int8 and
# the like, which are the same types as int8_t.
C_TYPES = """\
octet              | unsigned char  | unsigned char
char               | char           | char
wchar              | _wchar_t       | _wchar_t
boolean            | boolean        | bool
short              | short          | short
unsigned short     | unsigned short | unsigned short
long               | int            | int
unsigned long      | unsigned int   | unsigned int
long long          | int64          | int64_t
unsigned long long | uint64         | uint64_t
float              | float          | float
double             | double         | double
int8               | int8           | int8_t
uint8              | uint8          | uint8_t
int16              | int16          | int16_t
uint16             | uint16         | uint16_t
int32              | int32          | int32_t
uint32             | uint32         | uint32_t
int64              | int64          | int64_t
uint64             | uint64         | uint64_t
int8_t             | int8_t         | int8_t
uint8_t            | uint8_t        | uint8_t
int16_t            | int16_t        | int16_t
uint16_t           | uint16_t       | uint16_t
int32_t            | int32_t        | int32_t
uint32_t           | uint32_t       | uint32_t
int64_t            | int64_t        | int64_t
uint64_t           | uint64_t       | uint64_t
"""
ROWS = [[part.strip() for part in row.split("|")] for row in C_TYPES.splitlines()]


def header(tmp_path: Path, text: str, *, standard_types: bool = False) -> str:
    path = tmp_path / "v.idl"
    path.write_text(text)
    return emit(load(path, standard_types=standard_types))["v.h"]


@pytest.mark.parametrize("standard", [False, True])
def test_the_types_of_each_mode_are_qaic_s(tmp_path: Path, *, standard: bool) -> None:
    parameters = ", ".join(f"rout {idl} p{at}" for at, (idl, _, _) in enumerate(ROWS))
    text = header(tmp_path, f"interface v {{ long m({parameters}); }};", standard_types=standard)
    squeezed = re.sub(r"\s+", " ", text)
    for at, row in enumerate(ROWS):
        assert re.search(rf"[(,] ?{re.escape(row[1 + standard])}\* p{at}[,)]", squeezed), row


def test_the_headers_of_qaic_are_included(tmp_path: Path) -> None:
    text = header(tmp_path, "interface v { long m(); };")
    included = re.findall(r"#include <(.*)>", text)
    assert {"AEEStdDef.h", "AEEStdErr.h", "remote.h", "string.h", "stdlib.h", "stdio.h"} <= {
        *included
    }
    assert "stdbool.h" not in included


@pytest.mark.parametrize(
    "text",
    [
        "interface v { long m(in boolean b); };",
        "interface v { boolean m(); };",
        "interface v { long m(in sequence<boolean> b); };",
        "struct s { boolean b[4]; };",
        "typedef sequence<boolean> flags;",
        "const boolean ON = TRUE;",
    ],
)
@pytest.mark.parametrize("standard", [False, True])
def test_stdbool_is_included_where_a_boolean_is_used(
    tmp_path: Path, text: str, *, standard: bool
) -> None:
    assert "#include <stdbool.h>" in header(tmp_path, text, standard_types=standard)


NAMED_BOOL = "enum state { off, on, bool };"


def test_an_enumerator_named_bool_is_legal(tmp_path: Path) -> None:
    for standard in (False, True):
        text = header(tmp_path, NAMED_BOOL, standard_types=standard)
        assert "    bool,\n" in text
        assert "stdbool.h" not in text
    used = header(tmp_path, NAMED_BOOL + "interface v { long m(rout boolean b); };")
    assert "boolean* b" in used
    assert "stdbool.h" not in used


@pytest.mark.parametrize("names", [NAMED_BOOL, "struct s { long true; };"])
def test_a_name_of_stdbool_beside_a_boolean_is_refused_with_standard_types(
    tmp_path: Path, names: str
) -> None:
    with pytest.raises(IdlError, match="cannot be a name here") as caught:
        header(tmp_path, names + "interface v { long m(in boolean b); };", standard_types=True)
    assert caught.value.location is not None


def test_the_digest_is_that_of_the_wire_and_does_not_depend_on_the_c_types(tmp_path: Path) -> None:
    path = tmp_path / "v.idl"
    path.write_text("interface v { long m(rout boolean b, in long long c); };")
    assert load(path).digest == load(path, standard_types=True).digest


@pytest.mark.parametrize(
    ("result", "c", "cast", "python"),
    [
        ("long", "int", "", ""),
        ("short", "short", "(short)", "INT16"),
        ("long long", "int64", "(int64)", "INT64"),
        ("float", "float", "(float)", "FLOAT"),
        ("unsigned long", "unsigned int", "(unsigned int)", ""),
        ("e", "e", "(e)", ""),
    ],
)
def test_the_result_is_the_error_code_in_another_type(
    tmp_path: Path, result: str, c: str, cast: str, python: str
) -> None:
    path = tmp_path / "v.idl"
    path.write_text(f"enum e {{ A }}; interface v {{ {result} m(in long a); }};")
    unit = load(path)
    texts = emit(unit)
    assert f"__QAIC_HEADER_EXPORT {c} __QAIC_HEADER(v_m)" in texts["v.h"]
    assert f"return {cast}_err;" in texts["v_stub.c"]
    assert f"_err = {'(int)' if cast else ''}__QAIC_IMPL(v_m)" in texts["v_skel.c"]
    made = re.findall(r"code=_rpc\.(\w+)", emit_python(unit)["v.py"])
    assert made == ([python] if python else [])
