"""The names that the emulated shell implements, against those that real shells export."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from buildtool.toolchains.system_libraries import known_shells
from tests.device.fastrpc.toolbox import Toolbox

HERE = Path(__file__).parent
GOLDEN = HERE / "unimplemented_names.txt"
IMPORTED = HERE / "imported_names.tsv"
OPTIONAL = re.compile(r"crm_|compute_res")
"""The SDK's headers declare these as weak and do without them."""
REFUSED = {
    *("_Get_eh_data", "_Parse_csd", "_Parse_fde_instr", "_Parse_lsda", "_Read_enc_ptr"),
    *("_Read_sleb", "_Read_uleb", "_Valbytes"),  # readers of exception tables, see unwind.c
    *("qurt_exception_raise_nonfatal", "qurt_sysenv_get_instance_id", "qurt_thread_get_group_id"),
}


@pytest.fixture(scope="module")
def implemented(toolbox: Toolbox) -> frozenset[str]:
    """The names whose functions do their work; those that are refused when called do not count."""
    qemu = shutil.which("qemu-hexagon")
    assert qemu
    command = [qemu, "-cpu", "v67", str(toolbox.shell()), "--symbols"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    rows = [line.split() for line in done.stdout.splitlines()]
    return frozenset(name for table, name in rows if table != "unimplemented")


def test_what_real_libraries_import_is_implemented(implemented: frozenset[str]) -> None:
    rows = [row.split("\t") for row in IMPORTED.read_text(encoding="utf-8").splitlines()]
    imported = {row[0] for row in rows if len(row) == 2} & known_shells().names.keys()
    assert len(imported) == 531
    missing = {name for name in imported - implemented if not OPTIONAL.match(name)}
    assert missing == REFUSED


def test_the_list_of_unimplemented_names_is_complete(implemented: frozenset[str]) -> None:
    listed = frozenset(GOLDEN.read_text(encoding="utf-8").split())
    missing = known_shells().names.keys() - implemented
    gone, new = sorted(missing - listed), sorted(listed - missing)
    assert not gone, f"the shell no longer implements {gone}; if that is right, edit {GOLDEN.name}"
    assert not new, f"remove from {GOLDEN.name} what the shell implements: {new}"
