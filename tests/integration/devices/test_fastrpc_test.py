"""What `probe --all` reads of the fastrpc_test that is installed on a device.

It is a stand-in: a script that prints as test/fastrpc_test.c of qualcomm/fastrpc at 29851fde does.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from buildtool.device.read_facts import read_facts
from buildtool.measure.probe.qualify import fastrpc_test_rows
from tests.integration.devices.board_tree import q6a_tree, stand_in
from tests.remote.tool_sets import Tools

SAYS = """#!/bin/sh
echo "$@" >>"{log}"
printf '[PASS] libcalculator.so\\n\\n'
printf '[SKIP] libhap_example.so (not applicable to this hardware)\\n\\n'
printf '[FAIL] libmultithreading.so (error code: 0x80000406)\\n\\n'
printf '[PASS] no library\\n[PASS]\\nTest Summary:\\n  Passed:             1\\n'
exit 1
"""


@pytest.mark.parametrize("tools", ["coreutils", "busybox"])
def test_the_table_of_a_stand_in_for_fastrpc_test(tmp_path: Path, tools: Tools) -> None:
    tree, log = q6a_tree(tmp_path / "a board"), tmp_path / "log"
    device = stand_in(tmp_path, tree, tools)
    facts = read_facts(device)._replace(domains={"cdsp": "v68", "adsp": "v66", "cdsp1": "v75"})
    assert [*fastrpc_test_rows(device, facts, "cdsp", "unsigned")] == []  # it is not installed

    place = tree / "usr/bin/fastrpc_test"
    place.parent.mkdir(parents=True)
    place.write_text(SAYS.format(log=log), encoding="utf-8")
    place.chmod(0o755)
    found = [*fastrpc_test_rows(device, facts, "cdsp", "signed")]
    assert [(row.capability, row.state, row.found) for row in found] == [
        ("fastrpc_test.calculator", "yes", "pass"),
        ("fastrpc_test.hap_example", "unknown", "not applicable to this hardware"),
        ("fastrpc_test.multithreading", "no", "error code: 0x80000406"),
    ]
    assert {(row.domain, row.process) for row in found} == {("cdsp", "signed")}
    newer = facts._replace(arch="v79")
    assert len([*fastrpc_test_rows(device, newer, "cdsp", "unsigned")]) == 3
    for domain in ("adsp", "cdsp1"):  # too old for its skels; no domain of it
        assert [*fastrpc_test_rows(device, facts, domain, "unsigned")] == []
    calls = log.read_text(encoding="utf-8").splitlines()
    assert calls == ["-d 3 -U 0 -t linux -a v68", "-d 3 -U 1 -t linux -a v75"]
