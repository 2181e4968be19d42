"""Programs that run as an ordinary user, even if the tests run as root.

Root without capabilities is bound by the permissions of files like any other user.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

OTHER = 65534
"""The ID of a user other than the one that runs the tests."""
_DROPPED = ("setpriv", "--bounding-set=-all", "--inh-caps=-all")


def unprivileged() -> tuple[str, ...]:
    """The prefix of a command that runs without privileges; skips the test if privileges cannot be
    dropped."""
    if os.geteuid():
        return ()
    if not shutil.which("setpriv") or subprocess.run([*_DROPPED, "true"], check=False).returncode:
        pytest.skip("privileges cannot be dropped here")
    return _DROPPED


def give_away(*places: Path) -> None:
    """Make another user the owner of `places` and their contents; skips the test if that needs
    root."""
    if os.geteuid():
        pytest.skip("only root can change the owner of files")
    for place in places:
        for path in (place, *place.rglob("*")):
            os.chown(path, OTHER, OTHER, follow_symlinks=False)


def protect(*places: Path) -> None:
    """Remove the write permission of `places` and their contents."""
    for place in places:
        for path in (place, *place.rglob("*")):
            if not path.is_symlink():
                path.chmod(path.stat().st_mode & ~0o222)
