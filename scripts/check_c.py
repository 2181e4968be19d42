"""Check the C sources: their layout, the compiler's warnings, and the findings of clang-tidy.

Both sides are parsed as they are compiled, with the headers of zig's C libraries.  Each finding is
an error.  With `--format`, the sources are reformatted and nothing is checked.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from buildtool.sdk.packaged_tools import usable_zig

ROOT = Path(__file__).resolve().parents[1]
TOOLS = Path(sys.executable).parent
GENERATED = ROOT / ".buildtool" / "check" / "idl"
PROBE = "buildtool/measure/probe/project"
BATCH = 6  # files for each process of clang-tidy: small enough to keep all processors busy

LAID_OUT = (
    *(
        "buildtool/deploy",
        "buildtool/measure",
        "buildtool/testing",
        "dsp",
        "emulator",
        "host",
        "tests/device",
        "tests/integration/truth",
    ),
)
FLAGS = (
    *("-std=gnu11", "-Wall", "-Wextra", "-Wconversion", "-nostdlibinc", f"-I{GENERATED}"),
    *(
        "-Ihost/include",
        "-Ihost/include/fastrpc",
        "-Ihost/src/reference",
        f"-I{PROBE}",
        "-Idsp/program",
    ),
    "-Iemulator/common",
)
SIDES = {
    (
        f"{PROBE}/dsp",
        "cmake/sdk",
        "dsp/program",
        "dsp/src",
        "emulator/shell",
        "emulator/common",
    ): (
        *("--target=hexagon-linux-musl", "-mcpu=hexagonv68", "-mhvx", "-mhvx-length=128b"),
        *("-Idsp/include", "-Iemulator/shell", *FLAGS),
    ),
    (
        *(
            "host/dsp-program",
            "host/src",
            "emulator/cdsprpc",
            "emulator/common",
            "buildtool/device/query",
        ),
        "buildtool/device/calls",
        "buildtool/device/emulated/plugin",
        "emulator/hmx",
        "emulator/device_root",
        f"{PROBE}/host",
        "host/include/examples",
        "buildtool/testing",  # for this machine, but parsed like the others
    ): (*("--target=aarch64-linux-gnu", "-Iemulator/cdsprpc", *FLAGS),),
}
LIBC = {
    "--target=hexagon-linux-musl": ("hexagon-linux-musl", "generic-musl", "hexagon-linux-any"),
    "--target=aarch64-linux-gnu": ("aarch64-linux-gnu", "generic-glibc", "aarch64-linux-any"),
}


def main(arguments: Sequence[str]) -> int:
    """Run all checks and print the findings; returns the exit status, 1 if there are any."""
    sources = list(map(str, files(LAID_OUT, "*.[ch]")))
    if arguments == ["--format"]:
        return run([TOOLS / "clang-format", "-i", *sources])
    commands: list[list[str | Path]] = [
        [TOOLS / "clang-format", "--dry-run", "--Werror", *batch] for batch in batches(sources, 50)
    ]
    for idl in ("dsp/htp_ops.idl", "dsp/program/dsp_program.idl", f"{PROBE}/device_probe.idl"):
        run([sys.executable, "-P", "-m", "buildtool", "idl", idl, "-o", GENERATED])
    headers = usable_zig().library / "libc" / "include"
    for folders, flags in SIDES.items():
        libc = [f"-isystem{headers / name}" for name in (*LIBC[flags[0]], "any-linux-any")]
        commands += [
            [TOOLS / "clang-tidy", "--quiet", *batch, "--", *flags, *libc]
            for batch in batches(list(map(str, files(folders, "*.c"))), BATCH)
        ]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return max(pool.map(run, commands))


def files(folders: Iterable[str], pattern: str) -> list[Path]:
    return sorted(
        path.relative_to(ROOT) for folder in folders for path in (ROOT / folder).rglob(pattern)
    )


def batches(names: Sequence[str], size: int) -> list[Sequence[str]]:
    return [names[at : at + size] for at in range(0, len(names), size)]


def run(command: Sequence[str | Path]) -> int:
    """Run a command; prints its output when it fails."""
    done = subprocess.run(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    if done.returncode:
        print(done.stdout, end="", flush=True)
    return int(done.returncode != 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
