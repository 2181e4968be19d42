"""Which files are data, where they are in a release, and that they are read once."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from buildtool.core.errors import UsageError
from buildtool.core.events import Event, Note, WorkEnded, Working
from buildtool.deploy.contents import DataFile, find_data
from buildtool.inputs.file_states import FileStates
from buildtool.project.read import parse_project
from tests.opened_files import opened_files

Find = Callable[..., tuple[DataFile, ...]]


@pytest.fixture
def messages() -> list[Event]:
    return []


@pytest.fixture
def find(tmp_path: Path, messages: list[Event]) -> Find:
    """Finds the data of a project with the table `[data.model]`, whose files are the arguments."""

    def find(*files: str, states: FileStates | None = None) -> tuple[DataFile, ...]:
        text = f'[project]\nname = "x"\n[data.model]\nfiles = {list(files)!r}\n'
        project = parse_project(tmp_path / "a project" / "buildtool.toml", text)
        return find_data(project, states or FileStates(), messages.append)

    for name in ("models/a.gguf", "models/b/c.gguf", "models/d.txt", "w e.bin"):
        file = tmp_path / "a project" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(name)
    return find


@pytest.mark.parametrize(
    ("pattern", "paths"),
    [
        ("models/*.gguf", ["data/model/a.gguf"]),
        ("models/**/*.gguf", ["data/model/a.gguf", "data/model/b/c.gguf"]),
        ("models/**", ["data/model/a.gguf", "data/model/b/c.gguf", "data/model/d.txt"]),
        ("models/b/c.gguf", ["data/model/c.gguf"]),
        ("w e.bin", ["data/model/w e.bin"]),
        ("../a project/models/d.*", ["data/model/d.txt"]),
    ],
)
def test_where_files_are_in_the_release(find: Find, pattern: str, paths: list[str]) -> None:
    assert [file.path for file in find(pattern)] == paths


def test_an_absolute_path_and_a_link(find: Find, tmp_path: Path) -> None:
    (tmp_path / "a project/models/link.gguf").symlink_to(tmp_path / "a project/w e.bin")
    (file,) = find(str(tmp_path / "a project/models/link.*"))
    assert (file.path, file.size) == ("data/model/link.gguf", len("w e.bin"))
    assert file.target == f"../../../../../.data/{file.sha256}"


def test_a_pattern_without_files_is_an_error(find: Find) -> None:
    with pytest.raises(UsageError, match="data 'model' has no files") as caught:
        find("models/*.gguf", "models/*.onnx")
    assert "matches 'models/*.onnx'" in caught.value.why


def test_two_files_in_one_place_are_an_error(find: Find, tmp_path: Path) -> None:
    (tmp_path / "a project/models/b/a.gguf").write_text("another")
    with pytest.raises(UsageError, match=r"would be data/model/a\.gguf in"):
        find("models/*.gguf", "models/b/a.gguf")
    assert len(find("models/*.gguf", "models/a.gguf")) == 1


def test_the_second_look_reads_nothing(
    find: Find, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, messages: list[Event]
) -> None:
    monkeypatch.setattr("buildtool.deploy.contents.SLOW_SIZE", 13)
    now = time.time_ns  # files that have just changed may change again
    monkeypatch.setattr("time.time_ns", lambda: now() + 3_000_000_000)
    states = FileStates(tmp_path / "digests")
    first = find("models/*.gguf", states=states)
    states.save()
    assert messages == [
        Note("computing the digest of a.gguf (0 MB)"),
        Working("reading a.gguf", ""),
        WorkEnded("reading a.gguf"),
    ]
    messages.clear()

    with opened_files() as opened:
        assert find("models/*.gguf", states=FileStates(tmp_path / "digests")) == first
    assert not [name for name in opened if name.endswith(".gguf")]
    assert messages == []
