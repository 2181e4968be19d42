"""`--trace` on the emulated device, and on boards over ssh and adb: queries on traces."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.device.remote.served import Place, placed
from tests.project import Project
from tests.trace_database import open_trace

CALL = "my_project_dsp_scale_add"
HOST = "pid > 0 and tid > 0"
OUTSIDE = """
select host.name from flow
join slice host on host.id = slice_out join slice part on part.id = slice_in
where part.ts < host.ts or part.ts + part.dur > host.ts + host.dur or part.track_id = host.track_id
"""
LONG_LINE = "64 elements, and a text that is longer than the name of one record: it goes on and on"


@pytest.fixture(
    scope="module",
    params=["sim", "ssh", pytest.param("adb", marks=pytest.mark.long)],
)
def place(
    request: pytest.FixtureRequest,
    traced_project: Project,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Place]:
    with placed(request.param, traced_project, tmp_path_factory.mktemp("device")) as place:
        yield place
    traced_project.variables = {}


def traced(place: Place, file: Path, *arguments: str, status: int = 0) -> sqlite3.Connection:
    done = place.project.run("run", place.device, "--trace-file", str(file), *arguments)
    assert done.returncode == status, done.stderr
    assert f"trace: {file} " in done.stderr
    return open_trace(file)


@pytest.fixture(scope="module")
def base(place: Place, tmp_path_factory: pytest.TempPathFactory) -> sqlite3.Connection:
    """The trace of a run with two threads, each of which makes 5 calls at the same time, on a
    machine that sets threads aside while they read clocks."""
    file = tmp_path_factory.mktemp("trace") / "run.pftrace"
    return traced(place, file, "-e", "THREADS=1", "-e", "SLOW_CLOCKS=1")


def names(base: sqlite3.Connection, query: str) -> list[str]:
    return [row[0] for row in base.execute(query)]


def test_each_call_has_its_part_on_the_dsp(base: sqlite3.Connection) -> None:
    calls = base.execute(
        f"select count(*) from slice join track on track.id = track_id where {HOST}"
        " and slice.name = ?",
        [CALL],
    ).fetchone()[0]
    arrows = base.execute(
        "select count(*) from flow join slice on id = slice_out where name = ?", [CALL]
    ).fetchone()[0]
    opened = names(base, "select name from flow join slice on id = slice_in where name like '%en'")

    assert (calls, arrows) == (12, 12)
    assert opened == ["my_project_dsp_open"]
    assert names(base, OUTSIDE) == []


def test_operators_of_a_backend_have_slices(place: Place, tmp_path: Path) -> None:
    operator = "ggml-hex: HTP0 profile-op ADD|a x b -> c|1 -> 1|f32|1|-|usec 5 cycles 99 start 7"
    found = traced(place, tmp_path / "run.pftrace", "-e", f"SAYS={operator}")
    rows = found.execute(
        "select slice.dur, track.name from slice join track on track.id = track_id"
        " where slice.name = 'ADD'"
    ).fetchall()
    assert rows == [(5000, "HTP0")]


def test_no_duration_is_negative(base: sqlite3.Connection) -> None:
    assert names(base, "select name from slice where dur is null or dur <= 0") == []


def test_calls_have_sizes_codes_and_times(base: sqlite3.Connection) -> None:
    given = dict(
        base.execute(
            "select key, value from args join slice on id = slice_id where name = ?"
            " and parent_id is not null and key != 'code' order by slice.id",
            [CALL],
        )
    )
    assert given["skel"] == "libmy_project_dsp_skel.so"
    assert (given["bytes in"], given["bytes out"]) == (16 + 2 * 128, 128)
    assert 0 < given["DSP ns"] < 10**9
    assert 0 < given["libcdsprpc ns"] < 10**9


def test_events_of_the_user_are_on_both_sides(base: sqlite3.Connection) -> None:
    inside = base.execute(
        "select event.name, part.name, count(*) from slice event"
        " join slice part on part.parent_id = event.id"
        " where event.name != 'bin/my-project' group by 1, 2 order by 1, 2"
    ).fetchall()
    assert inside == [
        (CALL, "vectors", 12),
        ("step", CALL, 10),
        ("worker 0", "step", 5),
        ("worker 1", "step", 5),
    ]


def test_threads_have_tracks_of_their_own(base: sqlite3.Connection) -> None:
    tracks = base.execute(
        f"select count(distinct track_id) from slice join track on track.id = track_id"
        f" where {HOST} and slice.name like 'worker %'"
    ).fetchone()[0]
    assert tracks == 2


def test_lines_of_the_dsp_are_instants_in_calls(base: sqlite3.Connection) -> None:
    lines = names(base, "select name from instant where name like '%64 elements%'")
    outside = names(
        base,
        "select name from instant where name like '%elements%' and not exists (select 1 from slice"
        f" where slice.name = '{CALL}' and slice.track_id = instant.track_id"
        " and instant.ts between slice.ts and slice.ts + dur)",
    )
    assert len(lines) == 10
    assert all(line.endswith(LONG_LINE) for line in lines)
    assert outside == []


def test_votes_are_instants(base: sqlite3.Connection) -> None:
    votes = names(base, "select name from instant where name like 'HAP_power%' order by ts")
    assert votes == ["HAP_power_set HVX power_up=1", "HAP_power_set HVX power_up=0"]


def test_mapped_buffers_are_a_counter(base: sqlite3.Connection) -> None:
    values = [row[0] for row in base.execute("select value from counter order by ts")]
    assert values == [0, 1 << 20, 0]


def test_the_stages_are_there(base: sqlite3.Connection, place: Place) -> None:
    stages = names(
        base,
        "select slice.name from slice join track on track.id = track_id"
        " where track.name = 'stages' order by ts",
    )
    steps = names(
        base,
        "select slice.name from slice join track on track.id = track_id"
        " where track.name like 'steps %' order by 1",
    )
    assert stages[0] == "build"
    assert "bin/my-project" in stages
    assert steps == ["host/my-project", "skel/my_project_dsp/v68"]


def test_the_clocks_are_joined(base: sqlite3.Connection) -> None:
    """A device on this machine has its clock: what the program did lies in the time of the run."""
    (start, end) = base.execute(
        "select ts, ts + dur from slice where name = 'bin/my-project'"
    ).fetchone()
    (first, last) = base.execute(
        f"select min(ts), max(ts + dur) from slice join track on track.id = track_id where {HOST}"
    ).fetchone()
    assert start < first < last < end


def test_a_crash_of_the_dsp_is_in_the_trace(place: Place, tmp_path: Path) -> None:
    file = "dsp/src/my_project_dsp_imp.c"
    before = (place.project.root / file).read_text()
    begin = '    bt_trace_begin("vectors");\n'
    place.project.edit(file, begin, f"{begin}    if (a_len == 1024) __builtin_trap();\n")
    try:
        base = traced(place, tmp_path / "crash.pftrace", status=1)
    finally:
        (place.project.root / file).write_text(before)
    codes = base.execute(
        "select slice.name, value from args join slice on id = slice_id"
        " where key = 'code' and value != '0' order by ts"
    ).fetchall()
    open_ = names(base, "select name from slice join args on slice_id = id where key = 'ended'")
    assert codes[0] == (CALL, "0x8000040d")
    assert open_ == ["vectors"]


def test_what_takes_too_long_is_in_the_trace(place: Place, tmp_path: Path) -> None:
    file = tmp_path / "long.pftrace"
    done = place.project.run(
        *("run", place.device, "--trace-file", str(file), "--timeout", "6s"),
        *("-e", "CALLS=1000000"),
    )
    base = open_trace(file)
    assert done.returncode == 125
    assert names(base, f"select id from flow join slice on id = slice_out where name = '{CALL}'")
    assert names(base, OUTSIDE) == []
