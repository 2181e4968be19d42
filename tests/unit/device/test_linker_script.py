"""Absolute paths in linker scripts."""

from __future__ import annotations

import pytest

from buildtool.device.sysroot.libc import is_linker_script, with_relative_paths

GLIBC = """\
/* GNU ld script
   Use the shared library, but some functions are only in /usr/lib/libc_nonshared.a */
OUTPUT_FORMAT(elf64-littleaarch64)
GROUP ( /lib/aarch64-linux-gnu/libc.so.6 /usr/lib/aarch64-linux-gnu/libc_nonshared.a\
  AS_NEEDED ( /lib/ld-linux-aarch64.so.1 ) )
"""


def rewritten(text: str, folder: str = "/usr/lib/aarch64-linux-gnu") -> str:
    return with_relative_paths(text, folder, lambda path: path)


def test_the_script_of_glibc() -> None:
    text = rewritten(GLIBC)

    assert "GROUP ( ../../../lib/aarch64-linux-gnu/libc.so.6 libc_nonshared.a" in text
    assert "AS_NEEDED ( ../../../lib/ld-linux-aarch64.so.1 )" in text
    assert text.splitlines()[:3] == GLIBC.splitlines()[:3]


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ('INPUT("/lib/a b.so",/lib/c.so)', 'INPUT("../../lib/a b.so",../../lib/c.so)'),
        ("INPUT(-lm libx.so.1 ../y.a)", "INPUT(-lm libx.so.1 ../y.a)"),
        ("INPUT(=/lib/x.so $SYSROOT/lib/y.so)", "INPUT(../../lib/x.so ../../lib/y.so)"),
        ('SEARCH_DIR("=/usr/lib")', 'SEARCH_DIR(".")'),
        ("INPUT ( / )", "INPUT ( / )"),
        ("INPUT ( /* /lib/x.so", "INPUT ( /* ../../lib/x.so"),
        ('INPUT ( "/lib/x.so', 'INPUT ( "../../lib/x.so'),
        ("", ""),
    ],
)
def test_other_scripts(script: str, expected: str) -> None:
    assert rewritten(script, "/usr/lib") == expected


def test_a_path_is_where_it_really_leads() -> None:
    text = with_relative_paths("GROUP ( /lib/x.so )", "/usr/lib", lambda path: f"/usr{path}")
    assert text == "GROUP ( x.so )"


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (GLIBC.encode(), True),
        (b"\x7fELF INPUT ( x )", False),
        (b"!<arch>\nGROUP ( x )", False),
        (b"GROUP ( x )\0", False),
        (b"hello", False),
        (b"GROUP ( x )" + b" " * (16 << 10), False),
    ],
)
def test_what_is_a_script(data: bytes, expected: bool) -> None:
    assert is_linker_script(data) is expected
