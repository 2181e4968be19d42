"""The names that the emulated shell implements, against those that real shells export."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from buildtool.toolchains.dsp_shells import chips_with_arch, export_letters, known_shells
from tests.device.fastrpc.toolbox import Toolbox

ARCHS = ("v68", "v69", "v73", "v75", "v79", "v81")
GOLDEN = Path(__file__).parent / "unimplemented_names.txt"
COMMON = frozenset(name for name, letters in known_shells().names.items() if set(letters) == {"y"})
GOAL = 95  # percent of the names that all real shells export


@pytest.fixture(scope="module")
def implemented(toolbox: Toolbox) -> frozenset[str]:
    """The names whose functions do their work; those that are refused when called do not count."""
    qemu = shutil.which("qemu-hexagon")
    assert qemu
    command = [qemu, "-cpu", "v67", str(toolbox.shell()), "--symbols"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    rows = [line.split() for line in done.stdout.splitlines()]
    return frozenset(name for table, name in rows if table != "unimplemented")


def test_the_table_has_the_common_names() -> None:
    assert len(COMMON) == 1673
    assert {"qsort", "_FXp_mulx", "qurt_mem_region_create", "dlopen", "__tls_get_addr"} <= COMMON


@pytest.mark.parametrize("arch", ARCHS)
def test_names_of_an_arch(implemented: frozenset[str], arch: str) -> None:
    chips = chips_with_arch(arch)
    wanted = {
        name for name in known_shells().names if set(export_letters(name, chips).values()) == {"y"}
    }
    assert wanted >= COMMON
    has = implemented & wanted
    print(f"{arch}: {len(has)} of {len(wanted)} names, {100 * len(has) / len(wanted):.1f} %")
    percent = 100 * len(implemented & COMMON) / len(COMMON)
    missing = ", ".join(sorted(COMMON - implemented))
    assert percent >= GOAL, f"{arch}: {percent:.1f} % of the common names; missing: {missing}"


def test_the_list_of_unimplemented_names_is_complete(implemented: frozenset[str]) -> None:
    listed = frozenset(GOLDEN.read_text(encoding="utf-8").split())
    missing = known_shells().names.keys() - implemented
    gone, new = sorted(missing - listed), sorted(listed - missing)
    assert not gone, f"the shell no longer implements {gone}; if that is right, edit {GOLDEN.name}"
    assert not new, f"remove from {GOLDEN.name} what the shell implements: {new}"
