"""The tutorial: each command, what it prints, and the pictures that a script draws of that.

BUILDTOOL_UPDATE_GOLDEN=1 draws those of the page again.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from tests.command_line import REPOSITORY

PAGE = REPOSITORY / "docs" / "tutorial.md"
PICTURES = REPOSITORY / "docs" / "pictures"
CRASH = "buildtool run sim --strict -- bin/brighten\n"
SHOWN = {
    "terminal": ["$ " + CRASH.strip(), "brighten: failed: 0x8000040d", "1 byte past the end of"],
    "report": [
        "buffer",
        "1 byte past the end of parameter 'result' of",
        "at",
        "photo_dsp_imp.c:85",
    ],
    "flame-graph": ["photo_dsp_brighten", "_skel_photo_dsp_brighten", "memcpy", "all"],
}
"""Texts in each picture."""
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


def has_its_texts(name: str, picture: Path) -> bool:
    """Whether a picture is not wider than half a page, and has the texts of `SHOWN`."""
    drawing = ET.parse(picture).getroot()
    text = "\n".join(drawing.itertext())
    return int(drawing.attrib["width"]) <= 500 and all(each in text for each in SHOWN[name])


@pytest.mark.parametrize("name", SHOWN)
def test_the_page_has_the_picture(name: str) -> None:
    assert f"](pictures/{name}.svg)" in PAGE.read_text()
    assert has_its_texts(name, PICTURES / f"{name}.svg")


@pytest.mark.usefixtures("earlier_builds")
def test_the_commands_print_what_the_page_says(tmp_path: Path) -> None:
    programs = Path(sys.executable).parent
    folder, of_crash = tmp_path, ""

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
        if fails and script == CRASH:
            of_crash = f"$ {script}{done.stdout}"

    update = os.environ.get("BUILDTOOL_UPDATE_GOLDEN") == "1"
    pictures = PICTURES if update else tmp_path / "pictures"
    script = str(REPOSITORY / "scripts" / "tutorial_pictures.py")
    command = [sys.executable, script, str(folder), str(pictures)]
    subprocess.run(command, input=of_crash, text=True, check=True)
    assert [name for name in SHOWN if not has_its_texts(name, pictures / f"{name}.svg")] == []
