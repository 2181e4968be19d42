"""The program that asks libcdsprpc about the DSP gets the answers of the emulated device."""

from __future__ import annotations

from pathlib import Path

import pytest

from buildtool.core.elf.read import read_elf
from buildtool.core.processes.process import capture
from buildtool.device.arm64_code import dsp_queries
from buildtool.device.device import Device
from buildtool.device.emulated.device import (
    CONFIGURATION,
    Emulated,
    EmulatedDevice,
    environment,
    prepare,
)
from buildtool.device.emulated.socs import find_soc
from buildtool.device.known_facts import facts_of, facts_of_sim
from buildtool.plan.environment import build_environment
from buildtool.sdk.packaged_tools import usable_zig


def sim(root: Path, soc: str) -> tuple[EmulatedDevice, Device]:
    emulated = prepare(root / soc, find_soc(soc), lambda _: None)
    install = str(root / "installed")
    return emulated, Device("sim", "", install, Emulated(install, environment(emulated)))


@pytest.mark.parametrize("soc", ["QCS6490", "SM8550", "SM8850"])
def test_the_arch_is_that_of_the_soc(soc: str, tmp_path: Path) -> None:
    emulated, device = sim(tmp_path, soc)

    facts = facts_of(device)

    assert facts.arch == emulated.soc.arch
    number = int(emulated.soc.arch[1:], 16) + 0x8D00
    assert facts.arch_source == f"libcdsprpc reports ARCH_VER {number:#x}"
    assert facts.capabilities["arch_ver"] == number
    assert facts.capabilities["hvx_support_128b"] > 0
    assert facts.capabilities["vtcm_page"] == emulated.soc.vtcm_mb << 20
    assert facts.capabilities["unsigned_pd_support"] == 1
    assert facts.capabilities["hmx_support_depth"] == 1


def test_the_script_finds_what_is_known_of_sim_without_it(tmp_path: Path) -> None:
    emulated, device = sim(tmp_path, "SM8650")

    read, known = facts_of(device), facts_of_sim(emulated, str(tmp_path / "installed"))

    for field in ("platform", "machine", "soc", "arch", "glibc", "root", "api"):
        assert getattr(read, field) == getattr(known, field), field
    assert read.page_size == 4096


def test_without_a_library_the_arch_comes_from_the_table(tmp_path: Path) -> None:
    emulated, device = sim(tmp_path, "SM8650")
    for library in (emulated.root / "lib").glob("libcdsprpc.so*"):
        library.unlink()

    facts = facts_of(device)

    assert facts.arch == "v75"
    assert facts.capabilities == {}
    assert "SM8650 has it, as listed" in facts.arch_source
    assert "libcdsprpc.so: cannot open shared object file" in facts.arch_source


def test_the_program_needs_no_version_of_a_c_library(tmp_path: Path) -> None:
    for name, data in zip(("linux", "android"), dsp_queries(), strict=True):
        file = tmp_path / name
        file.write_bytes(data)
        elf = read_elf(file)
        assert elf.version_needs == ()
        assert elf.imports == {"_exit", "alarm", "dlerror", "dlopen", "dlsym", "write"}
        assert min(elf.load_alignments) == 65536
    assert elf.needed == ("libc.so", "libdl.so")
    assert elf.interpreter == "/system/bin/linker64"


def replace_library(emulated: EmulatedDevice, source: Path, text: str) -> None:
    """Put a library with this source in the place of libcdsprpc, and forget the SoC."""
    source.write_text(text, encoding="utf-8")
    library = emulated.root / "lib" / emulated.emulator.cdsprpc.name
    library.unlink()
    flags = ("-target", "aarch64-linux-gnu", "-O1", "-nostdlib", "-shared", source, "-o", library)
    done = capture([usable_zig().where, "cc", *flags], env=build_environment())
    assert done.status == 0, done.output
    (emulated.root / CONFIGURATION).unlink()


@pytest.mark.long
def test_a_stand_in_for_libcdsprpc_that_never_answers_is_not_waited_for(tmp_path: Path) -> None:
    emulated, device = sim(tmp_path, "SM8650")
    code = "int remote_handle_control(void) { for (volatile int n = 0;; n++) {} }\n"
    replace_library(emulated, tmp_path / "cdsprpc.c", code)

    facts = facts_of(device)

    assert facts.arch == ""
    assert "it gives no answer" in facts.arch_source


def test_errors_of_a_stand_in_for_libcdsprpc_are_no_arch(tmp_path: Path) -> None:
    emulated, device = sim(tmp_path, "SM8650")
    code = "int remote_handle_control(void) { return 0x72; }\n"
    replace_library(emulated, tmp_path / "cdsprpc.c", code)

    facts = facts_of(device)

    assert facts.arch == ""
    assert "attribute 0: error 0x72; attribute 1: error 0x72" in facts.arch_source
