"""An emulated device with the test skels of the runtime."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.device.fastrpc.toolbox import ARM, HEADERS, Device, Toolbox

HERE = Path(__file__).parent
SKELS = (
    "counters",
    "threads",
    "mutexes",
    "sync",
    "timers",
    "memory",
    "vtcm",
    "system",
    "libc",
    "numbers",
    "queue",
)
CLIB_SKELS = ("clib_math", "clib_text", "clib_files")
QURT = ("-Xclang", "-triple", "-Xclang", "hexagon-unknown-none-elf")
WRAP = [f"-Wl,--wrap={name}" for name in ("malloc", "calloc", "realloc", "free", "memalign")]


@pytest.fixture(scope="session")
def toolbox(tmp_path_factory: pytest.TempPathFactory) -> Toolbox:
    base = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        base = base.parent
    return Toolbox(base / "fastrpc-device")


def build_skel(toolbox: Toolbox, name: str, *flags: str, source: str | None = None) -> Path:
    """A skel of `skel/<source>.c`, by default for QuRT's calling convention.

    It is linked without compiler_rt: the shell provides the functions that the compiler calls, as
    for skels that the SDK builds.
    """
    file = HERE / "skel" / f"{source or name}.c"
    chosen = flags or QURT
    return toolbox.skel(f"runtime_{name}", *chosen, "-fno-builtin", *WRAP, source=str(file))


def client_of(toolbox: Toolbox) -> Path:
    """The program that runs cases of the skels."""
    return toolbox._once(
        toolbox.base / "runtime-client", [*ARM, *HEADERS, HERE / "client.c", toolbox.library()]
    )


def install(device: Device, built: Path, name: str, directory: str = "usr/lib/rfsa/adsp") -> None:
    (device.root / directory / f"lib{name}_skel.so").write_bytes(built.read_bytes())


@pytest.fixture(scope="module")
def module_device(tmp_path_factory: pytest.TempPathFactory, toolbox: Toolbox) -> Device:
    """A QCS6490 with the skels of the C library, for all tests of a module."""
    device = Device.lay_out(tmp_path_factory.mktemp("device") / "root", toolbox)
    for skel in CLIB_SKELS:
        install(device, build_skel(toolbox, skel), skel)
    return dataclasses.replace(device, client=client_of(toolbox))


@pytest.fixture
def make_device(tmp_path: Path, toolbox: Toolbox) -> Callable[..., Device]:
    def make(name: str = "device", **changes: str | None) -> Device:
        device = Device.lay_out(tmp_path / name, toolbox, **changes)
        for skel in SKELS:
            install(device, build_skel(toolbox, skel), skel)
        return dataclasses.replace(device, client=client_of(toolbox))

    return make


@pytest.fixture
def device(make_device: Callable[..., Device]) -> Device:
    """A QCS6490 with every test skel in its default directory."""
    return make_device()
