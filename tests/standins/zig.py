"""The compiler that the stand-ins' compilers run, zig, and small libraries, each compiled once."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from buildtool.sdk.packaged_tools import usable_zig

FILES = Path(__file__).parent / "files"


def zig_program() -> Path:
    """The zig that the profiles use.

    Another copy of the same zig would compile its libraries again, also for the profiles: the
    manifests in its cache have the inodes of one copy.
    """
    return usable_zig().where.resolve()


def write_file(path: Path, name: str, values: Mapping[str, str], *, program: bool = False) -> None:
    """Write `files/name` to `path` with its `@TOKENS@` replaced."""
    text = (FILES / name).read_text()
    for token, value in values.items():
        text = text.replace(f"@{token}@", value)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    if program:
        path.chmod(0o755)


def library(
    soname: str, source: str, arguments: Sequence[str], needed: Sequence[Path] = ()
) -> Path:
    """A shared object with this SONAME, compiled from C; kept for the whole test run."""
    folder = _kept()
    made = folder / arguments[0].removeprefix("--target=") / soname
    made.parent.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not made.is_file():
            with tempfile.TemporaryDirectory(dir=folder) as work:
                code = Path(work, "source.c")
                code.write_text(source, encoding="utf-8")
                out = Path(work, soname)
                command: list[str | Path] = [
                    zig_program(),
                    "cc",
                    *arguments,
                    "-shared",
                    "-nostdlib",
                    "-fPIC",
                    "-O2",
                ]
                command += ["-fno-sanitize=undefined", "-fno-builtin", "-w"]
                command += [f"-Wl,-soname,{soname}", "-Wl,--hash-style=sysv"]
                command += [code, "-Wl,--no-as-needed", *needed, "-o", out]
                subprocess.run(command, check=True)
                shutil.move(out, made)
    return made


def _kept() -> Path:
    """A directory that all workers of a test run share."""
    base = os.environ.get("BUILDTOOL_CACHE") or tempfile.gettempdir()
    folder = Path(base) / "stand-ins"
    folder.mkdir(parents=True, exist_ok=True)
    return folder
