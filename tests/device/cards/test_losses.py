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
