"""Exported tests run on stand-ins for the services, without buildtool, and come back as results."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from buildtool.device.emulated.device import prepare
from buildtool.device.emulated.socs import find_soc
from tests.device.devices.emulated_board import emulated_phone, emulation
from tests.device.testing.export.exported_project import (
    CTEST,
    PROGRAMS,
    android_project,
    linux_project,
)
from tests.json_documents import validate
from tests.junit import read_junit
from tests.project import Project
from tests.remote.device_root import DeviceRoot
from tests.standins.fixtures import MakeNdk
from tests.standins.services.device_run import put_gcloud, run_session
from tests.standins.services.lava import check_job, put_lavacli, run_job

SDK = Path(__file__).parents[3] / "standins" / "services" / "qdc"
Outcomes = Mapping[str, tuple[str, str]]


@pytest.fixture(scope="module")
def on_linux(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return linux_project(tmp_path_factory.mktemp("linux") / "my project")


@pytest.fixture(scope="module")
def on_android(tmp_path_factory: pytest.TempPathFactory, stand_in_ndk: MakeNdk) -> Project:
    return android_project(tmp_path_factory.mktemp("android") / "my project", stand_in_ndk("r27"))


@pytest.fixture(scope="module")
def variables(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, str]:
    """The variables with which a device runs ARM64 programs."""
    root = tmp_path_factory.mktemp("system")
    return emulation(prepare(root, find_soc("QCS6490"), lambda _: None))


@pytest.fixture(params=["coreutils", pytest.param("busybox", marks=pytest.mark.long)])
def board(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[DeviceRoot]:
    with DeviceRoot(tmp_path / "board", tools=request.param) as device:
        yield device


def submit(directory: Path, programs: Path, *words: str) -> None:
    """Run the `submit.sh` of an export with stand-ins in the directory `programs`."""
    path = f"{programs}:{os.environ['PATH']}"
    subprocess.run(["sh", directory / "submit.sh", *words], env={"PATH": path}, check=True)


def imported(project: Project, results: Path, *options: str) -> dict[str, dict[str, Any]]:
    """The documents of what `--import` reports, by device."""
    done = project.run("test", "--export", "out", "--import", str(results), "--json", *options)
    assert done.returncode == 1, done.stderr
    document = json.loads(done.stdout)
    validate("test", document)
    assert not document["ok"]
    return {row["device"]: row["document"] for row in document["devices"]}


def outcomes(document: dict[str, Any]) -> Outcomes:
    return {
        f"{test['suite']}/{test['name']}": (test["outcome"], test["message"])
        for test in document["tests"]
    }


def test_a_lava_job(
    on_linux: Project, board: DeviceRoot, variables: Mapping[str, str], tmp_path: Path
) -> None:
    printed = on_linux.succeeds("test", "--export", "out", "--for", "lava:q6a", "--target", "sim")
    out = on_linux.root / "out"
    put_lavacli(tmp_path)
    submit(out, tmp_path, f"file://{out}/tests.tar.gz")
    check_job(out / "job.ready.yaml")
    rows = run_job(out / "job.ready.yaml", board, variables)
    (tmp_path / "results.json").write_text(json.dumps(rows))

    assert printed == "11 tests for lava in out\n"
    assert "not exported: app/here: its command runs on this machine\n" in on_linux.messages
    assert {row["name"]: row["result"] for row in rows if row["result"] != "pass"} == {
        "1.test.fails": "fail",
        "2.test.crashes": "fail",
        "3.test.hangs": "fail",
        "4.test.known": "fail",
        "9.app.wrongly-inverted": "fail",
        "10.app.skips": "skip",
    }
    found = outcomes(imported(on_linux, tmp_path / "results.json")["q6a"])
    messages = {
        name: (outcome, re.sub("; log: /results/testcase/[0-9]+$", "", message))
        for name, (outcome, message) in found.items()
    }
    expected = {**PROGRAMS, **CTEST}
    expected["test/known"] = ("expected failure", "it is known (exit status 1)")
    del messages["test/known"], expected["test/known"]
    assert messages == expected
    assert found["test/known"][0] == "expected failure"


def test_a_board_of_qualcomm_device_cloud(
    on_linux: Project, board: DeviceRoot, variables: Mapping[str, str], tmp_path: Path
) -> None:
    on_linux.succeeds("test", "--export", "out", "--for", "qdc:QCS6490", "--target", "sim")
    stale = board.data / "local/tmp/QDC_logs/buildtool-0123456789abcdef"  # of an earlier session
    stale.mkdir(parents=True)
    (stale / "results.txt").write_text("export 0123456789abcdef\ntest 0 0 1 2\n")
    command = board.command("env", f"PATH={board.path}")
    run_on_qdc(tmp_path, board.data, command, {**variables, "PATH": os.environ["PATH"]})
    junit = tmp_path / "results.xml"

    subprocess.run(
        [sys.executable, on_linux.root / "out/submit.py"], env=qdc_environment(tmp_path), check=True
    )
    document = imported(on_linux, on_linux.root / "out/results", "--junit", str(junit))["QCS6490"]

    assert outcomes(document) == {**PROGRAMS, **CTEST}
    assert document["tests"][3]["output"] == "hanging\n"
    assert 2 <= document["tests"][3]["seconds"] < 60
    assert outcomes(document) == {
        f"{case.get('classname')}/{case.get('name')}": outcomes(document)[
            f"{case.get('classname')}/{case.get('name')}"
        ]
        for case in read_junit(junit).iter("testcase")
    }
    history = (on_linux.root / ".buildtool/history/tests.jsonl").read_text().splitlines()
    assert json.loads(history[-1])["device"] == "QCS6490"


def run_on_qdc(folder: Path, data: Path, command: list[str], variables: Mapping[str, str]) -> None:
    """Describe a device to the stand-in for Qualcomm's SDK."""
    description = {
        "chip": "QCS6490",
        "data": str(data),
        "command": command,
        "environment": dict(variables),
    }
    (folder / "device.json").write_text(json.dumps(description))


