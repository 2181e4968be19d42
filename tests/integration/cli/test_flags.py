"""Flags in the project file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.command_line import Buildtool, Edit


@pytest.mark.long
def test_flags_in_defines_follow_those_of_the_profile(
    buildtool: Buildtool, new_project: Path, edit: Edit
) -> None:
    for side in ("host", "dsp"):
        more = f'"{side}"\ndefines = {{ CMAKE_C_FLAGS = "-DX=1", CMAKE_CXX_FLAGS = "-DY" }}'
        edit(new_project / "buildtool.toml", f'"{side}"', more)

    done = buildtool("build", cwd=new_project)

    assert done.returncode == 0, done.stderr
    commands = [*new_project.glob(".buildtool/build/*/*/compile_commands.json")]
    assert len(commands) == 2
    for file in commands:
        for entry in json.loads(file.read_text()):
            words = entry["command"].split()
            assert words.count("-DX=1") == 1
            assert "-DY" not in words
            assert words.index("-DX=1") > words.index("-g")
            assert "-ffile-prefix-map" in entry["command"]
