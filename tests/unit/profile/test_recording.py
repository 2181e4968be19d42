"""Recordings of the emulated DSP: modules, samples and counts; what is damaged is left out."""

from __future__ import annotations

import random
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from buildtool.diagnose.module_files import DebugFiles
from buildtool.run.profile import recording
from buildtool.run.profile.files import write_files
from buildtool.run.profile.module_code import ModuleCode
from buildtool.run.profile.profile import make_profile
from buildtool.run.profile.recording import Module, Recording, read_recording

LINES = """\
7 m 3fe1e000 3fe10000 3fe40000 liba b_skel.so
7 t 3fe30010 3fe1f004
7 t 3fe30040 3fe1f104
7 s 1 3fe1f9e0 3fe1f804 3fe1f6a0
7 s 2 3fe1f9e0 3fe1f804 3fe1f6a0
7 s 1 00060b78 00060b74
7 c 3fe1f960 3fe1f9d8 104000
7 c 3fe1f960 3fe1f9d8 18446744073709551615
8 d
"""
words = st.sampled_from(
    ["7", "m", "s", "c", "t", "d", "0", "-1", "ffffffff", "3fe1f9e0", "", "9" * 30, "\x1b[2J", "é"]
)


def recorded(text: str) -> Recording:
    made = Recording()
    for line in text.splitlines():
        made.add(line)
    made.finish()
    return made


def profile_of(made: Recording, folder: Path) -> None:
    """Make all that is made of a recording."""
    missing = ModuleCode(folder / "missing")
    profile = make_profile(made, {"liba b_skel.so": missing}, missing, DebugFiles(folder), "")
    write_files(folder / "profile", "title", profile)


def test_lines_of_a_process() -> None:
    found = recorded(LINES)

    assert found.modules == {7: [Module(7, 0x3FE1E000, 0x3FE10000, 0x3FE40000, "liba b_skel.so")]}
    assert found.stacks[7, (0x3FE1F9E0, 0x3FE1F804, 0x3FE1F6A0)] == 3
    assert found.blocks[7, 0x3FE1F960, 0x3FE1F9D8] == 104000 + (1 << 64) - 1
    assert found.unsampled == 1
    assert found.origin((7, 0x3FE30020)) == 0x3FE1F004
    assert found.origin((7, 0x3FE30044)) == 0x3FE1F104
    assert found.origin((7, 0x3FE1F9E0)) == 0x3FE1F9E0
    assert found.module_at((8, 0x3FE1F9E0)) is None


def test_damaged_lines_are_left_out(tmp_path: Path) -> None:
    file = tmp_path / "profile"
    file.write_bytes(
        b"x m 1 2 3 a\n7 m 1 2\n7 s 1 -5\n7 s one 5\n7 c 1 2 -3\n\xff\n7 s 1 "
        + b"1 " * 9000
        + b"\n7 d"
    )
    found = read_recording(file)

    assert not found.modules
    assert not found.blocks
    assert found.stacks == {(7, (1,) * recording.MAX_ADDRESSES): 1}
    assert read_recording(tmp_path / "missing").stacks.total() == 0


@given(st.lists(st.lists(words, max_size=7).map(" ".join), max_size=30))
def test_random_lines_make_a_profile(tmp_path_factory: object, lines: list[str]) -> None:
    made = recorded("\n".join([*LINES.splitlines(), *lines]))
    profile_of(made, tmp_path_factory.mktemp("random"))  # type: ignore[attr-defined]


def test_random_bytes_make_a_profile(tmp_path: Path) -> None:
    numbers = random.Random(1)
    text = bytearray(LINES.encode() * 50)
    for _ in range(400):
        text[numbers.randrange(len(text))] = numbers.randrange(256)
    file = tmp_path / "recording"
    file.write_bytes(bytes(text))
    found = read_recording(file)
    assert found.stacks.total() > 50
    profile_of(found, tmp_path)
