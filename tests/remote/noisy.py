"""A shell that prints before the script of a session and after it, as `echo` in a .bashrc does."""

from __future__ import annotations

import shutil
from pathlib import Path

SHELL = """#!{shell}
[ -z "$NOISY" ] || exec {shell} "$@" # only the first shell of a session
export NOISY=1
trap : INT # a terminal sends it to this shell, too
printf 'Welcome\\nexit 0\\nheld'
printf 'Warning\\n' >&2
{shell} "$@"
status=$?
printf 'Goodbye\\n'
printf 'exit 0\\nBye' >&2
exit "$status"
"""
QUIET = {"NOISY": "1"}
"""The environment in which the shell prints nothing."""


def noisy_shell(directory: Path, shell: Path) -> Path:
    """Make the shell in `directory`; it runs scripts by a copy of `shell`, in whose place it is."""
    copy = shutil.copy(shell, directory / "sh")
    program = directory / "noisy"
    program.write_text(SHELL.format(shell=copy), encoding="utf-8")
    program.chmod(0o755)
    return program
