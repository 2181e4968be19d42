"""Compiles generated C for the build machine (64 bit) and for Hexagon (32 bit, under QEMU).

Both are checked at run time: the native build traps on undefined behaviour, and the
tests' programs put guard pages after every buffer.
"""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

from buildtool.sdk.packaged_tools import usable_zig

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
HEADERS = ROOT / "host" / "include" / "fastrpc"
WARNINGS = ("-std=c11", "-Wall", "-Wextra", "-Wconversion", "-Werror")
#: The only variant of a static Hexagon libc that the tests link; compiling one takes a minute.
HEXAGON = ("-target", "hexagon-linux-musl", "-mcpu=hexagonv68", "-O2", "-g", "-static")
NATIVE = ("-O1", "-g", "-fsanitize=undefined", "-fsanitize-trap=undefined")
MACHINES = ("native", "hexagon")


def build(
    machine: str, program: Path, sources: Sequence[Path], flags: Sequence[str] = ()
) -> list[str]:
    """Compile and link a program for one of MACHINES; returns its command line.

    Any warning is an error.
    """
    target = NATIVE if machine == "native" else HEXAGON
    common = (*WARNINGS, "-D_GNU_SOURCE", f"-I{program.parent}", f"-I{HEADERS}")
    zig_cc(*target, *common, *flags, *sources, "-o", program, cwd=program.parent)
    return [str(program)] if machine == "native" else ["qemu-hexagon", "-cpu", "v67", str(program)]


def counted(generated: Path) -> Path:
    """Write a source next to `generated` that includes it with the counting allocator of rig.c."""
    source = generated.with_name(f"counted_{generated.name}")
    source.write_text(
        '#include "rig.h"\n#include <stdlib.h>\n'
        f'#define calloc rig_calloc\n#define free rig_free\n#include "{generated.name}"\n'
    )
    return source


def zig_cc(*arguments: str | Path, cwd: Path) -> None:
    """Run `zig cc`, which must neither fail nor warn."""
    command = [str(usable_zig().where), "cc", *map(str, arguments)]
    done = subprocess.run(
        command, cwd=cwd, capture_output=True, text=True, timeout=900, check=False
    )
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout}{done.stderr}"
    assert "warning:" not in done.stderr, done.stderr


def run(command: Sequence[str], text: str = "") -> str:
    """The output of a program.  Fails with its standard error if its exit status is not 0."""
    done = subprocess.run(
        command,
        input=text,
        capture_output=True,
        encoding="utf-8",
        errors="backslashreplace",
        timeout=300,
        check=False,
    )
    tail = done.stdout[-2000:]
    assert done.returncode == 0, f"{command}: {done.returncode}\n{tail}\n{done.stderr}"
    return done.stdout
