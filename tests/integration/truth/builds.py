"""Builds the driver with the kernels for the build machine and for Hexagon."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path

from buildtool.plan.environment import build_environment
from buildtool.sdk.packaged_tools import usable_zig

from .cases import Case

HERE = Path(__file__).parent
KERNELS = HERE.parents[2] / "dsp" / "src"
SOURCES = tuple(
    KERNELS / f"{name}.c" for name in ("vec_add_i32", "matvec_q8_0", "matmul_q4_0", "staging")
)
INCLUDES = (f"-I{KERNELS}", f"-I{KERNELS.parent / 'include'}")
WARNINGS = ("-std=c11", "-O2", "-Wall", "-Wextra", "-Wconversion", "-Werror")
#: No fused multiply-add: the kernels guarantee the same bits everywhere.
KERNEL_FLAGS = (*WARNINGS, "-ffp-contract=off")
HEXAGON = ("-target", "hexagon-linux-musl")
#: The libc variant of all tests: zig takes minutes to compile another one.
HEXAGON_LIBC = ("-mcpu=hexagonv68", "-O2", "-g", "-static")


def zig_cc(*arguments: str | Path, cwd: Path) -> None:
    """Run `zig cc` with buildtool's zig cache; fails with the compiler's messages."""
    command = [str(usable_zig().where), "cc", *map(str, arguments)]
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
    sources = [HERE / "driver.c", *SOURCES]
    # Without -O zig also checks for undefined behaviour; with a trap that needs no library.
    flags = (*KERNEL_FLAGS, opt, "-fsanitize-trap=undefined", "-D_GNU_SOURCE")
    zig_cc(*flags, *INCLUDES, *sources, "-o", program, cwd=out)
    return [str(program)]


def build_hexagon(out: Path, arch: str, kernels: Path = KERNELS) -> list[str]:
    """The driver as a static Hexagon program, its kernels built for `arch` with HVX."""
    objects = hexagon_objects(out, arch, [kernels / source.name for source in SOURCES], INCLUDES)
    return link_hexagon(out / f"driver-{arch}", HERE / "driver.c", objects, INCLUDES)


def hexagon_objects(
    out: Path, arch: str, sources: Iterable[Path], includes: Sequence[str]
) -> list[Path]:
    """Compile the sources of a skel with the skel profile's options."""
    hvx = f"-mcpu=hexagon{arch}+hvx_length128b+hvx{arch}+hvx_qfloat"
    flags = (*HEXAGON, hvx, *KERNEL_FLAGS, "-fPIC", "-fno-sanitize=undefined", *includes)
    objects = []
    for source in sources:
        objects.append(out / f"{source.name}.{arch}.o")
        zig_cc(*flags, "-c", source, "-o", objects[-1], cwd=out)
    return objects


def link_hexagon(
    program: Path, main: Path, objects: Sequence[Path], includes: Sequence[str]
) -> list[str]:
    """Link a static program from `main` and the objects; returns its command line."""
    flags = (*HEXAGON, *HEXAGON_LIBC, "-D_GNU_SOURCE", *includes)
    zig_cc(*flags, main, *objects, "-o", program, cwd=program.parent)
    # Debian 12's QEMU has one processor model; its integer HVX is the same on all archs.
    return ["qemu-hexagon", "-cpu", "v67", str(program)]


def outputs(command: list[str], cases: tuple[Case, ...]) -> list[bytes]:
    """Run the driver once with all cases; returns its output split by case."""
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
