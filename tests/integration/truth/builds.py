"""Builds the driver with the kernels: for the build machine, and for Hexagon."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from buildtool.build.environment import build_environment
from buildtool.sdk.zig import find_zig

from .cases import Case

HERE = Path(__file__).parent
KERNELS = HERE.parents[2] / "dsp" / "src"
SOURCES = ("vec_add_i32.c", "matvec_q8_0.c")
WARNINGS = ("-std=c11", "-O2", "-Wall", "-Wextra", "-Wconversion", "-Werror")
#: No fused multiply-add: the kernels promise the same bits everywhere.
KERNEL_FLAGS = (*WARNINGS, "-ffp-contract=off")
HEXAGON = ("-target", "hexagon-linux-musl")
#: The libc variant of the emulated DSP shell: zig takes minutes to make another one.
HEXAGON_LIBC = ("-mcpu=hexagonv68", "-O2", "-static")


def zig_cc(*arguments: str | Path, cwd: Path) -> None:
    """Run `zig cc` with buildtool's own zig cache; fails with the compiler's text."""
    command = [str(find_zig().program), "cc", *map(str, arguments)]
    done = subprocess.run(
        command,
        cwd=cwd,
        env=build_environment(),
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout}{done.stderr}"


def build_native(out: Path, *, opt: str = "-O2") -> list[str]:
    """The driver as a program of the build machine; returns its command line."""
    program = out / "driver-native"
    sources = [HERE / "driver.c", *(KERNELS / name for name in SOURCES)]
    zig_cc(*KERNEL_FLAGS, opt, "-D_GNU_SOURCE", f"-I{KERNELS}", *sources, "-o", program, cwd=out)
    return [str(program)]


def build_hexagon(out: Path, arch: str, kernels: Path = KERNELS) -> list[str]:
    """The driver as a static Hexagon program, its kernels built for `arch` with HVX."""
    hvx = f"-mcpu=hexagon{arch}+hvx_length128b+hvx{arch}"
    objects = []
    for name in SOURCES:
        target = out / f"{name}.{arch}.o"
        flags = (*HEXAGON, hvx, *KERNEL_FLAGS, "-fPIC", "-fno-sanitize=undefined")
        zig_cc(*flags, f"-I{KERNELS}", "-c", kernels / name, "-o", target, cwd=out)
        objects.append(target)
    program = out / f"driver-{arch}"
    main = ("-D_GNU_SOURCE", f"-I{KERNELS}", HERE / "driver.c")
    zig_cc(*HEXAGON, *HEXAGON_LIBC, *main, *objects, "-o", program, cwd=out)
    # One processor model in Debian 12's qemu; its integer HVX is the same on all archs.
    return ["qemu-hexagon", "-cpu", "v67", str(program)]


def outputs(command: list[str], cases: tuple[Case, ...]) -> list[bytes]:
    """Feed all cases to one run of the driver and cut its output up by case."""
    done = subprocess.run(
        command,
        input=b"".join(case.message for case in cases),
        capture_output=True,
        check=False,
        timeout=300,
        env={"PATH": os.environ["PATH"]},
    )
    assert done.returncode == 0, f"{command}: {done.returncode}: {done.stderr.decode()}"
    parts, at = [], 0
    for case in cases:
        parts.append(done.stdout[at : at + len(case.expected)])
        at += len(case.expected)
    assert at == len(done.stdout)
    return parts
