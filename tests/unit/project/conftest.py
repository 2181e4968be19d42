"""A project file with its components."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

Write = Callable[[str], Path]
GOOD = """\
[project]
name = "demo"
version = "1.2.3"

[host.app]
source = "host"
defines = { GREETING = "hi", FAST = true, LEVEL = 3 }

[skel.kernels]
source = "dsp"
archs = ["v68", "v73"]

[target.sim]
platform = "ubuntu-aarch64"
archs = ["v68"]
"""


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str], Path]:
    for side in ("host", "dsp"):
        (tmp_path / side).mkdir()
        (tmp_path / side / "CMakeLists.txt").touch()

    def write_(text: str) -> Path:
        file = tmp_path / "buildtool.toml"
        file.write_text(text)
        return file

    return write_
