"""The page about `--watch`: its command prints what the page says."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from tests.command_line import REPOSITORY, run_buildtool
from tests.device.docs.test_docs import blocks
from tests.device.watch.watched import Watched


@pytest.mark.usefixtures("earlier_builds")
def test_the_page_prints_what_it_says(tmp_path: Path) -> None:
    text = (REPOSITORY / "docs" / "watch.md").read_text(encoding="utf-8")
    (command,) = blocks(text, "shell")
    (printed,) = blocks(text[text.index(command) + len(f"{command}```") :], "")
    root = tmp_path / "my-project"
    root.mkdir()
    assert run_buildtool("init", "--template", "hvx", cwd=root).returncode == 0
    program, run, *arguments, watch = shlex.split(command)
    assert (program, run, watch) == ("buildtool", "run", "--watch")
    with Watched(root, *arguments) as watched:
        watched.prints("waiting for changes")
        kernel = root / "dsp/src/my_project_dsp_imp.c"
        kernel.write_text(kernel.read_text() + "\nint more(void);\nint more(void) { return 1; }\n")
        watched.prints("waiting for changes")
        lines = [line.rstrip("\n") for line in watched.lines]
    start = next(at for at, line in enumerate(lines) if line.startswith("my-project: "))
    assert without_times(lines[start:]) == without_times(printed.splitlines())


def without_times(lines: list[str]) -> list[str]:
    """A cache may have the kernel."""
    return [re.sub(r"\d+\.\d+ s", "T", line).replace("restored", "built") for line in lines]
