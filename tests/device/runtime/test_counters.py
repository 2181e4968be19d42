"""Code that reads the DSP's counters from registers, UTIMER and UPCYCLE; barriers."""

from __future__ import annotations

import re

import pytest

from tests.device.fastrpc.toolbox import Device, Toolbox

from .conftest import QURT, build_skel, install
from .test_threads import case


@pytest.mark.parametrize("words", ["passes", "packets", "registers", "barriers"])
def test_counters(device: Device, words: str) -> None:
    code, _, log = case(device, "counters", words)
    assert code == 0, log
    assert log == ""


def test_file_without_section_headers(device: Device) -> None:
    """All of its executable segments are searched, not only the sections with code."""
    skel = device.root / "usr/lib/rfsa/adsp/libcounters_skel.so"
    content = bytearray(skel.read_bytes())
    content[0x20:0x24] = bytes(4)  # e_shoff
    content[0x30:0x34] = bytes(4)  # e_shnum, e_shstrndx
    skel.write_bytes(content)
    result = device.run("open counters; case counters passes; case counters packets")
    assert result["case counters passes"].startswith("0 "), result.err
    assert result["case counters packets"].startswith("0 "), result.err


def test_packets_far_from_the_start_are_changed(device: Device, toolbox: Toolbox) -> None:
    install(device, build_skel(toolbox, "far_counter", *QURT, "-mlong-calls"), "far_counter")
    code, out, log = case(device, "far_counter", "far")
    assert (code, log) == (0, "")
    assert out[0] != 0


def test_packet_that_cannot_be_changed_is_named(device: Device, toolbox: Toolbox) -> None:
    flags = (*QURT, "-mlong-calls", "-DBEHIND")
    built = build_skel(toolbox, "farther_counter", *flags, source="far_counter")
    install(device, built, "far_counter")
    code, out, log = case(device, "far_counter", "far")
    assert (code, out[0]) == (0, 0)
    assert re.fullmatch(
        r"\[dsp\] ERROR: libfar_counter_skel.so: 1 packet with instructions that qemu does not"
        r" execute is too far from both ends of the file, 8 MB or more, to be replaced:"
        r" \+0x90[0-9a-f]{4}\n",
        log,
    ), log
