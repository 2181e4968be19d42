"""Skels of `buildtool idl --trace` record their methods where the shell of the DSP does not.

The shell of a device is stood in for by the emulated one, started without the file of the trace.
"""

from __future__ import annotations

import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.device.devices.emulated_board import emulated_board, system_of
from tests.device.trace.test_trace import CALL, OUTSIDE, names
from tests.project import Project
from tests.trace_database import open_trace

CONFIGURATION = "etc/buildtool-sim.conf"
WITHOUT_TRACE = """#!/bin/sh
for each; do
    shift
    case $each in trace=*) each=trace= ;; esac
    set -- "$@" "$each"
done
exec {qemu} "$@"
"""
DEFINES = 'archs = ["v68"]\ndefines = { BUILDTOOL_IDL_TRACE = true }\n'


@pytest.fixture(scope="module")
def traced_skel(traced_project: Project, tmp_path_factory: pytest.TempPathFactory) -> Project:
    project = Project(tmp_path_factory.mktemp("skel") / "my-project")
    traced_project.copy_sources(project.root)
    project.edit("buildtool.toml", 'archs = ["v68"]\n', DEFINES)
    return project


@pytest.fixture
def board(traced_skel: Project, tmp_path: Path) -> Iterator[None]:
    """A board whose shell does not record."""
    with emulated_board(tmp_path) as board:
        configuration = system_of(board) / CONFIGURATION
        text = configuration.read_text()
        qemu = next(line[5:] for line in text.splitlines() if line.startswith("qemu="))
        wrapper = tmp_path / "qemu"
        wrapper.write_text(WITHOUT_TRACE.format(qemu=qemu))
        wrapper.chmod(wrapper.stat().st_mode | stat.S_IXUSR)
        configuration.write_text(text.replace(f"qemu={qemu}", f"qemu={wrapper}"))
        traced_skel.variables = board.client.environment
        traced_skel.write(
            "devices.toml",
            f'[device.board]\ntransport = "ssh"\naddress = "{board.client.host}"\n'
            f'root = "{board.device.home}/root"\n',
        )
        yield
    traced_skel.variables = {}


def test_a_skel_records_for_a_shell_that_does_not(
    traced_skel: Project, board: None, tmp_path: Path
) -> None:
    file = tmp_path / "board.pftrace"
    variables = ("-e", "THREADS=1", "-e", "CALLS=600")
    traced_skel.succeeds("run", "board", "--trace-file", str(file), *variables)
    base = open_trace(file)
    count = "select count(*) from flow join slice on id = {} where name = ?"
    (calls,) = base.execute("select count(*) from slice where name = ?", [CALL]).fetchone()
    (sent,) = base.execute(count.format("slice_out"), [CALL]).fetchone()
    (done,) = base.execute(count.format("slice_in"), [CALL]).fetchone()

    assert (calls, sent, done) == (2 * 1202, 1202, 1202)
    assert names(base, OUTSIDE) == []
    assert names(base, "select name from slice where dur is null or dur <= 0") == []
    # The clocks are joined in one exchange.
    wrong = {row[0] for row in base.execute("select value from args where key like 'wrong%'")}
    assert len(wrong) == 1
    assert 0 < wrong.pop() < 10**9


def test_on_sim_the_shell_records_alone(traced_skel: Project, tmp_path: Path) -> None:
    file = tmp_path / "sim.pftrace"
    found = traced_skel.succeeds("run", "sim", "--trace-file", str(file), "--expect-dsp", "--json")
    base = open_trace(file)
    assert base.execute("select count(*) from slice where name = ?", [CALL]).fetchone() == (14,)
    assert names(base, "select slice_id from args where key like 'wrong%'") == []
    assert "1381258306" not in found  # the number of the method that reads what was recorded


def test_files_without_it_are_as_before(traced_skel: Project, tmp_path: Path) -> None:
    idl = traced_skel.root / "dsp/my_project_dsp.idl"
    command = [sys.executable, "-m", "buildtool", "idl", str(idl), "-o"]
    subprocess.run([*command, str(tmp_path / "off")], check=True)
    subprocess.run([*command, str(tmp_path / "on"), "--trace"], check=True)
    for side in ("skel", "stub"):
        off, on = (
            (tmp_path / way / f"my_project_dsp_{side}.c").read_text() for way in ("off", "on")
        )
        assert "trace" not in off
        assert "trace" in on
    refused = subprocess.run(
        [*command, str(tmp_path / "py"), "--trace", "--python"],
        check=False,
        capture_output=True,
        text=True,
    )
    assert refused.returncode == 2
    assert "error: --trace cannot be used with --qaic or --python" in refused.stderr
