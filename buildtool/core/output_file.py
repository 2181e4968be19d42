"""Checks a file that an option names for output, before the work whose result it gets."""

from __future__ import annotations

import os
from pathlib import Path

from buildtool.core.errors import UsageError


def check_output_file(option: str, file: Path, example: str) -> None:
    """Raise `UsageError` when `file`, named with `option`, cannot be replaced; changes nothing."""
    if os.path.lexists(file) and not file.is_file():
        raise UsageError(
            f"{option} {file}: it is not a file",
            why="the result replaces it as a whole",
            remedy=f"Name a file that is new or may be replaced: {option} {example}",
        )
