"""Programs of the emulated device for the processor of this machine, which are built once."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from buildtool import _data
from buildtool.core.cache import cache_dir
from buildtool.core.files import file_digest, replace_file, temporary_file, value_digest
from buildtool.core.processes.process import capture, check
from buildtool.core.trees import make_directory
from buildtool.device.configuration import DIRECTORY
from buildtool.plan.environment import build_environment
from buildtool.sdk.packaged_tools import usable_zig
from buildtool.toolchains.hmx import TABLE

CPU_INFO = Path("/proc/cpuinfo")
# With -nostdlib they link the C library alone: zig takes five times as long to compile its runtime,
# which they do not need, as for the largest of them.
COMMON_FLAGS = ("-O2", "-s", "-nostdlib", "-lc")
BUILD_SECONDS = 300.0


def hmx_unit() -> Path:
    """The program that computes HMX for the DSP process."""
    folder = _data.path("emulator") / "hmx"
    headers = (*sorted(folder.glob("*.h")), TABLE)
    return native_program("hmx-unit", sorted(folder.glob("*.c")), headers=headers)


def device_root() -> Path:
    """The program that starts qemu-aarch64 where absolute paths of the emulated device exist."""
    return native_program("device-root", [_data.path("emulator") / "device_root" / "main.c"])


def native_program(
    name: str, sources: Sequence[Path], *, headers: Sequence[Path] = (), flags: Sequence[str] = ()
) -> Path:
    """The program of `sources`, for the processor of this machine.  Raises the errors of finding
    and running zig."""
    zig = usable_zig()
    files = [file_digest(file) for file in (*sources, *headers)]
    words = (*COMMON_FLAGS, *flags)
    key = value_digest({"files": files, "flags": words, "zig": zig.identity, "cpu": _cpu()})
    folder = cache_dir() / DIRECTORY
    kept = folder / f"{name}-{key[:16]}"
    if kept.is_file():
        return kept
    make_directory(folder)
    with temporary_file(folder) as fresh:
        done = capture(
            [zig.where, "cc", *words, *sources, "-o", fresh],
            env=build_environment(),
            timeout=BUILD_SECONDS,
        )
        check(done, f"building {name} for the emulated device")
        replace_file(fresh, kept, mode=0o755)
    return kept


def _cpu() -> str:
    """What the processor can do: a cache can be shared by machines."""
    lines = CPU_INFO.read_text(encoding="utf-8").splitlines() if CPU_INFO.exists() else []
    return next((line for line in lines if line.startswith(("flags", "Features"))), "")
