"""Globs: the rules that are CMake's are compared with CMake elsewhere; here the ones of our own."""

from __future__ import annotations

from pathlib import Path

import pytest

from buildtool.build.disk import Disk
from buildtool.build.globs import Glob, matches
from buildtool.build.roots import Roots


@pytest.fixture
def roots(tmp_path: Path) -> Roots:
    root = tmp_path / "a [b] *"
    for name in (
        "x.c",
        "d/y.c",
        "d/e/z.c",
        ".buildtool/build/t/m.c",
        ".hidden/h.c",
        "o/.buildtool/k.c",
    ):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).touch()
    (root / "loop").symlink_to(root)
    return Roots({"project": root, "tree": root / ".buildtool/build/t"})


@pytest.mark.parametrize(
    ("glob", "found"),
    [
        (Glob("{project}/*.c"), ["x.c"]),
        (Glob("{project}/*/*.c"), [".hidden/h.c", "d/y.c", "loop/x.c"]),
        (
            Glob("{project}/*.c", recursive=True),
            [".hidden/h.c", "d/e/z.c", "d/y.c", "o/.buildtool/k.c", "x.c"],
        ),
        (Glob("{project}/**/*.c", deep=True), None),
        (Glob("{project}/**", deep=True), None),
        (Glob("{project}/d/**", deep=True), ["d/e/z.c", "d/y.c"]),
        (Glob("{project}/d/**/z.c", deep=True), ["d/e/z.c"]),
        (Glob("{project}/d/*.c", deep=True), ["d/y.c"]),
        (Glob("{project}/x.c", directories=True), ["x.c"]),
        (Glob("{project}/d", directories=True), ["d"]),
        (Glob("{project}/d"), []),
        (Glob("{project}/no/*.c"), []),
        (Glob("{project}/.buildtool/*", recursive=True), []),
        (Glob("{project}/.buildtool", directories=True), []),
        (Glob("{tree}/*.c"), []),
        (Glob("{project}/d/../[x].c"), ["d/../x.c"]),
    ],
)
def test_matches(glob: Glob, found: list[str] | None, roots: Roots) -> None:
    names = [name.removeprefix("{project}/") for name in matches(glob, roots, Disk())]
    if found is None:
        found = [".hidden/h.c", "d/e/z.c", "d/y.c", "loop/x.c", "o/.buildtool/k.c", "x.c"]
        found = found if "loop/x.c" in names else [n for n in found if not n.startswith("loop")]
    assert names == found


def test_a_glob_is_kept_and_told_apart() -> None:
    kinds = [Glob("/a"), Glob("/a", recursive=True), Glob("/a", directories=True)]
    kinds += [Glob("/a", follow=True), Glob("/a", deep=True)]
    assert len({glob.text for glob in kinds}) == len(kinds)
    assert [Glob.from_json(glob.as_json()) for glob in kinds] == kinds
