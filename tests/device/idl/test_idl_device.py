"""Generated stubs and skels on the emulated device: an ARM64 caller, a Hexagon skel.

The wire format's tables, random signatures and shared buffers are tested with real
binaries: stub, libcdsprpc, the DSP's shell, skel.
"""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from buildtool.idl.compile import compile_idl
from tests.conftest import LONG
from tests.device.fastrpc.toolbox import ARM, HEADERS, SKEL_HEADERS, Device, Toolbox, zig
from tests.integration.idl.idl_cases import write_case
from tests.integration.idl.idl_random import Case, cases
from tests.integration.idl.idl_tables import TABLES

HERE = Path(__file__).parent
DSP = (
    *("-target", "hexagon-linux-musl", "-mcpu=hexagonv68+hvx_length128b+hvxv68", "-O2", "-fPIC"),
    # Clang replaces a memcmp that is only compared with 0 by bcmp, which a DSP's shell lacks.
    "-fno-builtin-bcmp",
)
WRAPPED = [f"-Wl,--wrap={name}" for name in ("malloc", "calloc", "free", "realloc", "memalign")]
SKEL_LINK = (
    *("-shared", "-nostdlib", "-Wl,-Bsymbolic", "-Wl,--hash-style=sysv"),
    *("-Wl,-z,max-page-size=4096", *WRAPPED),
)


