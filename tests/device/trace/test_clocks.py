"""Traces of a board have its clocks and its temperature while a program ran there."""

from __future__ import annotations

from pathlib import Path

from tests.device.devices.emulated_board import emulated_board, system_of
from tests.device.trace.meters_stand_in import install_meters
from tests.project import Project
from tests.remote.sshd import SshServer
from tests.trace_database import open_trace

CLOCK = "sys/devices/system/cpu/cpufreq/policy{}/scaling_cur_freq"
HEAT = "sys/class/thermal/thermal_zone{}/temp"


def traced_on(board: SshServer, project: Project, file: Path) -> str:
    """Run the program on `board` with a trace; returns what buildtool writes to standard error."""
    project.variables = board.client.environment
    how = f'transport = "ssh"\naddress = "{board.client.host}"\n'
    root = f'root = "{board.device.home / "root"}"\n'
    project.write("devices.toml", f"[device.board]\n{how}{root}")
    try:
        done = project.run("run", "board", "--trace-file", str(file), "-e", "CALLS=10000")
    finally:
        project.variables = {}
    assert done.returncode == 0, done.stderr
    return done.stderr


def test_clocks_are_counters(traced_project: Project, tmp_path: Path) -> None:
    file = tmp_path / "clocks.pftrace"
    with emulated_board(tmp_path) as board:
        for name, text in (
            *((CLOCK.format(n), f"{1_800_000 + n}\n") for n in (0, 4)),
            *((HEAT.format(n), f"{40_000 + n}\n") for n in (0, 1)),
        ):
            place = system_of(board) / name
            place.parent.mkdir(parents=True)
            place.write_text(text)
        traced_on(board, traced_project, file)
    base = open_trace(file)
    rows = base.execute(
        "select distinct parent.name, track.name, value from counter"
        " join track on track.id = track_id join track parent on parent.id = track.parent_id"
        " where track.name != 'mapped for the DSP' order by track.name"
    ).fetchall()
    assert rows == [
        ("board", "CPU cluster 0", 1_800_000),
        ("board", "CPU cluster 1", 1_800_004),
        ("board", "temperature", 40_001),
    ]
    (start, end) = base.execute(
        "select ts, ts + dur from slice where name = 'bin/my-project'"
    ).fetchone()
    outside = "select 1 from counter where ts not between ? and ?"
    assert not base.execute(outside, (start, end)).fetchall()


def test_meters_of_the_dsp_by_a_stand_in_for_libqcnpuperf_are_counters(
    traced_project: Project, tmp_path: Path
) -> None:
    file = tmp_path / "meters.pftrace"
    with emulated_board(tmp_path) as board:
        install_meters(system_of(board), tmp_path)
        traced_on(board, traced_project, file)
        install_meters(system_of(board), tmp_path, "-DREFUSES")
        refused = traced_on(board, traced_project, tmp_path / "refused.pftrace")
        left = [path.name for path in board.device.home.rglob(".meters.*")]
    assert "libqcnpuperf is there, but it opens no session on the cdsp" in refused
    assert left == []
    base = open_trace(file)
    rows = base.execute(
        "select track.name, min(value), max(value), min(ts), max(ts) from counter join track"
        " on track.id = track_id where track.name like 'DSP %' group by track.name"
    ).fetchall()
    found = {name: (low, high) for name, low, high, _, _ in rows}
    assert found["DSP HMX"][0] == 1
    assert found == {
        "DSP clock": (1_209_600, 1_209_600),
        "DSP load": (42, 42),
        "DSP HVX": (12, 12),
        "DSP HMX": found["DSP HMX"],
        "DSP temperature": (61_500, 61_500),
    }
    (start, end) = base.execute(
        "select ts, ts + dur from slice where name = 'bin/my-project'"
    ).fetchone()
    assert all(start < first <= last < end for *_, first, last in rows)
