"""Processors by zig's names: zig accepts a suggested name, which means the same to its clang."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from buildtool.toolchains.unsupported_flags import zig_cpu_flag
from tests.command_line import Buildtool, Edit
from tests.conftest import LONG
from tests.standins.zig import zig_program

FLAGS = [
    *(f"-march=armv8.{n}-a" for n in range(1, 10)),
    *(f"-march=armv9.{n}-a" for n in range(1, 6)),
    *(
        f"-march=armv8.2-a+{name}"
        for name in (
            *("aes", "bf16", "crc", "dotprod", "flagm", "fp16fml", "i8mm", "lse", "predres", "ras"),
            *("rcpc", "rdm", "rdma", "sb", "sha2", "sha3", "sm4", "ssbs", "memtag", "profile"),
            *("rng", "crypto", "fp16", "sve", "sve2"),
        )
    ),
    *(
        f"-march={arch}-a+{name}"
        for arch in ("armv8.4", "armv8.6", "armv9")
        for name in ("crypto", "fp16", "sve", "sve2", "dotprod+i8mm")
    ),
    *("-march=armv8-a", "-march=armv9-a", "-march=armv8-a+crc+crypto"),
    *("-mcpu=cortex-a78", "-mcpu=cortex-a55+dotprod", "-mcpu=neoverse-n1+aes", "-mcpu=apple-m1"),
]


def macros(*arguments: str) -> set[str]:
    """The macros that a compiler of zig defines."""
    command: list[str | Path] = [zig_program(), *arguments, "-dM", "-E", "-x", "c", "/dev/null"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-300:]
    return {line for line in done.stdout.splitlines() if "ARM" in line or "AARCH64" in line}


@pytest.mark.parametrize("flag", FLAGS if LONG else FLAGS[::5])
def test_it_means_the_same(flag: str) -> None:
    same = zig_cpu_flag(flag)

    assert same
    assert macros("cc", "-target", "aarch64-linux-gnu.2.35", same) == macros(
        "clang", "--target=aarch64-linux-gnu", flag
    )


FLAG, SAME = "-march=armv8.2-a+dotprod", "-mcpu=generic+v8_2a+dotprod"


@pytest.mark.long
def test_a_target_with_such_a_flag_gets_a_suggestion(
    buildtool: Buildtool, project: Path, edit: Edit
) -> None:
    edit(project / "buildtool.toml", 'archs = ["v68"]', "archs = []")
    listing = project / "host/CMakeLists.txt"
    edit(listing, "install(", f"target_compile_options(demo_main PRIVATE {FLAG})\ninstall(")

    refused = buildtool("build", cwd=project)
    edit(listing, FLAG, SAME)
    built = buildtool("build", cwd=project)

    assert refused.returncode == 2
    assert f"demo_main asks for {FLAG}, which ubuntu-aarch64" in refused.stderr
    assert f"→ Write {SAME}, which means the same to zig" in refused.stderr
    assert built.returncode == 0, built.stderr


@pytest.mark.long
def test_a_failed_compiler_check_of_cmake_gets_the_suggestion_too(
    buildtool: Buildtool, project: Path, edit: Edit
) -> None:
    text = f'"host"\ndefines = {{ CMAKE_C_FLAGS = "{FLAG}" }}'
    edit(project / "buildtool.toml", '"host"', text)

    done = buildtool("build", cwd=project)

    assert done.returncode == 1
    assert f"Write {SAME}, which means the same to zig" in done.stderr
