"""The owner of a compile_commands.json without a record of who wrote it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from buildtool.ide.write_files import write_database
from buildtool.project.model import Header, Project


@pytest.mark.parametrize(
    ("text", "ours"),
    [
        ('[{"directory": "PROJECT/.buildtool/build/app/0123", "file": "a.c"}]', True),
        ('[{"directory": "PROJECT/build", "file": "a.c"}]', False),
        ('[{"directory": "PROJECT/.buildtool/build/a/0"}, {"directory": "PROJECT"}]', False),
        ('[{"directory": "PROJECT/.buildtool/build-mine"}]', False),
        ('[{"file": "a.c"}]', False),
        ('[{"directory": 1}]', False),
        ('{"directory": 1}', False),
        ("[]", False),
        ("[" * 100_000, False),
        ("\udc80", False),
    ],
)
def test_after_the_state_was_deleted(text: str, ours: bool, tmp_path: Path) -> None:
    place = tmp_path / "compile_commands.json"
    data = text.replace("PROJECT", str(tmp_path)).encode(errors="surrogateescape")
    place.write_bytes(data)

    written = write_database(Project(tmp_path, Header(name="p"), {}, {}, {}), [])

    assert (written.path == place, written.note == "") == (ours, ours)
    assert (place.read_bytes() == data) == (not ours)
    if ours:  # the file is recorded
        record = json.loads((tmp_path / ".buildtool/ide/written.json").read_text())
        assert list(record) == [place.name]
