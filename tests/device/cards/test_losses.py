"""`probe --all --compare` over a real sshd: it names what an image of a board has lost."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from buildtool.device.emulated.device import CONFIGURATION
from buildtool.device.sysroot.source import SHELL
from tests.device.cards.test_faults import Lab
from tests.device.devices.emulated_board import emulated_board
from tests.integration.idl.idl_rig import zig_cc
from tests.json_documents import validate

CDSP = "cdsp unsigned "


@pytest.fixture
def lab(tmp_path: Path, earlier_builds: Path) -> Iterator[Lab]:
    """A laboratory with a board that has two DSPs."""
    with emulated_board(tmp_path / "board", "SA8775P") as board:
        made = Lab(tmp_path, board, earlier_builds)
        configure(made, domains="cdsp:73,cdsp1:73")
        yield made


def configure(lab: Lab, **changes: object) -> None:
    """Change what the emulated device is."""
    file = lab.system / CONFIGURATION
    text = file.read_text(encoding="utf-8")
    for name, value in changes.items():
        text, count = re.subn(rf"(?m)^{name}=.*$", f"{name}={value}", text)
        assert count == 1
    file.write_text(text, encoding="utf-8")


def remove_shell(lab: Lab) -> None:
    (lab.system / SHELL.lstrip("/")).unlink()
    configure(lab, shell="/nowhere/fastrpc_shell_unsigned_3")


Plant = Callable[[Lab], None]
LOSSES: dict[str, tuple[Plant, str]] = {
    "a missing shell": (remove_shell, f"{CDSP}session"),
    "HMX off": (lambda lab: configure(lab, hmx=0), f"{CDSP}hmx"),
    "a smaller VTCM": (lambda lab: configure(lab, vtcm_bytes=4 << 20), f"{CDSP}vtcm"),
    "a queue that does not answer": (lambda lab: lab.plant("QUEUE_IS_SILENT"), f"{CDSP}dspqueue"),
    "unsigned refused": (lambda lab: configure(lab, unsigned_pd=0), f"{CDSP}session"),
    "one of two domains gone": (lambda lab: configure(lab, domains="cdsp:73"), "cdsp1 domain"),
    "a mapping limit": (lambda lab: lab.plant("MAPS_LITTLE"), f"{CDSP}map-size"),
    "a slower session": (lambda lab: lab.plant("OPENS_SLOWLY"), f"{CDSP}opening"),
    "a wrong search directory": (lambda lab: lab.plant("SEARCHES_BACKWARDS"), f"{CDSP}search"),
    "a restarted DSP": (lambda lab: lab.plant("DSP_RESTARTS"), f"{CDSP}restart"),
}


def compared(lab: Lab, status: int, wanted: str = "good.json") -> dict[str, Any]:
    done = lab.user.run("probe", "board", "--all", "--compare", wanted, "--json")
    assert done.returncode == status, done.stdout + done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    validate("probe", found)
    return found


def lost(found: dict[str, Any]) -> set[str]:
    """The losses, as `PLACE WHAT`."""
    losses = found["comparison"]["losses"]
    return {" ".join(filter(None, (r["domain"], r["process"], r["what"]))) for r in losses}


def changed(found: dict[str, Any]) -> set[str]:
    return {change["kind"] for change in found["comparison"]["changes"]}


def times(lab: Lab, **numbers: float) -> None:
    """Let the document be that of a board with these times, whatever this machine does besides."""
    file = lab.user.root / "good.json"
    good = json.loads(file.read_text(encoding="utf-8"))
    for row in good["rows"]:
        row["value"] = numbers.get(row["capability"], row["value"])
    file.write_text(json.dumps(good), encoding="utf-8")


def test_each_loss_is_named_and_equal_images_have_none(lab: Lab) -> None:
    lab.user.succeeds("probe", "board", "--all", "-o", "good.json")

    times(lab, opening=1e6, latency=1e6, clock=1)  # nothing is slower than that
    same = compared(lab, 0)
    assert (lost(same), changed(same), same["comparison"]["untested"]) == (set(), set(), [])
    assert {row["domain"] for row in same["rows"]} == {"cdsp", "cdsp1"}

    # One image that has lost much, since each probe takes seconds.
    times(lab, opening=1)
    lab.plant(
        "QUEUE_IS_SILENT", "MAPS_LITTLE", "OPENS_SLOWLY", "SEARCHES_BACKWARDS", "DSP_RESTARTS"
    )
    configure(lab, hmx=0, vtcm_bytes=4 << 20, domains="cdsp:73")
    less = compared(lab, 1)
    assert lost(less) == {
        "cdsp1 domain",
        *(f"{CDSP}{name}" for name in ("hmx", "vtcm", "dspqueue", "map-size", "opening")),
        *(f"{CDSP}{name}" for name in ("search", "restart")),
    }
    assert changed(less) == {"library"}

    configure(lab, unsigned_pd=0)
    refused = compared(lab, 1)
    assert lost(refused) == {"cdsp1 domain", f"{CDSP}session"}
    configure(lab, unsigned_pd=1)
    remove_shell(lab)
    gone = compared(lab, 1)
    assert lost(gone) == {"cdsp1 domain", f"{CDSP}session"}
    assert changed(gone) == {"library", "shell"}


@pytest.mark.long
@pytest.mark.parametrize("name", LOSSES)
def test_each_loss_is_named_by_itself(lab: Lab, name: str) -> None:
    plant, wanted = LOSSES[name]
    lab.user.succeeds("probe", "board", "--all", "-o", "good.json")
    times(lab, opening=1 if wanted.endswith("opening") else 1e6, latency=1e6, clock=1)
    plant(lab)
    assert wanted in lost(compared(lab, 1))


@pytest.mark.long
def test_twenty_equal_images_have_none(lab: Lab) -> None:
    lab.user.succeeds("probe", "board", "--all", "-o", "good.json")
    for _ in range(20):
        assert lost(compared(lab, 0)) == set()


def test_what_belongs_to_all_dsps_needs_the_option(lab: Lab) -> None:
    for words in (("--compare", "LAST"), ("--junit", "x.xml"), ("--markdown",), ("--lava",)):
        done = lab.user.run("probe", "board", *words)
        assert (done.returncode, done.stdout) == (2, "")
        assert f"error: {words[0]} is without --all" in done.stderr
    done = lab.user.run("probe", "board", "--all", "--compare", "LAST")
    assert (done.returncode, done.stdout) == (2, "")
    assert "error: --compare LAST: nothing is kept about board" in done.stderr


def test_a_stand_in_for_fastrpc_test_has_its_own_table(lab: Lab) -> None:
    """It runs in both kinds of processes of each DSP that it knows."""
    configure(lab, domains="cdsp:73,cdsp1:73,adsp:66")
    install_fastrpc_test(lab)
    shown = lab.user.succeeds("probe", "board", "--all", "-o", "good.json")
    rows = [line.split() for line in shown.splitlines()]
    assert ["cdsp", "unsigned", "pass", "skip"] in rows
    assert ["cdsp", "signed", "pass", "fail"] in rows
    assert ["DSP", "process", "fastrpc_test.calculator", "fastrpc_test.hap_example"] in rows
    assert "fastrpc_test.hap_example: error code: 0x80000481" in shown
    # An ADSP that is older than all skels shows its arch.
    assert ["adsp", "unsigned", "v66"] in rows
    assert "adsp unsigned, adsp signed\n  session: the DSP is v66, for which" in shown

    install_fastrpc_test(lab, "-DLOSES")
    times(lab, opening=1e6, latency=1e6, clock=1)
    assert lost(compared(lab, 1)) == {
        f"cdsp {process} fastrpc_test.calculator" for process in ("unsigned", "signed")
    }


def install_fastrpc_test(lab: Lab, *flags: str) -> None:
    place = lab.system / "usr/bin/fastrpc_test"
    place.parent.mkdir(parents=True, exist_ok=True)
    source = Path(__file__).with_name("fastrpc_test_stand_in.c")
    zig_cc("--target=aarch64-linux-gnu.2.31", *flags, source, "-o", place, cwd=lab.user.root)