def run_on(
    device: Device, toolbox: Toolbox, stem: str, out: Path, *, standard_types: bool = False
) -> str:
    """Compile `<stem>.idl`, `caller.c` and `imp.c`, and run the caller; returns its output."""
    compile_idl(out / f"{stem}.idl", (), (), out, standard_types=standard_types)
    skel = out / f"lib{stem}_skel.so"
    include = [f"-I{out}", *HEADERS]
    objects = []
    for source in (f"{stem}_skel.c", "imp.c"):
        objects.append(out / f"{source}.o")
        zig(*DSP, *include, *SKEL_HEADERS, "-c", out / source, "-o", objects[-1])
    zig(*DSP[:3], *SKEL_LINK, *objects, "-o", skel)
    device.install(skel)
    caller = out / "caller"
    sources = [out / f"{stem}_stub.c", out / "caller.c"]
    zig(*ARM, "-DON_DEVICE", *include, *sources, toolbox.library(), "-o", caller)
    done = subprocess.run(
        ["qemu-aarch64", "-L", device.root, caller],
        cwd=device.root,
        env=device.environment(),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0 or "different" in done.stdout, f"{done.stdout}{done.stderr}"
    return done.stdout


@pytest.mark.long
def test_the_tables_rows_go_round_and_a_wrong_value_is_seen(
    device: Device, toolbox: Toolbox, tmp_path: Path
) -> None:
    write_case(TABLES, tmp_path)
    assert run_on(device, toolbox, "loop", tmp_path) == "same\n"

    # This can fail: now the implementation returns one different number.
    source = tmp_path / "imp.c"
    text = source.read_text()
    assert "(*p1) = m1_1_out;" in text
    source.write_text(text.replace("(*p1) = m1_1_out;", "(*p1) = m1_1_out + 1;"))
    expected = "method 1: parameter 1 came back different\ndifferent\n"
    assert run_on(device, toolbox, "loop", tmp_path) == expected


def test_values_go_round(device: Device, toolbox: Toolbox, tmp_path: Path) -> None:
    @settings(
        max_examples=60 if LONG else 2,
        deadline=None,
        derandomize=not LONG,
        database=None,
        # Shrinking takes minutes, and the IDL file that a failure prints is sufficient.
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(cases(methods=20 if LONG else 10))
    def check(case: Case) -> None:
        with tempfile.TemporaryDirectory(dir=tmp_path) as out:
            write_case(case.within(200), Path(out))
            assert run_on(device, toolbox, "loop", Path(out)) == "same\n"

    check()


def test_shared_buffers_reach_the_dsp_with_their_length(
    device: Device, toolbox: Toolbox, tmp_path: Path
) -> None:
    for name in ("share.idl", "caller.c", "imp.c"):
        (tmp_path / name).write_text((HERE / "share" / name).read_text())
    assert run_on(device, toolbox, "share", tmp_path).splitlines() == [
        "doubled 0: 2 4 6 8",
        "offset 0: 6 8",
        "closed descriptor: refused",
    ]


@pytest.mark.long
@pytest.mark.parametrize(
    ("base", "standard_types"),
    [
        pytest.param(" : remote_handle64", True, id="handle-standard-types"),
        pytest.param("", False, id="no-handle"),
        pytest.param(" : remote_handle64", False, id="handle", marks=pytest.mark.long),
        pytest.param("", True, id="no-handle-standard-types", marks=pytest.mark.long),
    ],
)
def test_sequences_of_shared_buffers_are_mapped_by_the_dsp(
    device: Device, toolbox: Toolbox, tmp_path: Path, base: str, *, standard_types: bool
) -> None:
    for name in ("many.idl", "caller.c", "imp.c"):
        text = (HERE / "share_many" / name).read_text()
        (tmp_path / name).write_text(text.replace(" : remote_handle64", base))
    lines = run_on(device, toolbox, "many", tmp_path, standard_types=standard_types).splitlines()
    assert lines == [
        *("add 0: 0 0", "add 1: 0 1", "add 5: 0 31", f"add 15: 0 {2**15 - 1}"),
        "add 16: e -1",
        *("spread 0 0: 0 0 wrong", "spread 1 1: 0 0 wrong"),
        *("spread 4 3: 0 0 wrong", "spread 14 15: 0 0 wrong"),
        *("too many in: e", "too many out: e"),
        "raw 2 2 0: 0 4",
        *("raw 3 2 0: 8000040e 0", "raw 1 2 0: 8000040e 0", "raw 1 1 1: 8000040e 0"),
        *("raw 10 15 15: 8000040e 0", "raw ffffffff 15 0: 8000040e 0"),
        *("raw 80000000 0 0: 8000040e 0", "raw 1 1 0: 8000040e 0", "raw 1 1 0: 8000040e 0"),
        "add 5: 0 31",
    ]


def test_asynchronous_calls_pass_what_the_stub_had_at_the_call(
    device: Device, toolbox: Toolbox, tmp_path: Path
) -> None:
    """A stub has its records on its stack, which the next call uses again."""
    for name in ("later.idl", "caller.c", "imp.c"):
        (tmp_path / name).write_text((HERE / "later" / name).read_text())
    assert run_on(device, toolbox, "later", tmp_path) == "0, 0 wrong\n"


def test_a_stub_newer_than_the_skel_is_refused(
    device: Device, toolbox: Toolbox, tmp_path: Path
) -> None:
    """The stub has version 1.1.0, the skel 1.0.0, as after a forgotten push."""
    (tmp_path / "caller.c").write_text(
        '#include <stdio.h>\n#include "age.h"\n'
        "int main(void)\n{\n    remote_handle64 h = 0;\n"
        "    struct remote_rpc_control_unsigned_module on = {CDSP_DOMAIN_ID, 1};\n"
        "    remote_session_control(DSPRPC_CONTROL_UNSIGNED_MODULE, &on, sizeof(on));\n"
        '    printf("%x", (unsigned)age_open("file:///libage_skel.so?age_skel_handle_invoke"\n'
        '        "&_modver=1.0&_idlver=1.1.0&_dom=cdsp", &h));\n'
        '    printf(" %x\\n", (unsigned)age_open(age_URI "&_dom=cdsp", &h));\n'
        "    return 0;\n}\n"
    )
    (tmp_path / "imp.c").write_text(
        '#include "age.h"\n'
        "int age_open(const char *uri, remote_handle64 *h)\n"
        "{\n    (void)uri;\n    *h = 1;\n    return 0;\n}\n"
        "int age_close(remote_handle64 h)\n{\n    (void)h;\n    return 0;\n}\n"
    )
    (tmp_path / "age.idl").write_text(
        '#include "remote.idl"\nconst string IDL_VERSION = "1.0.0";\n'
        "interface age : remote_handle64 { };\n"
    )
    assert run_on(device, toolbox, "age", tmp_path) == "80000594 0\n"
