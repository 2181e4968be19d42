"""The arch of a DSP: libcdsprpc is believed before the DSP shell, the shell before the table."""

from __future__ import annotations

import pytest

from buildtool.device.read_facts import Evidence, dsp_arch, header_arch

NOTHING = Evidence({}, "cannot open libcdsprpc.so", "", "", "")
SHELL = "/usr/lib/dsp/fastrpc_shell_3"


def test_libcdsprpc_is_believed_first() -> None:
    evidence = NOTHING._replace(
        capabilities={"arch_ver": 0x8D73}, shell=SHELL, shell_arch="v68", soc="SM8650"
    )
    arch, source = dsp_arch(evidence)
    assert arch == "v73"
    assert source == f"libcdsprpc reports ARCH_VER 0x8d73; the DSP shell {SHELL} is for v68"
    assert dsp_arch(evidence._replace(emulated=True))[1] == "libcdsprpc reports ARCH_VER 0x8d73"


def test_then_the_shell() -> None:
    arch, source = dsp_arch(NOTHING._replace(shell=SHELL, shell_arch="v68", soc="SM8650"))
    assert arch == "v68"
    assert source.startswith(f"the DSP shell {SHELL} is for it; libcdsprpc does not tell it")
    assert "cannot open libcdsprpc.so" in source


def test_then_the_table_of_socs() -> None:
    arch, source = dsp_arch(NOTHING._replace(soc="SM8650"))
    assert arch == "v75"
    assert "SM8650 has it, as listed" in source
    assert "there is no DSP shell" in source


@pytest.mark.parametrize("number", [0, 0x8D00, 0x8D12, 0xFFFFFFFF])
def test_an_unknown_arch_is_not_taken(number: int) -> None:
    arch, source = dsp_arch(NOTHING._replace(capabilities={"arch_ver": number, "vtcm_page": 1}))
    assert arch == ""
    assert f"ARCH_VER {number:#x}, no known arch" in source


def test_without_evidence_there_is_no_arch() -> None:
    assert dsp_arch(NOTHING)[0] == ""
    arch, source = dsp_arch(NOTHING._replace(soc="RK3588", shell=SHELL, shell_arch="v999"))
    assert arch == ""
    assert "the SoC RK3588 is not listed" in source
    assert f"{SHELL} is not a Hexagon program of a known arch" in source


@pytest.mark.parametrize(
    "data", [b"", b"\x7fELF", b"\x7fELF\x02\x01".ljust(52, b"\0"), b"\x7fELF\x01\x01" + bytes(46)]
)
def test_other_files_have_no_arch(data: bytes) -> None:
    assert header_arch(data) == ""
