"""hexagon-clang of the SDK-shaped root, started by hand."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from buildtool.sdk.packaged_tools import usable_zig
from buildtool.toolchains.sdk_root import sdk_root
from tests.instructions import hvx_instructions, ieee_instructions

ROOT = Path(__file__).parents[3]

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
    "call.c": """\
typedef float floats __attribute__((vector_size(128)));
void called(void);
floats sum(floats a, floats b, floats c) { floats product = a * b; called(); return product + c; }
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
    names = ("text.c", "twice.c", "ieee.c")
    objects = [name.replace(".c", ".o") for name in names]
    for name, made in zip(names, objects, strict=True):
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
    assert ieee_instructions(clang.folder / "ieee.o") == ["Q6_Vsf_vadd_VsfVsf"]


@pytest.mark.parametrize("arch", ["v79", "v81"])
@pytest.mark.parametrize("kernel", ["gated_delta_step_f32", "rms_norm_f32"])
def test_the_kernels_of_the_sample_have_no_ieee_instruction(
    clang: HexagonClang, kernel: str, arch: str
) -> None:
    source = ROOT / "dsp" / "src" / f"{kernel}.c"
    clang.compile(f"-m{arch}", "-mhvx", "-c", str(source), "-o", "kernel.o")
    assert "Q6_Vsf_equals_Vqf32" in hvx_instructions(clang.folder / "kernel.o")
    assert not ieee_instructions(clang.folder / "kernel.o")


def test_no_conversion_is_delayed_beyond_a_call(clang: HexagonClang) -> None:
    """What a call or a spill saves of a qf register is not all of it from v79 on."""
    clang.compile("-mv75", "-mhvx", "-c", "call.c", "-o", "old.o")
    clang.compile("-mv79", "-mhvx", "-c", "call.c", "-o", "new.o")
    joined, sums = "Q6_Vqf32_vadd_Vqf32Vsf", "Q6_Vqf32_vadd_VsfVsf"
    assert {joined, sums} & {*hvx_instructions(clang.folder / "old.o")} == {joined}
    assert {joined, sums} & {*hvx_instructions(clang.folder / "new.o")} == {sums}