def qdc_environment(folder: Path) -> dict[str, str]:
    own = {"QDC_STAND_IN": str(folder), "QDC_API_KEY": "secret", "PYTHONPATH": str(SDK)}
    return {**os.environ, **own}


@pytest.mark.long
def test_a_phone_of_qualcomm_device_cloud(on_android: Project, tmp_path: Path) -> None:
    on_android.succeeds("test", "--export", "out", "--for", "qdc:QCS6490")
    with emulated_phone(tmp_path / "phone") as phone:
        run_on_qdc(tmp_path, phone.device.data, [], phone.environment)
        subprocess.run(
            [sys.executable, on_android.root / "out/submit.py"],
            env=qdc_environment(tmp_path),
            check=True,
        )

    assert "1 passed" in (tmp_path / "job.log").read_text()
    found = outcomes(imported(on_android, on_android.root / "out/results")["QCS6490"])
    assert found == {**PROGRAMS, "test/known": ("failed", "exit status 1")}


def test_two_phones_of_device_run(
    on_android: Project, variables: Mapping[str, str], tmp_path: Path
) -> None:
    on_android.succeeds("test", "--export", "out", "--for", "google-device-run:shiba-34,tokay-36")
    noted, bucket = tmp_path / "noted.json", tmp_path / "bucket"
    put_gcloud(tmp_path, noted)
    submit(on_android.root / "out", tmp_path, "--project=mine")
    with (
        DeviceRoot(tmp_path / "shiba", tools="android") as shiba,
        DeviceRoot(tmp_path / "tokay", tools="android") as tokay,
    ):
        for device, soc in ((shiba, "SM8550"), (tokay, "SM8650")):
            answers = f"ro.soc.model) echo {soc} ;; *) echo a/b:16 ;;"
            device.put_tool("getprop", f"case $1 in {answers} esac")
        devices = {"shiba-34": shiba, "tokay-36": tokay}
        session = run_session(noted, devices, variables, bucket)
        left = [path.name for path in (shiba.data / "local/tmp").iterdir()]

    found = imported(on_android, session)
    assert outcomes(found["shiba-34"]) == PROGRAMS
    assert outcomes(found["tokay-36"]) == {**PROGRAMS, "test/known": ("failed", "exit status 1")}
    assert [found[name]["soc"] for name in devices] == ["SM8550", "SM8650"]
    assert found["shiba-34"]["firmware"] == "a/b:16"
    assert not [name for name in left if name.endswith(".work")]
