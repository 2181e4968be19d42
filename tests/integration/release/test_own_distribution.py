"""This project's own wheel and sdist: the same bytes from two copies of the sources."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.command_line import REPOSITORY

IGNORED = (".git", ".venv", ".buildtool", "dist", "__pycache__", "tests", "bench", ".*_cache")


def copy_sources(folder: Path, age: int) -> Path:
    """A copy of the sources, with files that are `age` seconds older."""
    copy = folder / "sources"
    shutil.copytree(REPOSITORY, copy, ignore=shutil.ignore_patterns(*IGNORED))
    for path in copy.rglob("*"):
        status = path.stat()
        os.utime(path, (status.st_atime - age, status.st_mtime - age))
    return copy


def distributions(sources: Path, umask: str, **variables: str) -> dict[str, str]:
    """The wheel and the sdist, by name, with their sha256."""
    build = "import scikit_build_core.build as b; b.build_wheel('out'); b.build_sdist('out')"
    command = ["sh", "-c", f'umask {umask}; exec "$@"', "sh", sys.executable, "-c", build]
    (sources / "out").mkdir()
    environment = {**os.environ, **variables, "SOURCE_DATE_EPOCH": "1700000000"}
    subprocess.run(command, cwd=sources, env=environment, check=True, timeout=300)
    return {
        file.name: hashlib.sha256(file.read_bytes()).hexdigest()
        for file in (sources / "out").iterdir()
    }


@pytest.mark.long
def test_wheel_and_sdist_are_the_same_bytes(tmp_path: Path) -> None:
    one = distributions(copy_sources(tmp_path / "one", 0), "022")
    other = distributions(
        copy_sources(tmp_path / "a longer path", 86_400), "077", TZ="Asia/Tokyo", LC_ALL="C"
    )

    assert len(one) == 2
    assert one == other
