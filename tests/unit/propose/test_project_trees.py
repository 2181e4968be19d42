"""Reading a malicious or unusual tree always ends."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from buildtool.propose import cmake_tree as bounds
from buildtool.propose.cmake_tree import POSSIBLE_HEXAGON, read_tree
from buildtool.propose.target_sides import (
    ARM64_EVIDENCE,
    FASTRPC_EVIDENCE,
    HEXAGON_EVIDENCE,
    PORTED_EVIDENCE,
    PORTED_SOURCE_EVIDENCE,
    SDK_EVIDENCE,
    TextHints,
)

APP = "project(app C)\n"


def write(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)


def test_links_pipes_and_trees_of_others_are_left_alone(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    write(elsewhere, {"CMakeLists.txt": APP})
    for folder in (".git", "build", "build-v73", "third_party/z", "cmake-build-debug", "made"):
        write(tmp_path, {f"{folder}/CMakeLists.txt": APP})
    (tmp_path / "made/CMakeCache.txt").touch()
    (tmp_path / "round").symlink_to(".")
    (tmp_path / "away").symlink_to(elsewhere)
    for folder in ("linked", "looped", "pipe", "own"):
        (tmp_path / folder).mkdir()
    (tmp_path / "linked/CMakeLists.txt").symlink_to(elsewhere / "CMakeLists.txt")
    (tmp_path / "looped/CMakeLists.txt").symlink_to("CMakeLists.txt")
    os.mkfifo(tmp_path / "pipe/CMakeLists.txt")
    write(tmp_path, {"own/CMakeLists.txt": APP, "own/a.idl": "", "own/remote.idl": ""})

    found = read_tree(tmp_path)

    assert found.listings == ("own",)
    assert found.interfaces == ("own/a.idl",)
    assert len(found.unread) == 3
    assert all("is not a file of at most" in what for what in found.unread)


def test_a_third_party_tree_for_the_dsp_is_read_if_it_is_added(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    dsp = APP + "add_subdirectory(vendor/http)\nset(HEXAGON_SDK_ROOT $ENV{HEXAGON_SDK_ROOT})\n"
    write(elsewhere, {"CMakeLists.txt": dsp})
    added = ("vendor/engine", "Third_Party/tests", "vendor/away", "../elsewhere", "vendor/none")
    write(
        tmp_path,
        {
            "CMakeLists.txt": APP + "".join(f"add_subdirectory({name})\n" for name in added),
            "vendor/engine/CMakeLists.txt": dsp + "add_subdirectory(vendor/ops)\n",
            "vendor/engine/htp/a.idl": "",
            "vendor/engine/vendor/http/CMakeLists.txt": APP,
            "vendor/engine/vendor/ops/CMakeLists.txt": dsp + "add_subdirectory(../../)\n",
            "vendor/other/CMakeLists.txt": dsp,
            "Third_Party/tests/CMakeLists.txt": APP,
        },
    )
    (tmp_path / "vendor/away").symlink_to(elsewhere)

    found = read_tree(tmp_path)

    assert found.listings == (".", "vendor/engine", "vendor/engine/vendor/ops")
    assert found.interfaces == ("vendor/engine/htp/a.idl",)


def test_names_that_are_not_printable_are_left_out(tmp_path: Path) -> None:
    for name in (b"line\nbreak", b"not \xff utf-8", b"\x1b[31mred"):
        folder = os.fsencode(tmp_path) + b"/" + name
        os.mkdir(folder)  # noqa: PTH102 - a name that is not text
        Path(os.fsdecode(folder), "CMakeLists.txt").write_text(APP, encoding="utf-8")
    assert read_tree(tmp_path).files == {}


@pytest.mark.parametrize(
    ("bound", "value", "message"),
    [("MAX_TOTAL", 100, "of its CMake files"), ("MAX_ENTRIES", 20, "of its directories")],
)
def test_a_tree_that_is_too_large_is_read_in_part(
    bound: str, value: int, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bounds, bound, value)
    write(tmp_path, {f"part{n:03}/CMakeLists.txt": APP for n in range(15)})
    found = read_tree(tmp_path)
    assert 0 < len(found.files) < 15
    assert message in found.unread[0]


def test_a_file_that_is_too_large_is_not_read(tmp_path: Path) -> None:
    write(tmp_path, {"big/CMakeLists.txt": APP + "#" * bounds.MAX_BYTES})
    found = read_tree(tmp_path)
    assert found.unread == (
        "big/CMakeLists.txt is not a file of at most 256 KiB below this directory",
    )


@pytest.mark.parametrize(
    "piece",
    [
        *("project(", "add_subdirectory(a (", '"', '"\\"', "#[[", "#[==[\n", "${", "( ( (", "))"),
        *("if(NOT ", "CMAKE_SYSTEM_NAME ", "hexagon ", "#if ", "a;b\n", "\\", "#\n"),
    ],
)
def test_a_text_without_an_end_has_one(piece: str, tmp_path: Path) -> None:
    started = time.monotonic()
    repeated = piece * (bounds.MAX_BYTES // len(piece) - 20)
    write(tmp_path, {"CMakeLists.txt": APP + repeated})
    hints = TextHints(read_tree(tmp_path))
    signs = (HEXAGON_EVIDENCE, POSSIBLE_HEXAGON, ARM64_EVIDENCE, SDK_EVIDENCE)
    for sign in (*signs, FASTRPC_EVIDENCE, PORTED_EVIDENCE, PORTED_SOURCE_EVIDENCE):
        hints.search(sign, ".")
    assert not hints.is_only_for_dsp(["CMakeLists.txt"])
    assert "." in hints.projects
    assert time.monotonic() - started < 30
