"""The versions that `probe --all` keeps, read from stand-ins for a board."""

from __future__ import annotations

from pathlib import Path

import pytest

from buildtool.device.emulated.device import Emulated
from buildtool.device.read_facts import read_facts_board_and, shells_of_all
from buildtool.measure.probe.qualify import SCRIPT, blank
from tests.integration.devices.board_tree import SHELL, hexagon_header, stand_in, write
from tests.integration.devices.test_board_faults import BUILD, IMAGE, board
from tests.remote.tool_sets import TOOL_SETS, Tools

ADSP = SHELL.replace("dsp/cdsp/fastrpc_shell_unsigned_3", "dsp/adsp/fastrpc_shell_0")
OTHER = SHELL.replace("radxa/dragon-q6a", "thundercomm/rb3gen2")
NAME = "CDSP.HT.2.5.c3-00074-KODIAK-1"


@pytest.mark.parametrize("tools", TOOL_SETS)
def test_versions_of_a_stand_in(tmp_path: Path, tools: Tools) -> None:
    tree = board(tmp_path / "board")
    adsp = BUILD.replace(NAME.encode(), b"ADSP.HT.5.5.c8-00024")
    others = {ADSP: hexagon_header(0x66) + adsp, OTHER: hexagon_header(0x68)}
    write(tree, {**others, "var/lib/dpkg/status": b""})
    programs = tmp_path / "bin"
    write(programs, {"dpkg-query": b'#!/bin/sh\necho libfastrpc1 1.0.2-1\necho "$1" \n'})
    (programs / "dpkg-query").chmod(0o755)
    device = stand_in(tmp_path, tree, tools)
    assert isinstance(device.transport, Emulated)
    variables = dict(device.transport.environment)
    variables["PATH"] = f"{programs}:{variables['PATH']}"
    device = device._replace(transport=device.transport._replace(environment=variables))

    facts, state, parts = read_facts_board_and(device, SCRIPT, {"shells": shells_of_all()})
    found = blank(device, facts, state, parts, ())
    again = blank(device, facts, state, parts, ())

    versions = {(each.kind, each.name): each for each in found.versions}
    kinds = {kind for kind, _ in versions}
    assert kinds == {"library", "shell", "firmware", "kernel", "package"}
    named = tools != "toybox"  # Debian's has no tr, which finds the names of builds
    builds = (NAME, "ADSP.HT.5.5.c8-00024") if named else ("", "")
    assert (versions["shell", f"/{SHELL}"].version, versions["shell", f"/{ADSP}"].version) == builds
    assert ("shell", f"/{OTHER}") not in versions  # of a board that this one is not
    assert versions["firmware", f"/{IMAGE}"].version == builds[0]
    assert [v.version for v in found.versions if v.kind == "package"] == ["1.0.2-1"]
    assert all(len(v.sha256) == 64 for v in found.versions if v.kind in ("shell", "library"))
    assert (found.image, len(found.image)) == (again.image, 12)
    (tree / ADSP).write_bytes(hexagon_header(0x66))
    facts, state, parts = read_facts_board_and(device, SCRIPT, {"shells": shells_of_all()})
    assert blank(device, facts, state, parts, ()).image != found.image
