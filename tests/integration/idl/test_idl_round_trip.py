"""Random signatures and random values: each side receives what the other side passes.

The stub runs natively with 64 bits; the skel runs natively, and with 32 bits as a Hexagon
program: the wire format is the same, the layouts of the C structs differ.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from buildtool.idl.compile import compile_idl
from tests.integration.idl.idl_cases import write_case
from tests.integration.idl.idl_random import Case, cases
from tests.integration.idl.idl_rig import HERE, MACHINES, build, counted, run
from tests.integration.idl.idl_tables import TABLES

LONG = os.environ.get("BUILDTOOL_LONG") == "1"


def go_round(case: Case, machine: str, out: Path) -> str:
    """Compile both sides of the case and run the caller; returns its output."""
    write_case(case, out)
    compile_idl(out / "loop.idl", (), (), out)
    flags = (f"-I{HERE / 'wire'}", f"-I{HERE / 'loop'}")
    server = build(
        machine,
        out / "server",
        [
            counted(out / "loop_skel.c"),
            out / "imp.c",
            HERE / "loop" / "server.c",
            HERE / "wire" / "rig.c",
        ],
        flags,
    )
    caller = build(
        "native",
        out / "caller",
        [
            counted(out / "loop_stub.c"),
            out / "caller.c",
            HERE / "loop" / "client.c",
            HERE / "wire" / "rig.c",
        ],
        flags,
    )
    return run(["env", f"LOOP_SERVER={' '.join(server)}", *caller])


@pytest.mark.parametrize("machine", MACHINES)
def test_the_tables_rows_go_round(machine: str, tmp_path: Path) -> None:
    assert go_round(TABLES, machine, tmp_path) == "same\n"


@pytest.mark.parametrize("machine", MACHINES)
def test_values_go_round(machine: str, tmp_path: Path) -> None:
    @settings(
        max_examples=150 if LONG else 5,
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
            assert go_round(case.within(200), machine, Path(out)) == "same\n"

    check()
