"""Functions written for one kind of qaic's C types compile with a header of that kind.

qaic's own types are int64, uint64 and boolean, those of its option -st are int64_t, uint64_t and
bool.  The headers of the SDK and of the open-source libcdsprpc define the former as long long,
unsigned long long and unsigned char; public code has these, too.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from buildtool.idl.compile import compile_idl
from buildtool.sdk.packaged_tools import usable_zig
from tests.integration.idl.idl_rig import HEADERS

IDL = """\
#include "AEEStdDef.idl"
#include "remote.idl"
typedef octet key[4];
enum state { READY, BUSY };
struct part { boolean used; long long size; sequence<long long> sizes; boolean flags[3]; };
interface both : remote_handle64 {
    long sum(in sequence<long> v, rout long long r);
    AEEResult flags(in boolean a, rout boolean b, inrout boolean c, in key k);
    long numbers(in uint64 a, rout unsigned long long b, in long long c, rout long long d);
    long small(in int8 a, rout uint8 b, in int16_t c, rout uint32 d, in octet e, rout wchar f);
    long many(in sequence<boolean> a, rout sequence<uint64> b, in sequence<int8> c);
    long texts(in string a, rout string b, in sequence<string> c, in dmahandle d);
    long shared(in sequence<dmahandle> a, rout sequence<dmahandle> b);
    long parts(in part a, rout part b, in sequence<part> c);
    state state(in state a, rout state b);
    short tell(in float a, rout double b);
};
"""
# The implementation; WIDE, UWIDE and FLAG are the types of one mode.
IMPLEMENTATION = r"""
int both_open(const char *uri, remote_handle64 *h)
{
    void *own = malloc(1);
    *h = (remote_handle64)(size_t)own;
    return uri == NULL || own == NULL ? AEE_ENOMEMORY : AEE_SUCCESS;
}

int both_close(remote_handle64 h)
{
    free((void *)(size_t)h);
    return 0;
}

int both_sum(remote_handle64 h, const int *v, int vLen, WIDE *r)
{
    *r = (WIDE)h;
    for (int i = 0; i < vLen; i++) {
        *r += v[i];
    }
    FARF(ALWAYS, "sum of %d", vLen);
    FARF(RUNTIME_HIGH, "called");
    return 0;
}

AEEResult both_flags(remote_handle64 h, FLAG a, FLAG *b, FLAG *c, const key k)
{
    *b = (FLAG)(a && *c && k[0] != 0 && h != 0);
    *c = TRUE;
    return AEE_SUCCESS;
}

int both_numbers(remote_handle64 h, UWIDE a, UWIDE *b, WIDE c, WIDE *d)
{
    *b = a + h;
    *d = c;
    return 0;
}

int both_small(remote_handle64 h, signed char a, unsigned char *b, short c, unsigned int *d,
               unsigned char e, _wchar_t *f)
{
    *b = (unsigned char)(a + e);
    *d = (unsigned int)h;
    *f = (_wchar_t)c;
    return 0;
}

int both_many(remote_handle64 h, const FLAG *a, int aLen, UWIDE *b, int bLen, const int8_t *c,
              int cLen)
{
    return h != 0 && aLen > 0 && a[0] && bLen > 0 && b[0] > 0 && cLen > 0 && c[0] > 0;
}

int both_texts(remote_handle64 h, const char *a, char *b, int bLen, const _cstring1_t *c, int cLen,
               int d, uint32_t dOffset, uint32_t dLen)
{
    snprintf(b, (size_t)bLen, "%s %s %d %u %u", a, cLen > 0 ? c[0].data : "", d, dOffset, dLen);
    return h == 0;
}

int both_shared(remote_handle64 h, const _dmahandle1_t *a, int aLen, _dmahandle1_t *b, int bLen)
{
    const int *fd = aLen > 0 ? &a[0].fd : NULL;
    const uint32_t *size = bLen > 0 ? &b[0].len : NULL;
    return h != 0 && fd != NULL && size != NULL && *size > a[0].offset;
}

int both_parts(remote_handle64 h, const part *a, part *b, const part *c, int cLen)
{
    const WIDE *sizes = a->sizes;
    const FLAG *flags = a->flags;
    b->used = flags[0];
    b->size = sizes[0] + (cLen > 0 ? c[0].size : (WIDE)h);
    return 0;
}

state both_state(remote_handle64 h, state a, state *b)
{
    *b = a;
    return h == 0 ? BUSY : READY;
}

