"""Programs that run in a mount namespace with more file systems mounted."""

from __future__ import annotations

import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.command_line import REPOSITORY

needs_unshare = pytest.mark.skipif(not shutil.which("unshare"), reason="there is no unshare")


def small_disk(place: Path, size: str) -> str:
    """The command that mounts an empty file system of `size` (`64m`) on the directory `place`."""
    return f"mount -t tmpfs -o size={size} none {shlex.quote(str(place))}"


def mounted(mount: str, *program: str, seconds: float = 60) -> str:
    """Run a program after the command `mount`; returns its output.

    Skips the test if this user may not mount.
    """
    unshare = ["unshare", "--mount"]
    if subprocess.run([*unshare, "true"], check=False, capture_output=True).returncode:
        unshare.append("--map-root-user")
    script = f"mount --make-rprivate / && {mount}"
    trial = subprocess.run(
        [*unshare, "sh", "-c", script], check=False, capture_output=True, text=True
    )
    if trial.returncode:
        pytest.skip(f"this user may not mount: {trial.stderr.strip()}")
    done = subprocess.run(
        [*unshare, "sh", "-ec", f"{script}; exec {shlex.join(program)}"],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        timeout=seconds,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
