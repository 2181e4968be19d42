"""hexagon-clang of the SDK-shaped root encodes instructions that clang does not know."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile

from buildtool.core.elf.read import read_elf
from buildtool.sdk.packaged_tools import usable_zig
from buildtool.toolchains.sdk_root import SdkRoot, sdk_root

KERNEL = """\
#include "kernel.h"
unsigned counter(void) { unsigned v; __asm__ volatile("%0 = upmucnt3" : "=r"(v)); return v; }
unsigned cycles(void) { unsigned v; __asm__ volatile("%0 = upcyclelo" : "=r"(v)); return v; }
void one(void *a) { store(a); }
void two(void *a) { store(a); clear(); }
int integer = NULL;
"""
HEADER = """\
#include <stddef.h>
static inline void store(void *a) { __asm__ volatile("mxmem(%0, %1) = cvt" ::"r"(a), "r"(0)); }
static inline void clear(void) { __asm__ volatile("mxclracc"); }
"""
FLAGS = ("-mv73", "-mhvx=v73", "-mhvx-length=128B", "-mhmx", "-flto", "-fvectorize", "-G0", "-O2")
STRICT = ("-fpic", "-Wall", "-Werror")
OUTPUT = ("-MD", "-MT", "k.o", "-MF", "k.d", "-o", "k.o", "-c")


class Compiler:
    def __init__(self, folder: Path, root: SdkRoot) -> None:
        self.folder, self.program = folder, root.tools / "Tools/bin/hexagon-clang"
        (folder / "kernel.h").write_text(HEADER)
        self.source(KERNEL)

    def source(self, text: str) -> None:
        (self.folder / "kernel.c").write_text(text)

    def run(self, *words: str | Path, **variables: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*words, *FLAGS, *STRICT, *OUTPUT, "kernel.c"],
            cwd=self.folder,
            env={**os.environ, **variables},
            capture_output=True,
            text=True,
            check=False,
        )

    def compile(self, **variables: str) -> subprocess.CompletedProcess[str]:
        return self.run(self.program, **variables)

    @property
    def object(self) -> Path:
        return self.folder / "k.o"


@pytest.fixture
def compiler(tmp_path: Path) -> Compiler:
    folder = tmp_path / "a kernel"
    folder.mkdir()
    return Compiler(folder, sdk_root(usable_zig()))


def code_of(file: Path) -> list[int]:
    """The words of the code."""
    with file.open("rb") as stream:
        section = ELFFile(stream).get_section_by_name(".text")
        assert section
        data = section.data()
    return [int.from_bytes(data[at : at + 4], "little") for at in range(0, len(data), 4)]


CLEAR, STORE = 0xA6E0C011, 0xA6E0C018  # with r0 as Rs, and any Rt
RT = 0x1F << 8


def test_dependencies_and_encodings(compiler: Compiler) -> None:
    done = compiler.compile()
    assert (done.returncode, done.stderr) == (0, "")
    depfile = (compiler.folder / "k.d").read_text()
    assert depfile.startswith("k.o: kernel.c")
    assert "kernel.h" in depfile
    assert read_elf(compiler.object).flags & 0x3FF == 0x73
    words = code_of(compiler.object)
    assert [word & ~RT for word in words].count(STORE) == 2
    assert words.count(CLEAR) == 1
    cycles = next(word for word in words if word & 0xFFFF_FFE0 == 0x6A0E_C000)  # clang encodes C14
    assert cycles + ((23 - 14) << 16) in words  # C23 in the same register


def test_a_loop_with_many_instructions_is_assembled(compiler: Compiler) -> None:
    store = '        __asm__ volatile("mxmem(%0, %1) = cvt" ::"r"(p), "r"({}));\n'
    stores = "".join(store.format("abc"[number % 3]) for number in range(12))
    compiler.source(
        "void f(int *v, const int *w, int rows, int columns, int *p, int s) {\n"
        "    int a = 0, b = 1, c = 2;\n"
        "    for (int i = 0; i < rows; i++) {\n"
        "        int sum = v[i];\n"
        "        for (int j = 0; j < columns; j++) { sum += w[j]; }\n"
        f"{stores}        v[i] = sum; a += s * 3; b += s * 4; c += s * 5;\n"
        "    }\n}\n"
    )
    done = compiler.compile()
    assert done.returncode == 0, done.stderr
    parts = [word & 0xFFE0E0FF for word in code_of(compiler.object)]
    assert parts.count(STORE) == 12


def test_assembly_files_are_encoded(compiler: Compiler) -> None:
    """With packets on one line and on several, hardware loops, and a macro of the preprocessor."""
    source = compiler.folder / "kernel.S"
    source.write_text(
        "#define CLEAR mxclracc\n.text\n.globl f\nf:\nCLEAR\n"
        "{ loop0(1f, r4) }\n1:\n"
        "{ activation.ub = mxmem(r0, r1):deep\n  weight.b = mxmem(r2, r3)\n"
        "  r0 = add(r0, #2048) }:endloop0\n{ jumpr r31 }\n"
    )
    words = [str(compiler.program), *FLAGS, "-c", str(source), "-o", str(compiler.object)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert code_of(compiler.object)[:1] == [CLEAR]
    assert code_of(compiler.object)[2:5] == [0xB0808000, 0x920041E0, 0x9202E3E0]

    source.write_text(".text\nmxclracc\nmxclracc.sf\n")
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "kernel.S:3: error: mxclracc.sf: no such instruction" in done.stderr


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('void f(void) { __asm__("frobnicate r0"); }', "unrecognized instruction"),
        (
            'void f(void) { __asm__("mxfoo(r0)"); }',
            "kernel.c:1: error: mxfoo(r0): no such",
        ),
        ('void f(void) { __asm__("mxclracc\\nr0 = ad(r1, r2)"); }', "r0 = ad(r1, r2)"),
        ("void f(void) { return 1 }", "expected ';'"),
    ],
)
def test_mistakes_are_still_errors(text: str, message: str, compiler: Compiler) -> None:
    compiler.source(text)
    done = compiler.compile()
    assert done.returncode != 0
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert not compiler.object.exists()


def test_without_an_output_the_object_is_named_after_the_source(compiler: Compiler) -> None:
    done = subprocess.run(
        [compiler.program, *FLAGS, "-c", "kernel.c"], cwd=compiler.folder, check=False
    )
    assert done.returncode == 0
    assert {file.name for file in compiler.folder.iterdir()} == {"kernel.c", "kernel.h", "kernel.o"}


def test_strict_isa_refuses_the_instructions(compiler: Compiler) -> None:
    done = compiler.compile(BUILDTOOL_STRICT_ISA="1")
    assert done.returncode != 0
    assert "kernel.h:3" in done.stderr
    assert "unrecognized instruction" in done.stderr


@pytest.mark.skipif(not shutil.which("ccache"), reason="needs ccache")
def test_ccache_has_the_words_too(compiler: Compiler, tmp_path: Path) -> None:
    settings = {"CCACHE_DIR": str(tmp_path / "ccache"), "CCACHE_COMPILERTYPE": "clang"}
    first = compiler.run("ccache", compiler.program, **settings)
    made = compiler.object.read_bytes()
    compiler.object.unlink()
    second = compiler.run("ccache", compiler.program, **settings)
    assert (first.returncode, second.returncode) == (0, 0), first.stderr
    assert compiler.object.read_bytes() == made
    assert second.stderr == first.stderr == ""
    stats = subprocess.run(
        ["ccache", "--print-stats"],
        env={**os.environ, **settings},
        capture_output=True,
        text=True,
        check=True,
    )
    assert "direct_cache_hit\t1" in stats.stdout
