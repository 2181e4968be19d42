"""What is known of files from their paths, links and contents."""

from __future__ import annotations

from pathlib import Path

import pytest

from buildtool.contract.subject import Promise, Subject, read_tree

from .described import arm64, skel, subject

RELEASE = Promise(platform="ubuntu-aarch64")


@pytest.mark.parametrize(
    ("path", "in_release", "elsewhere"),
    [
        ("dsp/v73/libx_skel.so", "v73", "v73"),
        ("dsp/v73/more/libx_skel.so", "v73", "v73"),
        ("usr/lib/demo/dsp/v81/libx_skel.so", "", "v81"),
        ("dsp/v73/dsp/v68/libx.so", "v73", "v68"),
        ("mydsp/v73/libx.so", "", ""),
        ("dsp/v73", "", ""),
        ("dsp/v67/libx.so", "", ""),
        ("dsp/v733/libx.so", "", ""),
        ("lib/libx.so", "", ""),
    ],
)
def test_the_arch_of_a_directory(path: str, in_release: str, elsewhere: str) -> None:
    assert Subject({}, promise=RELEASE).dsp_arch(path) == in_release
    assert Subject({}).dsp_arch(path) == elsewhere


@pytest.mark.parametrize(
    ("path", "in_release", "elsewhere"),
    [
        ("bin/x", True, True),
        ("lib/libx.so", True, True),
        ("lib/more/libx.so", True, True),
        ("lib/arm64-v8a/libx_skel.so", True, False),  # an Android app has skels there
        ("jni/arm64-v8a/libx_skel.so", True, False),
        ("share/x", True, False),
        ("dsp/v68/libx.so", False, False),
        ("x", True, False),
    ],
)
def test_which_files_must_be_for_arm64(path: str, in_release: bool, elsewhere: bool) -> None:
    assert Subject({}, promise=RELEASE).must_be_host(path) is in_release
    assert Subject({}).must_be_host(path) is elsewhere


def test_links_that_lead_to_files_and_directories(tmp_path: Path) -> None:
    links = {
        "lib/libx.so": "libx.so.1",
        "lib/liby.so": "libx.so",
        "lib64": "lib",
        "bin/libx": "../lib/libx.so.1",
        "lib/loop": "loop",
        "lib/a": "b",
        "lib/b": "a",
        "lib/none": "libz.so.1",
        "lib/out": "../../etc/passwd",
        "lib/root": "/lib/libx.so.1",
    }
    places = Subject({"lib/libx.so.1": tmp_path}, links).places

    assert places == {"lib/libx.so.1", "lib/libx.so", "lib/liby.so", "lib64", "bin/libx"}


def test_the_platform_is_read_from_files_that_nothing_is_known_of() -> None:
    assert subject({"a": arm64(needed=["libc.so.6"])}).platform == "ubuntu-aarch64"
    assert subject({"a": arm64(needed=["libc.so"])}).platform == "android"
    assert subject({"a": arm64(android_api=31)}).platform == "android"
    assert subject({"a": arm64(), "b": skel(needed=["libc.so"])}).platform == ""
    assert subject({"a": arm64(needed=["libc.so"])}, RELEASE).platform == "ubuntu-aarch64"


def test_which_files_are_skels() -> None:
    entry = skel()
    named, other = skel(exports=["x"]), skel(exports=["y"])
    files = {"a/libx.so": entry, "a/libx_skel.so": named, "a/liby.so": other, "a/z": other}

    found = subject(files, Promise(skels=frozenset({"a/z"}))).skels()

    assert [path for path, _, _ in found] == ["a/libx.so", "a/libx_skel.so", "a/z"]


def test_a_tree_has_all_but_its_release_json(tmp_path: Path) -> None:
    for name in ("release.json", "b/release.json", "a", "c/d"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("")
    (tmp_path / "c/link").symlink_to("d")
    (tmp_path / "folder").symlink_to("c")

    tree = read_tree(tmp_path)

    assert list(tree.files) == ["a", "b/release.json", "c/d"]
    assert tree.links == {"c/link": "d", "folder": "c"}
