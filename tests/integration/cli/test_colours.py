"""Colours on a real terminal."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.parametrize(("no_color", "coloured"), [("", True), ("1", False)])
def test_colours_are_for_terminals(no_color: str, coloured: bool, tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "80", "NO_COLOR": no_color}
    with subprocess.Popen(
        [sys.executable, "-P", "-m", "buildtool", "doctor"],
        cwd=tmp_path,
        env=environment,
        stdout=theirs,
    ) as process:
        os.close(theirs)
        text = b""
        while True:
            try:
                text += os.read(ours, 65536)
            except OSError:  # the other end is closed
                break
    os.close(ours)
    assert process.returncode == 0
    assert b"ready" in text
    assert (b"\x1b[32mready\x1b[0m" in text) is coloured
