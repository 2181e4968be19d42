"""Rules about programs: code that is found, and code beside it that is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.lint.linted import in_function, lint_texts, rules_of

CONTROL = "remote_session_control(DSPRPC_CONTROL_UNSIGNED_MODULE, &m, sizeof m);"
OPEN = "calc_open(calc_URI CDSP_DOMAIN, &h);"
LATE = [("unsigned-after-open", 4)]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (f"int a = {OPEN}\nif (a) return a;\n{CONTROL}", LATE),
        (f"remote_handle64_open(uri, &h);\n\n{CONTROL}", LATE),
        (f"if (ok) {{\n{OPEN}\n{CONTROL} }}", LATE),
        (f"{OPEN}\nif (ok)\n{CONTROL}", LATE),
        (f"{CONTROL}\n\n{OPEN}", []),
        (f"if (signed_skel) {{ {OPEN} return 0; }}\n\n{CONTROL}", []),
        (f"if (signed_skel) return {OPEN}\n\n{CONTROL}", []),
        (f"for (;;) {{ {OPEN} }}\n\n{CONTROL}", []),
        (f"switch (kind) {{ case 1: {OPEN} break;\ncase 2:\n{CONTROL} }}", []),
        (f"ok && {OPEN}\n\n{CONTROL}", []),
        (f"{OPEN}\ncalc_close(h);\n{CONTROL}", []),
        (f"puts(calc_URI);\n\n{CONTROL}", []),
        (f"other_open(uri, &h);\n\n{CONTROL}", []),
        (f"calc_open(calc_URI ADSP_DOMAIN, &h);\n\n{CONTROL}", []),
        (f"file_open(path, &h);\n\n{CONTROL}", []),
        (f"{OPEN}\n\nremote_session_control(FASTRPC_THREAD_PARAMS, &t, sizeof t);", []),
        (f"// {OPEN}\n\n{CONTROL}", []),
    ],
)
def test_unsigned_after_open(body: str, expected: list[tuple[str, int]], tmp_path: Path) -> None:
    assert rules_of(lint_texts(tmp_path, a_c=in_function(body))) == expected


def test_an_open_by_the_name_of_an_interface(tmp_path: Path) -> None:
    code = in_function(f"calc_open(uri.c_str(), &h);\n\n{CONTROL}")

    idl = '#include "remote.idl"\ninterface calc : remote_handle64 { };'

    assert rules_of(lint_texts(tmp_path, a_cpp=code)) == []
    assert rules_of(lint_texts(tmp_path, a_cpp=code, b_idl=idl)) == LATE


MAP = "fastrpc_mmap(CDSP_DOMAIN_ID, fd, p, 0, n, {});\nfastrpc_munmap(CDSP_DOMAIN_ID, fd, p, n);"
GET = in_function("HAP_mmap_get(fd, &p, 0);\nHAP_mmap_put(fd);")


@pytest.mark.parametrize(
    ("host", "dsp", "expected"),
    [
        (MAP.format("FASTRPC_MAP_STATIC"), GET, [("static-map", 2)]),
        (MAP.format("0"), GET, [("static-map", 2)]),
        (MAP.format("(enum fastrpc_map_flags)0"), GET, [("static-map", 2)]),
        (MAP.format("FASTRPC_MAP_STATIC"), in_function("work(p);"), []),
        (MAP.format("FASTRPC_MAP_FD"), GET, []),
        (MAP.format("flags"), GET, []),
        (MAP.format("0") + MAP.format("FASTRPC_MAP_FD_DELAYED"), GET, []),
    ],
)
def test_static_map(host: str, dsp: str, expected: list[tuple[str, int]], tmp_path: Path) -> None:
    assert rules_of(lint_texts(tmp_path, host_cpp=in_function(host), dsp_c=dsp)) == expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("p = HAP_mmap(0, n, 3, 0, fd, 0);", [("map-without-unmap", 2)]),
        ("p = HAP_mmap2(0, n, 3, 0, fd, 0);", [("map-without-unmap", 2)]),
        ("HAP_mmap_get(fd, &p, 0);", [("map-without-unmap", 2)]),
        ("p = HAP_mmap(0, n, 3, 0, fd, 0);\nHAP_munmap(p, n);", []),
        ("p = HAP_mmap(0, n, 3, 0, fd, 0);\nHAP_munmap2(p, n);", []),
        ("p = mmap(0, n, 3, 0, fd, 0);", []),
        # A pointer to the function is enough: how it is called is not followed.
        ('unmap = dlsym(library, "fastrpc_munmap");\nfastrpc_mmap(3, fd, p, 0, n, 2);', []),
        ("/* HAP_mmap(0, n, 3, 0, fd, 0) */", []),
    ],
)
def test_map_without_unmap(body: str, expected: list[tuple[str, int]], tmp_path: Path) -> None:
    assert rules_of(lint_texts(tmp_path, a_c=in_function(body))) == expected


def test_an_unmap_in_another_file_counts(tmp_path: Path) -> None:
    one, other = in_function("HAP_mmap_get(fd, &p, 0);"), in_function("HAP_mmap_put(fd);")

    assert rules_of(lint_texts(tmp_path, a_c=one, b_hpp=other)) == []


ALLOC2 = 'f = dlsym(library, "rpcmem_alloc2");\n'
REQUIRED = [("required-dlsym", 2)]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (ALLOC2 + "if (!f) return -1;", REQUIRED),
        (ALLOC2 + "if (f == NULL) { log(); exit(1); }", REQUIRED),
        (ALLOC2 + "if (g == NULL || f == NULL) goto fail;", REQUIRED),
        ('this->f = (fn *)dlsym(l, "rpcmem_alloc2");\nif (!this->f) throw bad();', REQUIRED),
        ('auto f = reinterpret_cast<fn>(dlsym(l, "rpcmem_alloc2"));\nif (!f) return 1;', REQUIRED),
        ('if (!(f = dlsym(l, "rpcmem_alloc2"))) return -1;', REQUIRED),
        ('if ((f = dlsym(l, "rpcmem_alloc2")) == NULL) return -1;', REQUIRED),
        (ALLOC2 + "if (nothing) return -1; if (f == 0) return -1;", REQUIRED),
        ('if ((f = dlsym(l, "rpcmem_alloc2")) != NULL) return f(1);', []),
        ('if (!(f = dlsym(l, "rpcmem_alloc2"))) f = other;', []),
        (ALLOC2 + "if (nullptr == f) return -1;", REQUIRED),
        (ALLOC2 + "if (x == f || x->f == NULL) return -1;", []),
        (ALLOC2 + "while (!f) return -1;", []),
        (ALLOC2 + "if (f == other) return -1;", []),
        ("if (!f) return -1;" + ALLOC2, []),
        ('dlsym(l, "rpcmem_alloc2"); if (!f) return -1;', []),
        (ALLOC2, []),
        (ALLOC2 + "if (!f) f = fallback;", []),
        ("for (;;) {" + ALLOC2 + "if (!f) continue; }", []),
        (ALLOC2 + "if (!f && !g) return -1;", []),
        (ALLOC2 + "if (f) return f(1, 2, 3);", []),
        (ALLOC2 + "if (!x->f) return -1;", []),
        ('f = dlsym(library, "rpcmem_alloc");\nif (!f) return -1;', []),
        ("f = dlsym(library, name);\nif (!f) return -1;", []),
    ],
)
def test_required_dlsym(body: str, expected: list[tuple[str, int]], tmp_path: Path) -> None:
    assert rules_of(lint_texts(tmp_path, a_cpp=in_function(body))) == expected


MACRO = "#define GET(l, p, s) do { \\\n p = dlsym(l, #s); if (!p) return -1; } while (0)\n"


@pytest.mark.parametrize(
    ("macro", "use", "expected"),
    [
        (MACRO, "GET(l, f, rpcmem_alloc2);", [("required-dlsym", 4)]),
        (MACRO, 'GET(l, f, "rpcmem_alloc2");', [("required-dlsym", 4)]),
        (MACRO, "GET(l, f, rpcmem_alloc);", []),
        (MACRO.replace("!p", "!p && required"), "GET(l, f, rpcmem_alloc2);", []),
        (MACRO.replace("return -1", "p = other"), "GET(l, f, rpcmem_alloc2);", []),
        (MACRO.replace("dlsym", "find"), "GET(l, f, rpcmem_alloc2);", []),
    ],
)
def test_a_macro_that_requires_functions(
    macro: str, use: str, expected: list[tuple[str, int]], tmp_path: Path
) -> None:
    code = macro + in_function(f"/* dlsym */ {use}")

    assert rules_of(lint_texts(tmp_path, a_c=code)) == expected
