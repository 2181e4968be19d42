"""The C declarations of IDL definitions."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from buildtool.idl.emit import emit
from buildtool.idl.model import Unit

Load = Callable[[str], Unit]

TYPES = """\
#include "AEEStdDef.idl"
#include "remote.idl"
typedef sequence<float> weights;
typedef octet id[6];
typedef string label;
enum kind { red, green };
struct flat { long a; };
struct rec { sequence<long> a; };
"""


def squeezed(text: str) -> str:
    return re.sub(r"\s+", " ", text)


@pytest.fixture
def header(load_text: Load) -> Callable[[str], str]:
    """The header of an IDL text, with single spaces for all white space."""
    return lambda text: squeezed(emit(load_text(text))["v.h"])


@pytest.mark.parametrize(
    ("idl", "c"),
    [
        ("in octet a", "unsigned char a"),
        ("in char a", "char a"),
        ("in boolean a", "boolean a"),
        ("in wchar a", "_wchar_t a"),
        ("in short a", "short a"),
        ("in unsigned short a", "unsigned short a"),
        ("in long a", "int a"),
        ("in unsigned long a", "unsigned int a"),
        ("in long long a", "int64 a"),
        ("in unsigned long long a", "uint64 a"),
        ("in float a", "float a"),
        ("in double a", "double a"),
        ("in int8 a", "int8 a"),
        ("in int64_t a", "int64_t a"),
        ("in uint16_t a", "uint16_t a"),
        ("in uint64 a", "uint64 a"),
        ("in kind a", "kind a"),
        ("rout long a", "int* a"),
        ("inrout kind a", "kind* a"),
        ("in flat a", "const flat* a"),
        ("rout flat a", "flat* a"),
        ("in rec a", "const rec* a"),
        ("rout rec a", "rec* a"),
        ("in id a", "const id a"),
        ("rout id a", "id a"),
        ("in sequence<long> a", "const int* a, int aLen"),
        ("rout sequence<long> a", "int* a, int aLen"),
        ("inrout sequence<long> a", "int* a, int aLen"),
        ("in weights a", "const float* a, int aLen"),
        ("in sequence<weights> a", "const weights* a, int aLen"),
        ("in sequence<rec> a", "const rec* a, int aLen"),
        ("in sequence<id> a", "const id* a, int aLen"),
        ("in sequence<string> a", "const _cstring1_t* a, int aLen"),
        ("rout sequence<wstring> a", "_wstring1_t* a, int aLen"),
        ("in sequence<label> a", "const label* a, int aLen"),
        ("in string a", "const char* a"),
        ("in label a", "const char* a"),
        ("rout string a", "char* a, int aLen"),
        ("inrout string a", "char* a, int aLen"),
        ("in wstring a", "const _wchar_t* a"),
        ("rout wstring a", "_wchar_t* a, int aLen"),
        ("in dmahandle a", "int a, uint32_t aOffset, uint32_t aLen"),
        ("rout dmahandle a", "int a, uint32_t aOffset, uint32_t aLen"),
        ("in sequence<dmahandle> a", "const _dmahandle1_t* a, int aLen"),
        ("rout sequence<dmahandle> a", "_dmahandle1_t* a, int aLen"),
        ("in long register", "int _cxx_register"),
    ],
)
def test_parameters(header: Callable[[str], str], idl: str, c: str) -> None:
    text = header(f"{TYPES}interface t : remote_handle64 {{ long m({idl}); }};")
    assert f"__QAIC_HEADER(t_m)(remote_handle64 _h, {c}) __QAIC_HEADER_ATTRIBUTE;" in text


@pytest.mark.parametrize(
    ("result", "c"),
    [
        ("long", "int"),
        ("void", "int"),
        ("AEEResult", "AEEResult"),
        ("int32", "int32"),
        ("int32_t", "int32_t"),
        ("short", "short"),
        ("long long", "int64"),
        ("float", "float"),
        ("kind", "kind"),
        ("unsigned long", "unsigned int"),
    ],
)
def test_results(header: Callable[[str], str], result: str, c: str) -> None:
    text = header(f"{TYPES}interface t {{ {result} m(); }};")
    assert f"__QAIC_HEADER_EXPORT {c} __QAIC_HEADER(t_m)(void) __QAIC_HEADER_ATTRIBUTE;" in text


def test_open_and_close_are_declared_without_a_handle_in_front(
    header: Callable[[str], str],
) -> None:
    text = header('#include "remote.idl"\ninterface t : remote_handle64 { };')
    assert "__QAIC_HEADER(t_open)(const char* uri, remote_handle64* h)" in text
    assert "__QAIC_HEADER(t_close)(remote_handle64 h)" in text


def test_async_methods_take_a_descriptor(header: Callable[[str], str]) -> None:
    text = header(f"{TYPES}interface t : remote_handle64 {{ async long m(in long a); }};")
    assert "(t_m)(remote_handle64 _h, fastrpc_async_descriptor_t* asyncDesc, int a)" in text


@pytest.mark.parametrize(
    ("idl", "c"),
    [
        ("struct s { long a; octet b[4]; };", "struct s { int a; unsigned char b[4]; };"),
        (
            "struct s { sequence<float> data; string name; };",
            "struct s { float* data; int dataLen; char* name; int nameLen; };",
        ),
        ("struct s { weights w; };", "struct s { float* w; int wLen; };"),
        ("struct s { label l; wstring w; };",
         "struct s { char* l; int lLen; _wchar_t* w; int wLen; };"),
        ("struct s { id i; kind k; rec r; };", "struct s { id i; kind k; rec r; };"),
        ("struct s { sequence<string> n; };", "struct s { _cstring1_t* n; int nLen; };"),
        (
            "enum e { one, two };",
            "enum e { one, two, _32BIT_PLACEHOLDER_e = 0x7fffffff }; typedef enum e e;",
        ),
        (
            "typedef sequence<unsigned long> v;",
            "typedef struct _v__seq_unsignedLong _v__seq_unsignedLong; "
            "typedef _v__seq_unsignedLong v; "
            "struct _v__seq_unsignedLong { unsigned int* data; int dataLen; };",
        ),
        ("typedef sequence<rec> v;", "struct _v__seq_rec { rec* data; int dataLen; };"),
        ("typedef long v[3];", "typedef int v[3];"),
        ("typedef string v;", "typedef _cstring1_t v;"),
        ("typedef flat v;", "typedef flat v;"),
        ("module m { struct s { long a; }; };", "typedef struct m_s m_s; struct m_s { int a; };"),
    ],
)  # fmt: skip
def test_declarations(header: Callable[[str], str], idl: str, c: str) -> None:
    assert c in header(TYPES + idl)


@pytest.mark.parametrize(
    ("idl", "c"),
    [
        ("const long X = 42;", "#define X 42 "),
        ("const long X = -42;", "#define X (-42) "),
        ("const long X = -2147483648;", "#define X (-2147483647 - 1) "),
        ("const unsigned long X = 7;", "#define X 7u "),
        ("const long long X = 7;", "#define X 7ll "),
        ("const long long X = -9223372036854775808;", "#define X (-9223372036854775807ll - 1) "),
        ("const unsigned long long X = 7;", "#define X 7ull "),
        ("const octet X = 255;", "#define X 255 "),
        ("const float X = 0.5;", "#define X 0.5f "),
        ("const double X = -0.5;", "#define X (-0.5) "),
        ("const double X = 1e30;", "#define X 1e+30 "),
        ("const boolean X = TRUE;", "#define X TRUE "),
        ("const char X = 'a';", "#define X 'a' "),
        ("const char X = '\\'';", "#define X '\\'' "),
        ("const char X = '\\n';", "#define X '\\012' "),
        ('const string X = "a\\"b\\\\c";', '#define X "a\\"b\\\\c" '),
        ('const string X = "what??!";', '#define X "what?\\?!" '),
        ('const wstring X = L"w";', '#define X L"w" '),
        ("interface t { const long X = 1; };", "#define t_X 1 "),
    ],
)
def test_constants(header: Callable[[str], str], idl: str, c: str) -> None:
    assert c in header(idl)


def test_the_uri_names_the_file_and_the_interface(header: Callable[[str], str]) -> None:
    text = header('#include "remote.idl"\ninterface t : remote_handle64 { };')
    assert '#define t_URI "file:///libv_skel.so?t_skel_handle_invoke&_modver=1.0"' in text


def test_idl_version_is_part_of_the_uri(header: Callable[[str], str]) -> None:
    text = header(
        '#include "remote.idl"\nconst string IDL_VERSION = "1.2.3";\n'
        "interface t : remote_handle64 { };"
    )
    assert '&_modver=1.0&_idlver=1.2.3"' in text
    assert '#define IDL_VERSION "1.2.3"' in text


def test_a_plain_interface_has_no_uri(header: Callable[[str], str]) -> None:
    assert "t_URI" not in header("interface t { long m(); };")


def test_comments_reach_the_header(load_text: Load) -> None:
    text = emit(
        load_text(
            "/** A struct. */\nstruct s {\n  long a; ///< a member\n};\n"
            "interface t {\n  /**\n   * A method.\n   * @retval 0\n   */\n  long m();\n};\n"
        )
    )["v.h"]
    assert "/** A struct. */\ntypedef struct s s;" in text
    assert "    /** a member */\n    int a;" in text
    assert "/**\n * A method.\n * @retval 0\n */\n__QAIC_HEADER_EXPORT" in text


def test_included_idl_files_are_included_headers(tmp_path: object, load_text: Load) -> None:
    assert hasattr(tmp_path, "joinpath")
    tmp_path.joinpath("other.idl").write_text("struct s { long a; };")
    text = emit(load_text('#include "AEEStdDef.idl"\n#include "other.idl"\nstruct r { s x; };'))
    assert '#include "other.h"\n' in text["v.h"]
    assert '"AEEStdDef.h"' not in text["v.h"]
    assert "int a;" not in text["v.h"]


def test_files_are_named_after_the_file_and_the_interfaces(load_text: Load) -> None:
    names = emit(load_text("interface a { long m(); }; module k { interface b { long m(); }; };"))
    assert set(names) == {"v.h", "a_stub.c", "a_skel.c", "k_b_stub.c", "k_b_skel.c"}


def test_a_file_without_an_interface_is_a_header_only(load_text: Load) -> None:
    assert set(emit(load_text("struct s { long a; };"))) == {"v.h"}
