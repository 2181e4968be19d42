"""How C and C++ are read: tokens, conditionals, functions and what statements depend on."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from buildtool.lint.c_functions import Function, functions_of
from buildtool.lint.c_tokens import tokenize
from buildtool.lint.subject import read_subject
from tests.unit.lint.linted import lint_texts

INVALIDATE = "qurt_mem_cache_clean(p, 1, QURT_MEM_CACHE_INVALIDATE, QURT_MEM_DCACHE);"
REQUEST = "remote_session_control(DSPRPC_CONTROL_UNSIGNED_MODULE, &m, sizeof m);"


def texts(source: str) -> list[str]:
    return tokenize("a.c", source).texts


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("a->b += 0x1fUL;", ["a", "->", "b", "+=", "0x1fUL", ";"]),
        ('f("a\\"/*b", \'"\');', ["f", "(", '"a\\"/*b"', ",", "'\"'", ")", ";"]),
        ('R"x(a)" b)x" c', ['R"x(a)" b)x"', "c"]),
        ("1'000'000 1.5e-3f", ["1'000'000", "1.5e-3f"]),
        ("a // b \\\n c\nd /* e */ f", ["a", "d", "f"]),
        ("#define F(x) g(x, \\\n  y)\nz", ["z"]),
        ('#include <a//b>\n#define G "/*"\nx', ["x"]),
        ("#if 0\na {\n#else\nb\n#endif\nc", ["b", "c"]),
        ("#if 0\n#if 1\na\n#endif\nb\n#endif\nc", ["c"]),
        ("#ifdef A\nf() {\n#else\ng() {\n#endif\nx; }", ["f", "(", ")", "{", "x", ";", "}"]),
        ("#if A\na\n#elif B\nb\n#else\nc\n#endif", ["a", "b", "c"]),
        ("a /* open", ["a"]),
        ('a R"(open', ["a"]),
        ('a "open\nb', ["a", '"open', "b"]),
        ("\n#endif\n#else\na }", ["a", "}"]),
    ],
)
def test_tokens(source: str, expected: list[str]) -> None:
    assert texts(source) == expected


def only_function(source: str) -> Function:
    (function,) = functions_of(tokenize("a.cpp", source))
    return function


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("int f(void) { } static void g(int a[2]) { }", ["f", "g"]),
        ("namespace n { class c { int f() const { } ~c() noexcept { } }; }", ["f", "c"]),
        ('extern "C" { void f(void) { if (a) { } } }', ["f"]),
        ("int x[] = { 1 }; struct s { int a; }; enum { A };", []),
        ("auto f = [](int a) { return a; };", []),
        ("void f(", []),
        ("void f() { { ( [ } }", ["f"]),
    ],
)
def test_functions(source: str, names: list[str]) -> None:
    assert [function.name for function in functions_of(tokenize("a.cpp", source))] == names


def test_calls_have_their_arguments() -> None:
    function = only_function("void f() { a::g(1, h(2, x[3, 4]), {5, 6}); if (k) return; }")

    found = [(c.name, [" ".join(function.text(s)) for s in c.arguments]) for c in function.calls]

    assert found == [
        ("g", ["1", "h ( 2 , x [ 3 , 4 ] )", "{ 5 , 6 }"]),
        ("h", ["2", "x [ 3 , 4 ]"]),
    ]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("a; b;", True),
        ("b; a;", False),
        ("if (x) { a; } b;", False),
        ("if (x) a; b;", False),
        ("if (x) a; else b;", False),
        ("if (x) { a; b; }", True),
        ("if (f(a)) b;", True),
        ("a; while (x) if (y) b;", True),
        ("for (;;) for (;;) a; b;", False),
        ("do a; while (x); b;", False),
        ("x ? a : y; b;", False),
        ("y = x || a; b;", False),
        ("switch (x) { case 1: a; case 2: b; }", False),
        ("try { a; } catch (...) { b; }", False),
        ("if (x) if (y) z; else a; b;", False),
        ("if (x) while (y) { z; } a; b;", True),
        ("if (x) if (y) z; else w; a; b;", True),
        ("if (x && y) g(a, b);", True),
    ],
)
def test_what_always_runs_before(body: str, expected: bool) -> None:
    function = only_function(f"void f() {{ {body} }}")
    found = function.code.texts

    assert function.precedes(found.index("a"), found.index("b")) is expected


@pytest.mark.parametrize(
    "source",
    [
        "{" * 200_000,
        "(" * 200_000 + ")" * 200_000,
        "void f() {" + "if (a) " * 50_000 + "HAP_power_set(&a, b); }",
        "void f() {" + "if (a) { " * 20_000 + "HAP_power_set(&a, b);",
        "void f() {" + "HAP_power_set(&a, b); " * 10_000 + "}",
        "void f(int a) {" + "HAP_power_set(&a, b); " * 10_000 + "}",
        '"\\\n' * 100_000,
        'R"(' * 100_000,
        "/*" * 300_000,
        "#" + "/*" * 300_000,
        "#" + '"' * 300_001,
        "'" * 300_001,
        "void f() {" + 'f = dlsym(a, "rpcmem_alloc2"); if (!g) return; ' * 10_000 + "}",
        "void f() { f = " + 'dlsym(a, "rpcmem_alloc2"), ' * 20_000 + "x; }",
        "void f() {" + "v = HAP_request_VTCM(1); g(w, v);" * 10_000 + "}",
        "void f() {" + f"p[0] = 1; {INVALIDATE}" * 6000 + "}",
        "void f() {" + f"a_open(a_URI); {REQUEST}" * 9000 + "}",
        "void f() {" + "r.type = HAP_power_set_HMX; r.power_up = 1; HAP_power_set(a, b);" * 9000,
        "#if A\n" * 50_000 + "HAP_power_set",
        "HAP_power_set(" * 100_000,
        "a\0b HAP_power_set",
        "HAP_power_set \udcff\udcfe (",
    ],
    ids=range(22),
)
def test_hostile_sources_take_a_short_time(source: str, tmp_path: Path) -> None:
    begin = time.process_time()

    lint_texts(tmp_path, a_c=f"HAP_power_set\n{source}", b_sh=f"LIBRARY_PATH {source}")

    assert time.process_time() - begin < 20


NAMES = (
    *("HAP_power_set", "fastrpc_mmap", "HAP_mmap_get", "remote_session_control", "dlsym"),
    *("HAP_compute_res_acquire", "HAP_compute_res_attr_get_vtcm_ptr", "HAP_request_VTCM"),
    *("HAP_compute_res_attr_get_vtcm_ptr_v2", "qurt_mem_cache_clean", "setenv", "memcpy"),
)


@pytest.mark.parametrize("arguments", ["", ",", "&", "(", "x", "(x", '"', ",,,,,,,,", "x, (int)"])
def test_calls_with_odd_arguments(arguments: str, tmp_path: Path) -> None:
    calls = "; ".join(f"v = {name}({arguments})" for name in NAMES)

    lint_texts(tmp_path, a_c=f"void f() {{ {calls}; v; }}", b_sh="hexagon-sim")


@pytest.mark.parametrize("text", ["'" * 9, '"`$(', "<<A <<B\n", "${" * 1000, "\\", "a=" * 100_000])
def test_hostile_scripts(text: str, tmp_path: Path) -> None:
    lint_texts(tmp_path, a_sh=f"LIBRARY_PATH\n{text}")


def test_a_named_pipe_and_a_missing_file_are_named(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.c")
    files = {name: tmp_path / name for name in ("a.c", "b.c")}

    assert read_subject(files).skipped == {
        "a.c": "it is not a regular file",
        "b.c": "No such file or directory",
    }


def test_large_and_binary_files_are_named(tmp_path: Path) -> None:
    result = lint_texts(tmp_path, a_c="x" * (2 << 20) + "y", b_c="HAP_power_set\0")

    assert result.files == 0
    assert result.skipped == {"a.c": "it is larger than 2,097,152 bytes", "b.c": "it is no text"}
