"""A login shell that prints before a script and after it, as `echo` in a .bashrc makes it."""

from __future__ import annotations

from pathlib import Path

SHELL = """#!/bin/sh
trap : INT # a terminal sends it to this shell, too
printf 'Welcome\\nexit 0\\nheld'
printf 'Warning\\n' >&2
/bin/sh "$@"
status=$?
printf 'Goodbye\\n'
printf 'exit 0\\nBye' >&2
exit "$status"
"""


def noisy_shell(path: Path) -> str:
    """Make the shell; returns its path."""
    path.write_text(SHELL, encoding="utf-8")
    path.chmod(0o755)
    return str(path)
