"""Python callers and generated skels: each side receives what the other side passes.

A stand-in for libcdsprpc calls the skel in the same process.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from hypothesis import HealthCheck, Phase, given, settings

from tests.integration.idl.idl_python import command, compile_library, prepare
from tests.integration.idl.idl_random import Case, cases
from tests.integration.idl.idl_rig import run
from tests.integration.idl.idl_tables import TABLES

LONG = os.environ.get("BUILDTOOL_LONG") == "1"


def go_round(case: Case, out: Path) -> str:
    prepare(case, out)
    return run(command(out))


def test_the_tables_rows_go_round_with_a_stand_in_for_libcdsprpc(tmp_path: Path) -> None:
    assert go_round(TABLES, tmp_path) == "same\n"


def test_a_wrong_value_is_seen(tmp_path: Path) -> None:
    """The check above can fail: here the implementation returns one different number."""
    prepare(TABLES, tmp_path)
    source = tmp_path / "cases.h"
    before = "static int64 m1_1_out = (int64)9223372036854775808ull;"
    assert before in source.read_text()
    source.write_text(source.read_text().replace(before, before.replace("808ull", "807ull")))
    compile_library(tmp_path)
    assert run(command(tmp_path)) == ("m1.r: 9223372036854775807, not -9223372036854775808\n")


def test_values_go_round_with_a_stand_in_for_libcdsprpc(tmp_path: Path) -> None:
    @settings(
        max_examples=100 if LONG else 5,
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
