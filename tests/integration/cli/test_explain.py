"""`buildtool explain` as a process: standard input, permissions, no project."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.command_line import run_buildtool
from tests.integration.unprivileged import unprivileged

PLT = b"CDSP: undefined PLT symbol memalign in ./libscale_skel.so\n"


def test_standard_input(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-P", "-m", "buildtool", "explain", "-"],
        input=b"x\n" * 100_000 + PLT,
        cwd=tmp_path,
        capture_output=True,
        timeout=60,
        check=True,
    )

    assert done.stdout.startswith(b"-: 100,001 lines\n\ncause: skel-undefined-symbol\n")
    assert done.stderr == b""
    assert [*tmp_path.iterdir()] == []


def test_standard_input_that_is_closed(tmp_path: Path) -> None:
    done = subprocess.run(
        ["sh", "-c", 'exec "$0" -P -m buildtool explain - <&-', sys.executable],
        cwd=tmp_path,
        capture_output=True,
        timeout=60,
        check=False,
    )

    assert done.returncode == 1
    assert b"nothing in it is known" in done.stdout
    assert b"Traceback" not in done.stderr


def test_a_log_that_may_not_be_read(tmp_path: Path) -> None:
    (tmp_path / "a.log").write_bytes(PLT)
    (tmp_path / "a.log").chmod(0)

    done = run_buildtool("explain", "a.log", cwd=tmp_path, prefix=unprivileged())

    assert done.returncode == 1
    assert done.stdout == ""
    assert "a.log cannot be read: Permission denied" in done.stderr
