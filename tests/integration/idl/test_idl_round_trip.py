"""Random signatures and random values: each side receives what the other side passes.

The stub runs natively with 64 bits; the skel runs natively, and with 32 bits as a Hexagon
program: the wire format is the same, the layouts of the C structs differ.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import HealthCheck, Phase, given, settings

from buildtool.idl.compile import compile_idl
from tests.conftest import LONG
from tests.integration.idl.idl_cases import write_case
from tests.integration.idl.idl_random import Case, cases
from tests.integration.idl.idl_rig import HERE, MACHINES, build, counted, run
from tests.integration.idl.idl_tables import TABLES


def go_round(case: Case, out: Path) -> None:
    """Compile the caller, and the other side for each machine; let them talk."""
    write_case(case, out)
    compile_idl(out / "loop.idl", (), (), out)
    flags = (f"-I{HERE / 'wire'}", f"-I{HERE / 'loop'}")
    rig = HERE / "wire" / "rig.c"
    stub = [counted(out / "loop_stub.c"), out / "caller.c", HERE / "loop" / "client.c", rig]
    skel = [counted(out / "loop_skel.c"), out / "imp.c", HERE / "loop" / "server.c", rig]
    caller = build("native", out / "caller", stub, flags)
    for machine in MACHINES:
        server = build(machine, out / f"{machine}-server", skel, flags)
        said = run(["env", f"LOOP_SERVER={' '.join(server)}", *caller])
        assert said == "same\n", machine


def test_the_tables_rows_go_round(tmp_path: Path) -> None:
    go_round(TABLES, tmp_path)


def test_values_go_round(tmp_path: Path) -> None:
    @settings(
        max_examples=150 if LONG else 1,
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
            go_round(case.within(200), Path(out))

    check()
