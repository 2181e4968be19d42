"""Output trees, read from disk and from untrusted JSON."""

from __future__ import annotations

import json
import os
import socket
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from buildtool.cache.outputs import (
    Output,
    OutputsError,
    outputs_as_json,
    outputs_digest,
    outputs_from_json,
    read_outputs,
)

SHA = "5" * 64


def file(path: str, **changes: Any) -> dict[str, Any]:
    return {"path": path, "kind": "file", "digest": SHA, "size": 3, **changes}


def link(path: str, target: str) -> dict[str, Any]:
    return {"path": path, "kind": "link", "target": target}


def test_a_tree_is_read_with_modes_and_links(tmp_path: Path) -> None:
    (tmp_path / "lib" / "empty").mkdir(parents=True)
    (tmp_path / "lib" / "libx.so.1").write_bytes(b"abc")
    (tmp_path / "lib" / "libx.so").symlink_to("libx.so.1")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "run").write_bytes(b"")
    (tmp_path / "bin" / "run").chmod(0o751)
    outputs = read_outputs(tmp_path)
    abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    nothing = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    assert outputs == (
        Output("bin/run", "executable", nothing, 0),
        Output("lib/libx.so", "link", target="libx.so.1"),
        Output("lib/libx.so.1", "file", abc, 3),
    )
    assert outputs_from_json(json.loads(json.dumps(outputs_as_json(outputs)))) == outputs
    assert outputs_digest(outputs) == outputs_digest(outputs[::-1])


def test_each_field_changes_the_digest() -> None:
    trees = [
        [file("a")],
        [file("b")],
        [file("a", kind="executable")],
        [file("a", digest="6" * 64)],
        [link("a", "b")],
        [link("a", "c")],
        [],
    ]
    assert len({outputs_digest(outputs_from_json(tree)) for tree in trees}) == len(trees)


@pytest.mark.parametrize("what", ["socket", "pipe", "absolute link", "link out of it"])
def test_what_cannot_be_kept_is_refused(
    what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # a socket's path must be short
    match what:
        case "socket":
            with socket.socket(socket.AF_UNIX) as one:
                one.bind("thing")
        case "pipe":
            os.mkfifo("thing")
        case "absolute link":
            Path("thing").symlink_to("/etc/passwd")
        case _:
            Path("thing").symlink_to("../thing")
    with pytest.raises(OutputsError, match="thing"):
        read_outputs(tmp_path)


def test_a_link_to_a_directory_is_not_walked_into(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "one" / "file").touch()
    (tmp_path / "two").symlink_to("one")
    assert [output.path for output in read_outputs(tmp_path)] == ["one/file", "two"]


@pytest.mark.parametrize(
    "tree",
    [
        {"path": "a"},
        None,
        ["a"],
        [file("/etc/passwd")],
        [file("../a")],
        [file("a/../../b")],
        [file("a//b")],
        [file("./a")],
        [file("a/")],
        [file("")],
        [file("a\0b")],
        [file("a\ud800")],
        [file("x" * 256)],
        [file("/".join("x" * 65))],
        [file("a", size=-1)],
        [file("a", size=True)],
        [file("a", size=1.0)],
        [file("a", size=1 << 41)],
        [file(f"{n}", size=1 << 38) for n in range(5)],
        [file("a", digest="../../" + SHA[6:])],
        [file("a", digest=SHA.upper().replace("5", "A"))],
        [file("a", digest=SHA + "\n")],
        [file("a", kind="device")],
        [file("a", kind=["file"])],
        [file("a", mode=0o4755)],
        [file("a"), file("a")],
        [file("a"), file("a/b")],
        [file("a"), file("a-b"), file("a/b")],
        [link("a", "b"), file("a/c"), file("b/c")],
        [link("a", "/etc")],
        [link("a", "..")],
        [link("a", "")],
        [link("a", "b\0")],
        [link("a/b", "../../c")],
        [link("a", "a")],
        [link("a", "b"), link("b", "a")],
        [link(f"{n}", f"{n + 1}") for n in range(41)],  # Linux follows 40
        # The text stays inside, but the kernel leads outside: s/d is the top directory.
        [link("s/d", ".."), link("s/l", "d/../x")],
        [link("l", "d/../../x"), link("d", "s/deep"), link("s/deep", "../t")],
    ],
)
def test_hostile_descriptions_are_refused(tree: Any) -> None:
    with pytest.raises(OutputsError):
        outputs_from_json(tree)


@pytest.mark.parametrize(
    "tree",
    [
        [],
        [file("..a"), file("a..b/...")],
        [link("lib/a", "../bin/a"), file("bin/a")],
        [link("d", "s/deep"), file("s/deep/f"), link("l", "d/../g"), file("s/g")],
        [link("dangling", "not/shipped")],
        [file("a"), file("a-b"), file("a.b/c")],
        [link(f"{n}", f"{n + 1}") for n in range(40)],
    ],
)
def test_honest_descriptions_are_not(tree: Any) -> None:
    assert outputs_as_json(outputs_from_json(tree)) == sorted(tree, key=lambda one: one["path"])


def test_links_that_would_keep_us_for_long_are_refused() -> None:
    around = "x/" * 60 + "../" * 60
    with pytest.raises(OutputsError, match="leads out"):
        outputs_from_json([link(f"{n}", f"{around}y") for n in range(20_000)])


NAMES = st.sampled_from(["a", "b", "c", "..", "."])
PATHS = st.lists(NAMES, min_size=1, max_size=4).map("/".join)


@given(st.lists(st.one_of(PATHS.map(file), st.builds(link, PATHS, PATHS)), max_size=6))
def test_an_accepted_tree_never_leads_out(tmp_path_factory: Any, tree: list[Any]) -> None:
    """In a tree on disk, the kernel follows each link to a path inside the tree."""
    try:
        outputs = outputs_from_json(tree)
    except OutputsError:
        return
    top = tmp_path_factory.mktemp("tree").resolve()
    for output in outputs:
        path = top / output.path
        path.parent.mkdir(parents=True, exist_ok=True)
        assert path.parent.resolve().is_relative_to(top)
        path.symlink_to(output.target) if output.kind == "link" else path.touch()
    for output in outputs:
        assert (top / output.path).resolve().is_relative_to(top)
