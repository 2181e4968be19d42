"""The tutorial: each command, and what it prints."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from tests.command_line import REPOSITORY

PAGE = REPOSITORY / "docs" / "tutorial.md"
FENCED = re.compile(r"^```(sh|sh fails|)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def is_printed(shown: str, printed: str) -> bool:
    """Whether `printed` has the lines of `shown` in this order; `…` stands for any text, and alone
    for any lines."""
    lines = iter(printed.splitlines())
    patterns = [re.escape(line).replace("…", ".*") for line in shown.splitlines() if line != "…"]
    return all(any(re.fullmatch(pattern, line) for line in lines) for pattern in patterns)


def steps() -> Iterator[tuple[str, bool, str]]:
    """Commands, whether the last one fails, and what is shown of their output."""
    blocks = [(match[1], match[2]) for match in FENCED.finditer(PAGE.read_text())]
    for (language, text), (next_language, shown) in pairwise([*blocks, ("sh", "")]):
        if language:
            yield text, "fails" in language, "" if next_language else shown


@pytest.mark.usefixtures("earlier_builds")
def test_the_commands_print_what_the_page_says(tmp_path: Path) -> None:
    programs = Path(sys.executable).parent
    folder = tmp_path

    for script, fails, shown in steps():
        done = subprocess.run(
            ["sh", "-euc", script],
            cwd=folder,
            env={**os.environ, "PATH": f"{programs}:{os.environ['PATH']}"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        assert (done.returncode != 0) == fails, done.stdout
        assert is_printed(shown, done.stdout), done.stdout
        folder = tmp_path / "photo"
