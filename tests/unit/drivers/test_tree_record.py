"""The record of a build tree, stamps of its files, and deleting only files in it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from buildtool.core.files import read_checksummed, write_checksummed
from buildtool.drivers.cmake.tree_files import delete, delete_files, stamps
from buildtool.drivers.cmake.tree_record import (
    RECORD_FILE,
    Configuration,
    TreeRecord,
    read_tree_record,
    write_tree_record,
)
from buildtool.inputs.path_sets import InputSet, PathSet

PATHS = PathSet.of(["{project}/CMakeLists.txt", "{project}/a.c"])
CONFIGURE = PathSet.of(["{project}/CMakeLists.txt"])
DIGESTS = {"{project}/CMakeLists.txt": "a" * 64, "{project}/a.c": "b" * 64}
WHOLE = TreeRecord(
    base_key="f" * 64,
    build_finished=True,
    inputs=InputSet(PATHS, DIGESTS, (), {}),
    configuration=Configuration(
        CONFIGURE, PATHS, frozenset({"/tree/a.o", "/tree/b"}), frozenset({"/tree/b"})
    ),
    declared_inputs=PathSet.of(["{project}/a.c"]),
    install_inputs=PathSet.of(),
    products={"a.o": (1, 2, 3, 4)},
    generated_files={"build.ninja": ((1, 2, 3, 4), "c" * 64)},
    file_api_index="index-1.json",
    pending_changes=("{project}/a.c",),
    undeclared={"copy": ((1, 2, 3, 4), ("/tree/b",))},
    undeclared_reads={"copy": ((1, 2, 3, 4), "c" * 64)},
)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    tree = tmp_path / "project" / "tree"
    (tree / "sub").mkdir(parents=True)
    for name in ("a.o", "sub/b.o", "../source.c"):
        (tree / name).write_text(name)
    return tree


def test_a_record_is_read_as_it_was_written(tree: Path) -> None:
    write_tree_record(tree, WHOLE)

    assert read_tree_record(tree) == WHOLE


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("version", 1),
        ("inputs", {}),
        ("inputs", None),
        ("configuration.cmake_inputs", {"files": ["a.c"], "absent": [], "globs": []}),
        ("configuration.rule_inputs", {"files": "a.c", "absent": [], "globs": []}),
        ("configuration.rule_outputs", 7),
        ("configuration.unneeded_outputs", None),
        ("declared_inputs", {}),
        ("install_inputs", []),
        ("products", ["a.o"]),
        ("products", {"a.o": [1, 2, 3]}),
        ("products", {"a.o": [1, 2, 3, 4, 5]}),
        ("products", {"a.o": [1, 2, 3, None]}),
        ("products", {"a.o": [1, 2, 3, float("inf")]}),
        ("products", {"a.o": [1, 2, 3, float("nan")]}),
        ("products", {"a.o": 7}),
        ("generated_files", ["build.ninja"]),
        ("generated_files", {"build.ninja": [1, 2]}),
        ("undeclared", {"copy": [[1, 2, 3, 4]]}),
        ("undeclared", {"copy": [7, ["/tree/b"]]}),
        ("configuration", {}),
        ("configuration.commands", 7),
        ("configuration.external_directories", None),
        ("unreported", {"by_commands": {}}),
    ],
)
def test_an_invalid_record_is_ignored(key: str, value: Any, tree: Path) -> None:
    write_tree_record(tree, WHOLE)
    data = read_checksummed(tree / RECORD_FILE)
    *parents, name = key.split(".")
    (data[parents[0]] if parents else data)[name] = value
    write_checksummed(tree / RECORD_FILE, data)

    assert read_tree_record(tree) is None


@pytest.mark.parametrize("data", [b"", b"{}", b"[]", b"null", b"\xff", b"[" * 100_000])
def test_a_file_that_is_not_a_record_is_ignored(data: bytes, tree: Path) -> None:
    (tree / RECORD_FILE).write_bytes(data)

    assert read_tree_record(tree) is None


def test_a_record_with_a_flipped_bit_is_ignored(tree: Path) -> None:
    write_tree_record(tree, WHOLE)
    data = (tree / RECORD_FILE).read_bytes()
    for at in range(len(data)):
        (tree / RECORD_FILE).write_bytes(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])
        assert read_tree_record(tree) is None


def test_a_new_tree_has_no_record(tmp_path: Path) -> None:
    assert read_tree_record(tmp_path) is None


def test_every_change_of_a_file_changes_its_stamp(tree: Path) -> None:
    def stamp() -> object:
        return stamps(tree, ["a.o"])["a.o"]

    seen = [stamp()]
    assert stamp() == seen[0]
    old = (tree / "a.o").stat()

    (tree / "a.o").write_text("b.o")  # the same size
    os.utime(tree / "a.o", ns=(old.st_atime_ns, old.st_mtime_ns))
    seen.append(stamp())
    (tree / "new").write_text("a.o")
    os.utime(tree / "new", ns=(old.st_atime_ns, old.st_mtime_ns))
    (tree / "new").replace(tree / "a.o")
    seen.append(stamp())
    (tree / "a.o").unlink()
    (tree / "a.o").symlink_to("sub/b.o")
    seen.append(stamp())

    assert len(set(seen)) == 4


def test_a_missing_file_has_no_stamp(tree: Path) -> None:
    names = ["none", "a.o/x", "a\0b", "\ud800", "sub/b.o"]

    assert set(stamps(tree, names)) == {"sub/b.o"}


def test_files_and_symlinks_in_the_tree_are_deleted(tree: Path) -> None:
    (tree / "link").symlink_to("nowhere")
    (tree / "to-source").symlink_to(tree.parent / "source.c")

    assert delete_files(tree, ["a.o", str(tree / "sub/b.o"), "link", "to-source", "none"])

    assert list(tree.iterdir()) == [tree / "sub"]
    assert (tree.parent / "source.c").exists()


def test_nothing_outside_of_the_tree_is_deleted(tree: Path) -> None:
    source = tree.parent / "source.c"
    beside = tree.parent / "tree-2"
    beside.mkdir()
    (beside / "a.o").write_text("")
    (tree / "out").symlink_to(tree.parent)
    (tree / "deep").mkdir()
    (tree / "deep/up").symlink_to("../..")

    for outside in (
        *("../source.c", str(source), "sub/../../source.c", "out/source.c"),
        *("deep/up/source.c", "../tree-2/a.o", str(beside / "a.o")),
    ):
        assert not delete_files(tree, [outside]), outside
    assert delete_files(tree, ["sub", ".", "", "..", "/", "a\0b", "\ud800"])
    assert source.exists()
    assert (beside / "a.o").exists()
    assert (tree / "a.o").exists()


def test_a_tree_may_be_named_through_a_symlink(tree: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").symlink_to(tree.parent)

    assert delete_files(tmp_path / "elsewhere" / "tree", ["sub/b.o"])
    assert not (tree / "sub/b.o").exists()


def test_a_symlink_is_deleted_and_not_its_target(tree: Path) -> None:
    (tree / "link").symlink_to(tree / "sub")

    delete(tree / "link")
    delete(tree / "none")
    assert (tree / "sub/b.o").exists()

    (tree / ".sub.gone").mkdir()  # left by a process that was killed
    delete(tree / "sub")
    assert not (tree / "sub").exists()
    assert not (tree / ".sub.gone").exists()
