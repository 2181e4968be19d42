"""What zig compiles for the emulated device besides its sources."""

from __future__ import annotations

from pathlib import Path

import pytest

from buildtool.cache.zig_cache import has_library
from buildtool.core.processes.process import capture, check
from buildtool.device.emulated.emulator import emulator_steps
from buildtool.device.emulated.native import device_root
from buildtool.plan.environment import build_environment


def test_programs_of_the_emulated_device_need_none_of_its_runtime(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """zig needs 7 s of a processor for its runtime, as long as for all of libcdsprpc."""
    monkeypatch.setenv("BUILDTOOL_CACHE", str(tmp_path / "cache"))
    cdsprpc, _ = emulator_steps()
    toolchain = tmp_path / "toolchain.cmake"
    toolchain.write_text(cdsprpc.profile.cmake_toolchain())
    tree = str(tmp_path / "tree")
    words = ("-S", str(cdsprpc.source), "-B", tree, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release")
    made = f"-DCMAKE_MAKE_PROGRAM={cdsprpc.cmake.ninja}"
    configured = (cdsprpc.cmake.program, *words, made, f"-DCMAKE_TOOLCHAIN_FILE={toolchain}")
    for command in (configured, (cdsprpc.cmake.program, "--build", tree)):
        done = capture(command, env=build_environment(), timeout=600)
        check(done, "building libcdsprpc")
    device_root()

    assert not has_library("libcompiler_rt.a")
