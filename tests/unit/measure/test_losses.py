"""What `probe --all --compare` calls a loss, and what it reads."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as Xml

import pytest

from buildtool.cli.devices.probe import AllOptions
from buildtool.cli.devices.probe_all import report
from buildtool.core.errors import UsageError
from buildtool.device.errors import DeviceFinding
from buildtool.measure.probe.capabilities import Outcome
from buildtool.measure.probe.losses import (
    Comparison,
    check_same_kind,
    compare,
    document,
    read_file,
)
from buildtool.measure.probe.qualify import OWN, Qualification, Row, Version

SHELL = "/usr/share/qcom/qcs8300/Qualcomm/QCS8300-RIDE/dsp/cdsp/fastrpc_shell_unsigned_3"
ROW = Row("cdsp", "unsigned", "", "yes", "seen")
ROWS = (
    ROW._replace(capability="session", value=75),
    ROW._replace(capability="hmx"),
    ROW._replace(capability="vtcm", value=8, unit="MiB"),
    ROW._replace(capability="map-size", value=4076, unit="MiB"),
    ROW._replace(capability="parallel", value=4),
    ROW._replace(capability="opening", value=100, unit="ms"),
    ROW._replace(capability="latency", value=60, unit="us"),
    ROW._replace(capability="clock", value=1400, unit="MHz"),
    Row("gdsp0", "unsigned", "session", "yes", "a skel for v73 opens", 73),
    Row("gdsp0", "signed", "session", "no", "remote_handle64_open fails with 0x80000481"),
)
GOOD = Qualification(
    device="board",
    date="2026-11-30T12:00:00Z",
    image="0123456789ab",
    model="Ride",
    soc="QCS8300",
    platform="ubuntu-aarch64",
    release="",
    versions=(
        Version("kernel", "Linux", "6.18.1 #1"),
        Version("shell", SHELL, "CDSP.HT.2.8-00074", "0" * 64),
    ),
    findings=(),
    rows=ROWS,
)


def now(**changes: Any) -> Qualification:
    """The good document with other rows, by capability of the CDSP."""
    rows = (
        row._replace(**changes.get(row.capability.replace("-", "_"), {}))
        if row.domain == "cdsp"
        else row
        for row in GOOD.rows
    )
    return GOOD._replace(rows=tuple(rows))


def places(comparison: Comparison) -> list[str]:
    return [loss.place for loss in comparison.losses]


@pytest.mark.parametrize(
    ("changes", "lost"),
    [
        ({}, []),
        ({"hmx": {"state": "no"}}, ["cdsp unsigned hmx"]),
        ({"vtcm": {"value": 4}}, ["cdsp unsigned vtcm"]),
        ({"vtcm": {"value": 16}}, []),
        ({"parallel": {"value": 2}}, ["cdsp unsigned parallel"]),
        ({"parallel": {"value": 2, "at_least": True}}, []),
        ({"map_size": {"value": 3600}}, []),
        ({"map_size": {"value": 3500}}, ["cdsp unsigned map-size"]),
        ({"map_size": {"value": 900, "at_least": True}}, []),  # memory was short
        ({"session": {"value": 73}}, ["cdsp unsigned session"]),
        # A time counts from three times as long on, and if that is much.
        ({"opening": {"value": 499}}, []),
        ({"opening": {"value": 500}}, ["cdsp unsigned opening"]),
        ({"latency": {"value": 179.9}}, []),
        ({"latency": {"value": 181}}, ["cdsp unsigned latency"]),
        ({"clock": {"value": 701}}, []),
        ({"clock": {"value": 699}}, ["cdsp unsigned clock"]),
    ],
)
def test_what_is_a_loss(changes: dict[str, Any], lost: list[str]) -> None:
    assert places(compare(GOOD, now(**changes))) == lost


def test_a_short_time_may_be_many_times_as_long() -> None:
    quick = now(opening={"value": 2}, latency={"value": 5})
    assert places(compare(quick, now(opening={"value": 401}, latency={"value": 104}))) == []
    assert places(compare(quick, now(opening={"value": 402}, latency={"value": 105}))) == [
        "cdsp unsigned opening",
        "cdsp unsigned latency",
    ]


def test_a_process_that_no_session_opens_in_is_said_once() -> None:
    refused = ROW._replace(capability="session", state="no", found="it fails with 0x14")
    found = compare(GOOD, GOOD._replace(rows=(refused, *ROWS[-2:])))
    assert [(loss.place, loss.now) for loss in found.losses] == [
        ("cdsp unsigned session", "it fails with 0x14")
    ]
    assert found.untested == ()


def test_a_dsp_that_is_gone_is_said_once() -> None:
    found = compare(GOOD, GOOD._replace(rows=ROWS[:-2]))
    assert places(found) == ["gdsp0 domain"]


def test_nothing_runs_any_more() -> None:
    why = DeviceFinding("shell-missing", "there is no DSP shell", "Install it.")
    found = compare(GOOD, GOOD._replace(rows=(), findings=(why,), versions=GOOD.versions[:1]))
    assert places(found) == ["shell-missing", "cdsp domain", "gdsp0 domain"]
    assert [(c.kind, c.before, c.now) for c in found.changes] == [
        ("shell", "CDSP.HT.2.8-00074 000000000000", "")
    ]
    assert places(compare(GOOD._replace(findings=(why,)), GOOD._replace(findings=(why,)))) == []


def test_what_is_not_known_is_no_loss() -> None:
    others = {"state": "unknown", "found": "4 of 8 MiB acquired: others use it", "value": 4}
    found = compare(GOOD, now(vtcm=others))
    assert (found.ok, found.untested) == (
        True,
        ("cdsp unsigned vtcm: 4 of 8 MiB acquired: others use it",),
    )


def test_another_kernel_is_no_loss() -> None:
    newer = Version("kernel", "Linux", "6.19.0 #1")
    found = compare(GOOD, GOOD._replace(versions=(newer, GOOD.versions[1])))
    assert found.ok
    assert [(c.name, c.before, c.now) for c in found.changes] == [
        ("Linux", "6.18.1 #1", "6.19.0 #1")
    ]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (None, "it does not exist"),
        ("no JSON", "Expecting value: line 1 column 1 (char 0)"),
        ('{"schema": 1, "capabilities": []}', "it is no document of `buildtool probe --all`"),
        ("[1]", "it is no document of `buildtool probe --all`"),
        (json.dumps(document(GOOD) | {"schema": 2}), "its schema is 2; this version of buildtool"),
        (json.dumps(document(GOOD) | {"rows": [{"domain": "cdsp"}]}), "it is damaged: Row is made"),
        (json.dumps(document(GOOD) | {"rows": 3}), "it is damaged: "),
        (json.dumps(document(GOOD) | {"soc": 3}), "it is damaged: its rows have other types"),
    ],
)
def test_what_cannot_be_compared_with(text: str | None, why: str, tmp_path: Path) -> None:
    file = tmp_path / "good.json"
    if text is not None:
        file.write_text(text)
    with pytest.raises(UsageError) as raised:
        read_file(file)
    assert raised.value.message == f"--compare {file}: there is nothing to compare with"
    assert raised.value.why.startswith(why)
    assert "`buildtool probe DEVICE --all -o FILE`" in raised.value.remedy


def test_a_document_is_read_as_it_was_written(tmp_path: Path) -> None:
    file = tmp_path / "good.json"
    why = DeviceFinding("shell-missing", "there is no DSP shell", "Install it.")
    file.write_text(json.dumps(document(GOOD._replace(findings=(why,)))))
    assert read_file(file) == GOOD._replace(findings=(why,))


def test_another_device_is_not_compared() -> None:
    check_same_kind(GOOD._replace(device="twin"), GOOD, "good.json")
    with pytest.raises(UsageError) as raised:
        check_same_kind(GOOD._replace(device="phone", soc="SM8750"), GOOD, "good.json")
    assert raised.value.message == "--compare good.json: it is about another device"
    assert raised.value.why == (
        "that one, phone, is SM8750 Ride ubuntu-aarch64; board is QCS8300 Ride ubuntu-aarch64"
    )


@pytest.mark.parametrize(
    ("check", "outcome", "state", "found"),
    [
        ("restart", {"crash": 0, "survives": 1, "again": 0}, "yes", "others go on after a crash"),
        ("restart", {"crash": 1, "survives": 1, "again": 0}, "unknown", "does not crash"),
        ("restart", {"crash": 0, "survives": 0, "again": 0}, "no", "the DSP restarts"),
        ("restart", {"crash": 0, "survives": 1, "again": 2}, "no", "no session opens after it"),
        ("parallel", {"parallel": 4, "code": 0x8A}, "yes", "4 in one program; one more: 0x8a"),
        ("parallel", {"parallel": 8, "code": 0}, "yes", "8 in one program; no more are tried"),
        ("search", {"first": 1}, "yes", "the first directory that has a skel wins"),
    ],
)
def test_what_a_check_says(check: str, outcome: dict[str, int], state: str, found: str) -> None:
    said = OWN[check](Outcome({name: (number,) for name, number in outcome.items()}))
    assert said["state"] == state
    assert found in str(said["found"])


LESS = now(
    vtcm={"value": 4.0, "found": "4 of 4 MiB acquired and right; was zero"},
    hmx={"state": "no", "found": "HAP_power_set fails with -3"},
)._replace(versions=(Version("kernel", "Linux", "6.19.0 #1"), GOOD.versions[1]))


def test_what_is_printed(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    options = AllOptions(all_=True, junit=tmp_path / "results.xml")
    assert report(LESS, compare(GOOD, LESS), options, None, as_json=False) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[:4] == [
        "DSP    process   sess  HMX  VTCM  map   open  call  MHz",
        "cdsp   unsigned  4     -    4     4076  100   60    1400",
        "gdsp0  unsigned  1",
        "gdsp0  signed    -",
    ]
    at = lines.index("lost since 2026-11-30T12:00:00Z (image 0123456789ab):")
    assert lines[at + 1 :] == [
        "! cdsp unsigned hmx",
        "    was: seen",
        "    now: HAP_power_set fails with -3",
        "! cdsp unsigned vtcm",
        "    was: 8 MiB: seen",
        "    now: 4 MiB: 4 of 4 MiB acquired and right; was zero",
        "changed:",
        "  kernel Linux",
        "    6.18.1 #1 → 6.19.0 #1",
    ]
    root = Xml.parse(tmp_path / "results.xml").getroot()
    assert (root.get("tests"), root.get("failures")) == ("10", "2")
    failed = [
        case.get("name") for case in root.iter("testcase") if case.find("failure") is not None
    ]
    assert failed == ["hmx", "vtcm"]


def test_markdown_and_lava(capsys: pytest.CaptureFixture[str]) -> None:
    comparison = compare(GOOD, LESS)
    report(LESS, comparison, AllOptions(all_=True, markdown=True), None, as_json=False)
    text = capsys.readouterr().out
    assert text.startswith("## DSPs of board, QCS8300\n\n| DSP | process | sess | HMX |")
    assert "\n| gdsp0 | unsigned | 1 |  |" in text
    report(LESS, comparison, AllOptions(all_=True, lava=True), None, as_json=False)
    printed = capsys.readouterr().out.splitlines()
    name = "<LAVA_SIGNAL_TESTCASE TEST_CASE_ID=cdsp.unsigned"
    assert f"{name}.vtcm RESULT=fail>" in printed
    assert f"{name}.clock RESULT=pass MEASUREMENT=1400 UNITS=MHz>" in printed
    assert "<LAVA_SIGNAL_TESTCASE TEST_CASE_ID=gdsp0.signed.session RESULT=skip>" in printed
    assert len(printed) == len(ROWS)


def test_a_device_on_which_nothing_runs_fails(capsys: pytest.CaptureFixture[str]) -> None:
    nothing = GOOD._replace(rows=())
    assert report(nothing, None, AllOptions(all_=True, lava=True), None, as_json=False) == 1
    assert "TEST_CASE_ID=device.session RESULT=fail" in capsys.readouterr().out
    assert report(GOOD, None, AllOptions(all_=True), None, as_json=False) == 0


def test_the_table_of_fastrpc_test_and_an_arch_without_skels(
    capsys: pytest.CaptureFixture[str],
) -> None:
    test = ROW._replace(capability="fastrpc_test.calculator", found="pass")
    old = Row("adsp", "signed", "session", "unknown", "the DSP is v66, for which there is no skel")
    skipped = test._replace(capability="fastrpc_test.hap_example", state="unknown", found="no HAP")
    good = GOOD._replace(rows=(*ROWS, test, skipped, old))
    report(good, None, AllOptions(), None, as_json=False)
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["adsp", "signed", "v66"] in rows
    assert ["DSP", "process", "fastrpc_test.calculator", "fastrpc_test.hap_example"] in rows
    assert ["cdsp", "unsigned", "pass", "skip"] in rows

    failed = test._replace(state="no", found="error code: 0x80000406")
    found = compare(good, good._replace(rows=(*ROWS, failed, skipped, old)))
    assert [(loss.what, loss.now) for loss in found.losses] == [
        ("fastrpc_test.calculator", "error code: 0x80000406")
    ]
