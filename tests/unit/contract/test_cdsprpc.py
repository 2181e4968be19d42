"""What the ARM64 side may need of the device's libcdsprpc."""

from __future__ import annotations

import pytest

from buildtool.contract.finding import Finding
from buildtool.contract.rules.host_libraries import cdsprpc_functions, cdsprpc_soname
from buildtool.contract.subject import Promise
from buildtool.core.elf.read import Elf
from buildtool.toolchains.cdsprpc import Cdsprpc, system_cdsprpc

from .described import arm64, skel, subject

LINUX = system_cdsprpc("ubuntu-aarch64")
BOARD = Cdsprpc("libcdsprpc.so.1", frozenset({"rpcmem_alloc"}), "board")


def findings(cdsprpc: Cdsprpc, **elves: Elf) -> list[Finding]:
    files = {f"bin/{name}": elf for name, elf in elves.items()}
    checked = subject(files, Promise(cdsprpc=cdsprpc))
    return [*cdsprpc_soname.check(checked), *cdsprpc_functions.check(checked)]


def test_what_the_device_has_may_be_needed() -> None:
    found = findings(
        BOARD,
        app=arm64(needed=["libcdsprpc.so.1", "libc.so.6"], imports=["rpcmem_alloc", "printf"]),
        weak=arm64(needed=["libcdsprpc.so.1"], weak=["rpcmem_alloc2"]),
        mine=arm64(imports=["rpcmem_pool_get", "fastrpc_error_text"]),
        other=arm64(exports=["rpcmem_pool_get"]),
        skel=skel(imports=["rpcmem_alloc2"]),
    )
    assert found == []


@pytest.mark.parametrize(
    ("needed", "cdsprpc"),
    [
        ("libcdsprpc.so", LINUX),
        ("libcdsprpc.so.1", system_cdsprpc("android")),
        ("/opt/sdk/libcdsprpc.so", LINUX),
        ("libcdsprpc_system.so", LINUX),
    ],
)
def test_another_soname_is_refused(needed: str, cdsprpc: Cdsprpc) -> None:
    (finding,) = findings(cdsprpc, app=arm64(needed=[needed]))
    assert finding.message == f"app needs {needed}, but every device has {cdsprpc.soname}"
    assert "would not start" in finding.why


def test_what_the_device_lacks_is_refused() -> None:
    names = ["rpcmem_to_fd", "dspqueue_read", "rpcmem_alloc"]
    (finding,) = findings(BOARD, app=arm64(imports=names))
    assert finding.message == (
        "app needs dspqueue_read, rpcmem_to_fd, which the libcdsprpc of the device 'board' does"
        " not have"
    )
    assert "__attribute__((weak))" in finding.remedy
    assert "sysroot" not in finding.remedy

    (finding,) = findings(LINUX, app=arm64(imports=["rpcmem_alloc2"]))
    assert "which the libcdsprpc of some devices does not have" in finding.message
    assert 'dlsym(RTLD_DEFAULT, "rpcmem_alloc2")' in finding.remedy
    assert "buildtool sysroot pull" in finding.remedy
