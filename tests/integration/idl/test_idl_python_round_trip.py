"""Python callers and generated skels: each side receives what the other side passes.

A stand-in for libcdsprpc calls the skel in the same process.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from buildtool.idl.compile import compile_idl
from tests.conftest import LONG
from tests.integration.idl.idl_python import command, compile_library, prepare
from tests.integration.idl.idl_random import Case, cases
from tests.integration.idl.idl_rig import run
from tests.integration.idl.idl_tables import TABLES


def go_round(case: Case, out: Path) -> str:
    prepare(case, out)
    return run(command(out))


@pytest.mark.long
def test_the_tables_rows_go_round_with_a_stand_in_for_libcdsprpc(tmp_path: Path) -> None:
    """And a wrong value is seen: at the end the implementation returns one different number."""
    assert go_round(TABLES, tmp_path) == "same\n"

    source = tmp_path / "cases.h"
    before = "static int64 m1_1_out = (int64)9223372036854775808ull;"
    assert before in source.read_text()
    source.write_text(source.read_text().replace(before, before.replace("808ull", "807ull")))
    compile_library(tmp_path)
    assert run(command(tmp_path)) == ("m1.r: 9223372036854775807, not -9223372036854775808\n")


SHARED = """
#include "remote.idl"
interface loop : remote_handle64 {
    long shared(in sequence<dmahandle> a, rout sequence<dmahandle> b, rout string seen);
};
"""
IMPLEMENTATION = """
#include "loop.h"
int adsp_mmap_fd_getinfo(int fd, uint32_t *size)
{
    *size = (uint32_t)fd * 100;
    return 0;
}
int implementation_loop_open(const char *uri, remote_handle64 *h) { *h = uri != NULL; return 0; }
int implementation_loop_close(remote_handle64 h) { return h == 0; }
int implementation_loop_shared(remote_handle64 h, const _dmahandle1_t *a, int aLen,
                               _dmahandle1_t *b, int bLen, char *seen, int seenLen)
{
    int used = 0;
    (void)h;
    for (int i = 0; i < aLen + bLen; i++) {
        const _dmahandle1_t *one = i < aLen ? &a[i] : &b[i - aLen];
        used += snprintf(seen + used, (size_t)(seenLen - used), "%d+%u,%u ", one->fd, one->offset,
                         one->len);
    }
    return 0;
}
"""


def test_sequences_of_shared_buffers_go_round_with_a_stand_in_for_libcdsprpc(
    tmp_path: Path,
) -> None:
    (tmp_path / "loop.idl").write_text(SHARED)
    (tmp_path / "imp.c").write_text(IMPLEMENTATION)
    compile_idl(tmp_path / "loop.idl", (), (), tmp_path)
    compile_idl(tmp_path / "loop.idl", (), (), tmp_path / "made", python=True)
    compile_library(tmp_path)
    (tmp_path / "user.py").write_text(
        "import ctypes\nfrom made._fastrpc import DmaHandle, FastRpcError\n"
        "from made.loop import Loop\n"
        f"with Loop(library=ctypes.CDLL({str(tmp_path / 'libloop.so')!r})) as loop:\n"
        "    for given in (), (20,), range(20, 35), range(16):\n"
        "        handles = [DmaHandle(fd, 8 * fd, 64) for fd in given]\n"
        "        try:\n"
        "            print(loop.shared(handles, handles[:1], 500))\n"
        "        except FastRpcError as error:\n"
        "            print(error.name)\n"
    )
    lines = run([sys.executable, str(tmp_path / "user.py")]).splitlines()
    many = "".join(f"{fd}+{8 * fd},{100 * fd} " for fd in range(20, 35))
    assert lines == ["", "20+160,2000 20+160,2000 ", f"{many}20+160,2000 ", "AEE_EBADPARM"]


def test_values_go_round_with_a_stand_in_for_libcdsprpc(tmp_path: Path) -> None:
    @settings(
        max_examples=100 if LONG else 1,
        deadline=None,
        derandomize=not LONG,
        database=None,
        # Shrinking takes minutes, and the IDL file that a failure prints is sufficient.
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(cases(methods=20))
    def check(case: Case) -> None:
        with tempfile.TemporaryDirectory(dir=tmp_path) as out:
            assert go_round(case.within(200), Path(out)) == "same\n"

    check()
