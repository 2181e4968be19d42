"""User DMA, which QEMU does not have."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.device.fastrpc.toolbox import Device, Toolbox

from .conftest import build_skel, install
from .test_counts import counts
from .test_threads import case


@pytest.fixture
def with_skel(device: Device, toolbox: Toolbox) -> Device:
    install(device, build_skel(toolbox, "user_dma"), "user_dma")
    return device


@pytest.mark.parametrize("name", ["lines", "planes"])
def test_copies(with_skel: Device, name: str) -> None:
    code, _, log = case(with_skel, "user_dma", name)
    assert (code, log) == (0, "")


def test_copies_do_not_count(with_skel: Device, tmp_path: Path) -> None:
    """The DMA engine makes them, not the thread."""
    few, many = (counts(with_skel, tmp_path, "user_dma", f"sized {size}")[2] for size in (8, 512))
    assert many.packets == few.packets


def test_other_registers_stay(with_skel: Device) -> None:
    code, out, log = case(with_skel, "user_dma", "registers")
    assert (code, out[0], log) == (0, 1, "")


def test_with_strict_a_copy_is_made_when_the_thread_waits(with_skel: Device) -> None:
    for strict, first in (("", "1"), ("back", "0")):
        result = with_skel.run("open user_dma; case user_dma forgets", BUILDTOOL_SIM_STRICT=strict)
        assert result["case user_dma forgets"].split()[:2] == ["0", first], result.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (f"wrong {2 << 24}", r"the DMA descriptor at 0x[0-9a-f]+ has the type 2, which is unknown"),
        ("endless", r"a chain of DMA descriptors has no end: it comes back to 0x[0-9a-f]+"),
        ("wrong 100", r"bad memory access \(SIGSEGV\) at address 0x[0-9a-f]+, through a null"),
    ],
)
def test_a_wrong_descriptor(with_skel: Device, words: str, said: str) -> None:
    code, _, log = case(with_skel, "user_dma", words)
    assert code == 0x8000040D
    assert re.search(said, log), log
