"""Presets files: their content, and the difference between generated and the user's files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from buildtool.plan.presets import (
    INCLUDED_PRESETS,
    USER_PRESETS,
    Preset,
    empty_written,
    presets_text,
    written_here,
)


def preset(base: str = "") -> Preset:
    return Preset(
        name="buildtool-sim",
        title="demo",
        tree=Path("/p/tree"),
        cmake=Path("/p/cmake"),
        cache={"CMAKE_TOOLCHAIN_FILE": "/p/t.cmake", "A": "$x", "B:PATH": "/b"},
        environment={"KEY": "$value"},
        base=base,
        targets=("all",),
    )


def test_a_preset() -> None:
    content = json.loads(presets_text([preset("theirs")], ["CMakePresets.json"]))

    (configure,), (build,) = content["configurePresets"], content["buildPresets"]
    assert content["include"] == ["CMakePresets.json"]
    assert configure["inherits"] == "theirs"
    assert configure["toolchainFile"] == "/p/t.cmake"
    assert configure["binaryDir"] == "/p/tree"
    assert configure["cacheVariables"] == {
        "A": "${dollar}x",
        "B": {"type": "PATH", "value": "/b"},
    }
    assert configure["environment"]["KEY"] == "${dollar}value"
    assert configure["environment"]["CFLAGS"] is None
    assert build == {
        "name": "buildtool-sim",
        "configurePreset": "buildtool-sim",
        "targets": ["all"],
    }
    assert "inherits" not in json.loads(presets_text([preset()]))["configurePresets"][0]


def test_a_file_is_ours_until_it_is_edited(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text(presets_text([preset()]))
    assert written_here(file)
    file.write_text(json.dumps(json.loads(file.read_text())))
    assert written_here(file), "the layout of the text does not matter"
    file.write_text(file.read_text().replace("/p/tree", "/p/other"))
    assert not written_here(file)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"[]",
        b"null",
        b'{"vendor": null}',
        b'{"vendor": {"buildtool": {}}}',
        b'{"version": 4, "configurePresets": []}',
        b"\xff\xfe",
        b"[" * 100_000,
        b'{"version": ' + b"9" * 5000 + b"}",
    ],
)
def test_anything_else_is_a_persons(data: bytes, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(data)
    assert not written_here(tmp_path / "file")


def test_no_file_and_links_are_not_ours(tmp_path: Path) -> None:
    (tmp_path / "file").write_text(presets_text([]))
    (tmp_path / "link").symlink_to("file")
    assert not written_here(tmp_path / "link")
    assert not written_here(tmp_path / "none")
    assert not written_here(tmp_path)


def test_only_what_was_written_here_is_emptied(tmp_path: Path) -> None:
    theirs = '{"version": 4}'
    (tmp_path / USER_PRESETS).write_text(theirs)
    (tmp_path / INCLUDED_PRESETS).write_text(presets_text([preset("gone")]))

    empty_written(tmp_path)

    assert (tmp_path / USER_PRESETS).read_text() == theirs
    assert json.loads((tmp_path / INCLUDED_PRESETS).read_text())["configurePresets"] == []
    assert written_here(tmp_path / INCLUDED_PRESETS)
