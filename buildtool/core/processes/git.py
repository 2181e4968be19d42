"""Runs git on the repository of a project."""

from __future__ import annotations

import os
import re
from pathlib import Path

from buildtool.core.processes.process import capture, check

GIT_SECONDS = 600.0
_LOCAL = re.compile(r"GIT_(DIR|WORK_TREE|INDEX_FILE|PREFIX|COMMON_DIR|OBJECT_DIRECTORY)")
"""Variables with which git runs hooks: they name the repository of the user's tree."""


def git(directory: Path, *arguments: str) -> str:
    """The output of a git command, with the warnings that it prints; raises `ToolError` when it
    fails."""
    environment = {
        **{name: value for name, value in os.environ.items() if not _LOCAL.fullmatch(name)},
        "LC_ALL": "C",
        "GIT_TERMINAL_PROMPT": "0",
    }
    command = ["git", "-C", str(directory), "-c", "core.hooksPath=/dev/null", *arguments]
    done = capture(command, env=environment, timeout=GIT_SECONDS)
    check(done, f"git {arguments[0]}")
    return done.output.rstrip("\n")
