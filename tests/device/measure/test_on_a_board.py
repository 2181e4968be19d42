"""Benches over a real sshd: medians, the speed of the device, and comparisons."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.device.devices.emulated_board import system_of
from tests.device.measure.measured import document, git
from tests.device.trace.meters_stand_in import install_meters
from tests.json_documents import validate
from tests.project import Project
from tests.remote.sshd import SshServer

CLOCK = "sys/devices/system/cpu/cpufreq/policy0/scaling_cur_freq"


@pytest.fixture
def clock(board: SshServer) -> Path:
    """A file of the board's system that says its clock, as sysfs does."""
    file = system_of(board) / CLOCK
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("1800000\n")
    heat = system_of(board) / "sys/class/thermal/thermal_zone0/temp"
    heat.parent.mkdir(parents=True, exist_ok=True)
    heat.write_text("41500\n")
    return file


def test_a_median_with_its_interval_and_the_speed_of_the_board(
    on_board: Project, clock: Path
) -> None:
    found = document(on_board, "board")

    validate("bench", found)
    assert (found["ok"], found["device"], found["set_aside"]) == (True, "board", 0)
    time, size = found["metrics"]
    values = time["values"]
    assert len(values) == found["runs"] == 10
    assert (time["low"], time["high"]) == (sorted(values)[1], sorted(values)[8])
    assert time["low"] <= time["median"] <= time["high"]
    assert 0 < time["noise"] < 0.01
    assert (size["noise"], size["values"]) == (None, [256.0] * 10)
    assert [row["clocks_khz"] for row in found["conditions"]] == [[1_800_000]] * 10
    assert found["conditions"][0]["temperature"] == 41.5
    kept = json.loads(Path(found["file"]).read_text(encoding="utf-8"))
    assert kept == {key: value for key, value in found.items() if key != "schema"}


def test_meters_of_the_dsp_by_a_stand_in_for_libqcnpuperf(
    on_board: Project, board: SshServer, tmp_path: Path
) -> None:
    assert document(on_board, "board")["dsp"] is None
    library = system_of(board) / "lib/libqcnpuperf.so.1"
    install_meters(system_of(board), tmp_path)
    try:
        done = on_board.run("bench", "board")
        found = document(on_board, "board")
    finally:
        library.unlink()
    assert done.returncode == 0, done.stderr
    assert re.search(
        r"^DSP: load 42 %, HVX 12 %, HMX \d+ %, 1,210 MHz, 62 °C \(medians of \d+ seconds\)$",
        done.stdout,
        re.MULTILINE,
    )
    validate("bench", found)
    assert found["dsp"]["temperature"] == [61.5, 61.5]


@pytest.mark.long
def test_a_clock_that_halves_gives_a_new_measurement_stand_in(
    on_board: Project, clock: Path
) -> None:
    # A release of its own, whose runs no other test has counted.
    on_board.edit("host/measured.c", "runs == 5", "runs == 6")
    on_board.edit("buildtool.toml", 'MODE = "right"', f'MODE = "right", CLOCK = "/{CLOCK}"')
    on_board.edit("buildtool.toml", 'output = "out.bin"', 'output = "out.bin"\nrepeat = 6')
    done = on_board.run("bench", "board")

    assert done.returncode == 0, done.stderr
    assert "a clock is 900 MHz instead of 1,800; measuring again in 1 s" in done.stderr
    assert "the device keeps this speed: measuring anew" in done.stderr
    first = done.stdout.splitlines()[0]
    assert "6 runs, all checks passed; " in first
    assert "runs at another speed of the device do not count" in first
    assert clock.read_text(encoding="utf-8") == "900000\n"


@pytest.mark.long
def test_a_slower_revision_is_found(on_board: Project) -> None:
    on_board.edit("host/measured.c", "SLOWNESS 1.0", "SLOWNESS 1.05")
    found = document(on_board, "board", "--against", "HEAD")

    validate("bench", found)
    assert (found["ok"], found["same_release"], found["against"]) == (True, False, "HEAD")
    (row,) = found["metrics"]
    assert (row["name"], row["verdict"]) == ("time", "worse")
    assert row["low"] <= 1.05 <= row["high"]
    assert found["counts"] == []
    assert git(on_board, "status", "--porcelain") == " M host/measured.c\n"


@pytest.mark.long
def test_equal_speed_is_no_difference(on_board: Project) -> None:
    on_board.edit("host/measured.c", "int runs = 0;", 'int runs = 0; puts("");')
    done = on_board.run("bench", "board", "--against", "HEAD", "--markdown")

    assert done.returncode == 0, done.stderr
    assert re.search(
        r"^\| time \| 100.* us \| 100.* us \| (0\.99|1\.00)", done.stdout, re.MULTILINE
    )
    assert done.stdout.count("| no difference |") == 1
    assert "time: no difference beyond the noise floor of " in done.stdout


@pytest.mark.long
def test_another_target_is_compared(on_board: Project) -> None:
    on_board.write(
        "buildtool.toml",
        (on_board.root / "buildtool.toml").read_text(encoding="utf-8")
        + '[target.debug]\nplatform = "ubuntu-aarch64"\nbuild-type = "Debug"\n',
    )
    found = document(on_board, "board", "--against-target", "debug")

    assert (found["this"]["target"], found["other"]["target"]) == ("sim", "debug")
    assert found["this"]["deployment"] != found["other"]["deployment"]
