"""Reading any text as a project file raises only the reader's own error."""

from __future__ import annotations

import contextlib
import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from buildtool.project.read import ProjectError, read_project
from tests.conftest import LONG

WORDS = st.sampled_from(
    [
        *("[project]", "[host.a]", "[skel.b]", "[target.sim]", "[[host]]", "nan", "1979-05-27"),
        *("name", "source", "archs", "defines", "platform", "default-target", "true", "3"),
        *('"x"', '"."', '"v68"', '"ubuntu-aarch64"', '"""', "\\", "\0", "#", "\n"),
        *("=", "{", "}", "[", "]", ",", "."),
    ]
)
GOOD = '[project]\nname = "demo"\n\n[skel.k]\nsource = "."\narchs = ["v68"]\n\n[target.sim]\n'


def read(text: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "buildtool.toml")
        file.write_bytes(text)
        Path(folder, "CMakeLists.txt").touch()
        with contextlib.suppress(ProjectError):
            read_project(file)


@given(st.lists(WORDS, max_size=60))
def test_random_words(words: list[str]) -> None:
    read(" ".join(words).encode())


@given(st.binary(max_size=200))
def test_random_bytes(data: bytes) -> None:
    read(data)


@settings(max_examples=2000 if LONG else 40)
@given(st.data())
def test_mutations_of_a_good_file(data: st.DataObject) -> None:
    text = GOOD + 'platform = "ubuntu-aarch64"\narchs = ["v68"]\n'
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(text)))
        end = data.draw(st.integers(start, min(len(text), start + 8)))
        text = text[:start] + data.draw(st.text(max_size=4)) + text[end:]
    read(text.encode(errors="surrogateescape"))
