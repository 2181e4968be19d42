"""hexagon-clang of the SDK-shaped root, started by hand."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from buildtool.sdk.zig import usable_zig
from buildtool.toolchains.sdk_root import sdk_root

SOURCES = {
    "text.c": """\
#include <stdio.h>
int twice(int);
int text(char *out, const char *name) { return snprintf(out, 30, "%s %d", name, twice(3)); }
""",
    "twice.c": "int twice(int x) { return x * 2; }\n",
    "ieee.c": """\
#include <hexagon_types.h>
#include <hexagon_protos.h>
HVX_Vector sum(HVX_Vector a, HVX_Vector b) { return Q6_Vsf_vadd_VsfVsf(a, b); }
""",
}


class HexagonClang:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.temporary = folder / "temporary"
        self.temporary.mkdir(parents=True)
        self.program = sdk_root(usable_zig()).tools / "Tools/bin/hexagon-clang"
        for name, text in SOURCES.items():
            (folder / name).write_text(text)

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [self.program, "-O2", "-fPIC", *words],
            cwd=self.folder,
            env={**os.environ, "TMPDIR": str(self.temporary)},
            capture_output=True,
            text=True,
            check=False,
        )

    def compile(self, *words: str) -> None:
        done = self.run(*words)
        assert (done.returncode, done.stderr) == (0, "")


@pytest.fixture
def clang(tmp_path: Path) -> HexagonClang:
    return HexagonClang(tmp_path / "two words")


def test_one_command_makes_what_several_make(clang: HexagonClang) -> None:
    flags = ("-mv79", "-mhvx")
    clang.compile(*flags, "-shared", "text.c", "-o", "one.so", "twice.c", "ieee.c")
    objects = [name.replace(".c", ".o") for name in SOURCES]
    for name, made in zip(SOURCES, objects, strict=True):
        clang.compile(*flags, "-c", name, "-o", made)
    clang.compile("-shared", *objects, "-o", "several.so")
    assert (clang.folder / "one.so").read_bytes() == (clang.folder / "several.so").read_bytes()
    assert not [*clang.temporary.iterdir()]


def test_an_error_leaves_nothing(clang: HexagonClang) -> None:
    (clang.folder / "wrong.c").write_text("int x =\n")
    done = clang.run("-shared", "twice.c", "wrong.c", "-o", "lib.so")
    assert done.returncode == 1
    assert "wrong.c:1:8: error" in done.stderr
    assert not (clang.folder / "lib.so").exists()
    assert not [*clang.temporary.iterdir()]


def test_intrinsics_of_the_ieee_format_are_computed_in_qf_from_v79_on(clang: HexagonClang) -> None:
    """Also where a project asks for the instructions, which these archs do not have."""
    for arch in ("v79", "v81"):
        for asked in ((), ("-mhvx-ieee-fp",)):
            done = clang.run(f"-m{arch}", "-mhvx", *asked, "-S", "ieee.c", "-o", "ieee.s")
            assert done.returncode == 0, done.stderr
            text = (clang.folder / "ieee.s").read_text()
            assert "v0.qf32 = vadd(v0.sf,v1.sf)" in text
            assert "v0.sf = v0.qf32" in text
            assert "sf = vadd" not in text
    assert clang.run("-mv75", "-mhvx", "-c", "ieee.c", "-o", "ieee.o").returncode
    clang.compile("-mv75", "-mhvx", "-mhvx-ieee-fp", "-c", "ieee.c", "-o", "ieee.o")
