"""Traces of a board have its clocks and its temperature while a program ran there."""

from __future__ import annotations

from pathlib import Path

from tests.device.devices.emulated_board import emulated_board, system_of
from tests.project import Project
from tests.trace_database import open_trace

CLOCK = "sys/devices/system/cpu/cpufreq/policy{}/scaling_cur_freq"
HEAT = "sys/class/thermal/thermal_zone{}/temp"


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
        traced_project.variables = board.client.environment
        how = f'transport = "ssh"\naddress = "{board.client.host}"\n'
        root = f'root = "{board.device.home / "root"}"\n'
        traced_project.write("devices.toml", f"[device.board]\n{how}{root}")
        try:
            traced_project.succeeds(
                *("run", "board", "--trace-file", str(file), "-e", "CALLS=10000")
            )
        finally:
            traced_project.variables = {}
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