short both_tell(remote_handle64 h, float a, double *b)
{
    *b = a;
    return h == 0;
}
"""
CLIENT = r"""
int client(void)
{
    remote_handle64 h = 0;
    const int v[2] = {1, 2};
    const unsigned char k[4] = {1, 2, 3, 4};
    WIDE r = 0;
    UWIDE u = 0;
    FLAG flags[2] = {FALSE, TRUE};
    int err = both_open(both_URI "&_dom=cdsp", &h);
    err = err ? err : both_sum(h, v, 2, &r);
    err = err ? err : both_flags(h, TRUE, &flags[0], &flags[1], k);
    err = err ? err : both_numbers(h, (UWIDE)r, &u, r, &r);
    const _dmahandle1_t shared[1] = {{3, 0, 4096}};
    err = err ? err : both_shared(h, shared, 1, NULL, 0);
    return err ? err : both_many(h, flags, 2, &u, 1, NULL, 0) + both_close(h);
}
"""
# Types of the same sizes that a project may define for itself.
OTHER_TYPES = """\
#include <stdbool.h>
#include <stdint.h>
#define _BOOLEAN_DEFINED
#define _INT64_DEFINED
#define _UINT64_DEFINED
typedef bool boolean;
typedef int64_t int64;
typedef uint64_t uint64;
"""
TYPES = {
    False: (("int64", "uint64", "boolean"), ("long long", "unsigned long long", "unsigned char")),
    True: (("int64_t", "uint64_t", "bool"),),
}
ZIG = {
    "Hexagon": ("-target", "hexagon-linux-musl", "-mcpu=hexagonv68"),
    "ARM64": ("-target", "aarch64-linux-gnu.2.35"),
}
GCC = "aarch64-linux-gnu-gcc"
WARNINGS = ("-Wall", "-Wextra", "-Wincompatible-pointer-types", "-Werror")


def compiled(command: list[str | Path], source: Path) -> None:
    """Compile `source`; the warnings about unused parameters that C++ has are not of interest."""
    flags = ("-Wno-unused-parameter", "-I.", f"-I{HEADERS}", "-c", source.name, "-o", "out.o")
    done = subprocess.run(
        [*map(str, command), *flags],
        cwd=source.parent,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "warning:" not in done.stderr, done.stderr


def compiler(side: str, language: str) -> list[str | Path]:
    warnings = [each for each in WARNINGS if language == "c" or "pointer" not in each]
    if side == GCC:
        return [GCC, "-x", language, *warnings]
    return [usable_zig().where, "cc", *ZIG[side], "-x", language, *warnings]


@pytest.mark.parametrize(
    "standard_types",
    [pytest.param(False, marks=pytest.mark.long), True],
    ids=["default", "standard-types"],
)
@pytest.mark.parametrize("language", [pytest.param("c", marks=pytest.mark.long), "c++"])
@pytest.mark.parametrize("side", ["Hexagon", "ARM64", GCC])
def test_code_for_a_mode_compiles(
    side: str, language: str, tmp_path: Path, *, standard_types: bool
) -> None:
    if side == GCC and shutil.which(GCC) is None:
        pytest.skip(f"{GCC} is not installed")
    (tmp_path / "both.idl").write_text(IDL)
    compile_idl(tmp_path / "both.idl", (), (), tmp_path, standard_types=standard_types)
    for wide, uwide, flag in TYPES[standard_types]:
        defined = f"#define WIDE {wide}\n#define UWIDE {uwide}\n#define FLAG {flag}\n"
        for what, text in (("implementation", IMPLEMENTATION), ("client", CLIENT)):
            source = tmp_path / f"{what} for {wide}"
            source.write_text(f'#include "both.h"\n#include "HAP_farf.h"\n{defined}{text}')
            compiled(compiler(side, language), source)


@pytest.mark.parametrize("side", ["Hexagon", "ARM64"])
def test_the_generated_code_takes_other_definitions_of_the_types(side: str, tmp_path: Path) -> None:
    (tmp_path / "both.idl").write_text(IDL)
    compile_idl(tmp_path / "both.idl", (), (), tmp_path)
    for name in ("both_stub.c", "both_skel.c"):
        source = tmp_path / f"own_types_{name}"
        source.write_text(f'{OTHER_TYPES}#include "{name}"\n')
        compiled(compiler(side, "c"), source)
