"""The checks of builds: the first error of a rule stops them."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from buildtool.contract.build_checks import (
    ContractError,
    check_cdsprpc_use,
    check_dsp_files,
    check_host_files,
    check_skel,
)
from buildtool.core.elf.read import ElfError
from buildtool.toolchains.cdsprpc import system_cdsprpc
from buildtool.toolchains.profile import Compiler, Profile

from .binaries import Linker, entry

PROFILE = Profile(
    name="ubuntu-aarch64",
    platform="ubuntu-aarch64",
    template="",
    settings={"GLIBC": "2.35"},
    identity="",
    places={},
    compiler=Compiler("clang", "22", "", (), ()),
    cdsprpc=system_cdsprpc("ubuntu-aarch64"),
)


def test_the_error_of_a_build_has_the_path_of_the_file(linker: Linker) -> None:
    file = linker.skel("int x;")

    with pytest.raises(ContractError) as caught:
        check_host_files({"bin/demo": file}, PROFILE)

    assert caught.value.message == "demo is not an ARM64 file"
    assert caught.value.why.endswith(f"ARM64's is 183 ({file})")
    assert caught.value.code == "host"
    assert list(caught.value.files) == [file]


def test_files_of_the_arm64_side_in_dsp_are_for_arm64(linker: Linker, tmp_path: Path) -> None:
    check_host_files({"dsp/v68/libx.so": linker.host("libx.so", "int x;")}, PROFILE)
    (tmp_path / "text").write_text("x")
    check_host_files({"dsp/v68/libx_skel.so": tmp_path / "text"}, PROFILE)
    with pytest.raises(ContractError, match=r"libx\.so is not an ARM64 file"):
        check_host_files({"dsp/v68/libx.so": linker.skel(entry())}, PROFILE)


def test_the_clone_may_lie_in_a_directory_like_that_of_skels(
    linker: Linker, tmp_path: Path
) -> None:
    source = "int rpcmem_alloc2(void);\nint part(void) { return rpcmem_alloc2(); }"
    file = tmp_path / "dsp/v68/app"
    file.parent.mkdir(parents=True)
    shutil.copyfile(linker.host("app", source), file)

    with pytest.raises(ContractError, match="needs rpcmem_alloc2") as caught:
        check_cdsprpc_use([file], PROFILE)

    assert caught.value.code == "cdsprpc"
    assert (
        caught.value.why == f"it would not start there: cannot locate symbol rpcmem_alloc2 ({file})"
    )


def test_warnings_do_not_stop_a_build(linker: Linker) -> None:
    skel = linker.skel(
        "int qurt_thread_detach(int);\n" + entry("qurt_thread_detach(x)"), arch="v69"
    )
    warnings: list[str] = []

    check_dsp_files({"libdemo_skel.so": skel}, "v69", warn=warnings.append)

    (text,) = warnings
    first, where, remedy = text.split("\n  ")
    assert first.startswith("libdemo_skel.so may fail to load with 0x80000406")
    assert where.startswith("qurt_thread_detach: on v73")
    assert remedy.startswith("→ Declare it __attribute__((weak))")
    assert 'sysroot = "…" in the target' in remedy


def test_a_library_that_must_be_a_skel(linker: Linker, tmp_path: Path) -> None:
    library = linker.skel("int x;")
    check_dsp_files({"libx.so": library}, "v68")

    with pytest.raises(ContractError, match="has no entry point") as caught:
        check_skel(library, "v68")
    assert caught.value.code == "skel"
    (tmp_path / "text").write_text("x")
    with pytest.raises(ElfError, match="is not a valid ELF file"):
        check_skel(tmp_path / "text", "v68")
