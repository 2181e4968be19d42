"""A separate PATH for each test, and copies of Debian's compilers that tests may modify."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from buildtool.sdk.gnu_compilers import CROSS


@pytest.fixture(autouse=True)
def _no_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("BUILDTOOL_GCC_AARCH64", "BUILDTOOL_CLANG"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty directory, the only one in PATH."""
    folder = tmp_path / "some programs"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    return folder


def script(place: Path, text: str) -> Path:
    place.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    place.chmod(0o755)
    return place


@pytest.fixture
def gcc_copy(tmp_path: Path) -> Path:
    """The C compiler of a copy of Debian's cross gcc, which consists of links.

    gcc finds its parts relative to itself, so the copy is complete, and tests can remove parts.
    """
    real = shutil.which(CROSS)
    assert real, "apt-get install g++-aarch64-linux-gnu"
    output = subprocess.run(
        [real, "-print-search-dirs"], capture_output=True, text=True, check=True
    )
    match = re.search(r"^install: /usr/(.+)/$", output.stdout, re.MULTILINE)
    assert match
    inner = match[1]  # lib/gcc-cross/aarch64-linux-gnu/12
    prefix = tmp_path / "prefix"
    for folder in (inner, "aarch64-linux-gnu/lib", "aarch64-linux-gnu/bin"):
        (prefix / folder).mkdir(parents=True)
        for file in Path("/usr", folder).iterdir():
            (prefix / folder / file.name).symlink_to(file.resolve())
    (prefix / "aarch64-linux-gnu" / "include").symlink_to("/usr/aarch64-linux-gnu/include")
    (prefix / "bin").mkdir()
    for name in (CROSS, CROSS.replace("gcc", "g++")):
        shutil.copy(Path("/usr/bin", name).resolve(), prefix / "bin" / name)
    return prefix / "bin" / CROSS


def replace(file: Path, data: bytes) -> None:
    """Replace a file, which may be a link, by another one."""
    fresh = file.with_name("fresh")
    fresh.write_bytes(data)
    fresh.chmod(0o755)
    os.replace(fresh, file)  # noqa: PTH105
