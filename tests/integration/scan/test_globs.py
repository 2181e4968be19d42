"""Globs match the same paths as in CMake, for random directories and patterns."""

from __future__ import annotations

import os
import shutil
import subprocess

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from buildtool.inputs.file_states import FileStates
from buildtool.inputs.globs import Glob, matches
from buildtool.inputs.roots import Roots
from buildtool.sdk.packaged_tools import find_cmake_program

NAMES = st.sampled_from(
    ["a", "b.c", "ab.c", "B.C", "[a]", "a-b", "é.c", ".h", "x y", "]", "^a", "c"]
)
PATHS = st.lists(NAMES, min_size=1, max_size=3).map("/".join)
PIECES = st.sampled_from(
    [
        *("a", "b", "c", ".", "*", "?", "-", "é", " ", "**", "[", "]", "[a-", "[a-c]", "[!a]"),
        *("[^b]", "[]]", "[]a]", "[!]x]", "[-a]", "[a-]", "[.-c]", "[^-a]", "[c-a]", "[[]"),
        *("[a&&b]", "[!!]"),
    ]
)
PARTS = st.lists(PIECES, min_size=1, max_size=4).map("".join)
PATTERNS = st.lists(PARTS, min_size=1, max_size=3).map("/".join)
GLOBS = st.tuples(PATTERNS, st.booleans(), st.booleans(), st.booleans())


@pytest.fixture(scope="module")
def cmake() -> str:
    return str(find_cmake_program().where)


@settings(max_examples=15, phases=[Phase.generate])  # each starts CMake: shrinking takes minutes
@given(
    files=st.lists(PATHS, max_size=8),
    links=st.lists(st.tuples(NAMES, PATHS), max_size=2),
    globs=st.lists(GLOBS, min_size=10, max_size=25),
)
def test_as_cmake_does(
    cmake: str,
    tmp_path_factory: pytest.TempPathFactory,
    files: list[str],
    links: list[tuple[str, str]],
    globs: list[tuple[str, bool, bool, bool]],
) -> None:
    top = tmp_path_factory.mktemp("globs")
    root = top / "root"
    root.mkdir()
    for name in files:
        if not (root / name).parent.is_file() and not (root / name).exists():
            try:
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).touch()
            except (NotADirectoryError, FileExistsError):
                continue
    for name, to in links:
        if not os.path.lexists(root / name):
            (root / name).symlink_to(root / to)
    script = ["cmake_policy(VERSION 3.25)"]
    asked = []
    for pattern, recursive, directories, followed in globs:
        follow = followed and recursive
        asked.append(Glob(f"{{project}}/{pattern}", recursive, directories, follow))
        words = ["GLOB_RECURSE" if recursive else "GLOB", "found"]
        words += ["FOLLOW_SYMLINKS"] if follow else []
        words += ["LIST_DIRECTORIES", str(directories).lower()]
        script += [
            "set(found)",
            f"file({' '.join(words)} [==[{root}/{pattern}]==])",
            'string(REPLACE "[" "{" found "${found}")',
            'string(REPLACE "]" "}" found "${found}")',
            "foreach(one IN LISTS found)",
            f'  file(APPEND "{top}/answer" "{len(asked) - 1}:${{one}}\\n")',
            "endforeach()",
        ]
    (top / "ask.cmake").write_text("\n".join(script))
    (top / "answer").touch()
    subprocess.run([cmake, "-P", top / "ask.cmake"], check=True, capture_output=True)
    matched: list[set[str]] = [set() for _ in asked]
    for line in (top / "answer").read_text().splitlines():
        number, _, path = line.partition(":")
        matched[int(number)].add(path)
    roots = Roots({"project": root})
    for glob, answer in zip(asked, matched, strict=True):
        mine = {roots.path_of(name) for name in matches(glob, roots, FileStates())}
        assert {p.replace("[", "{").replace("]", "}") for p in mine} == answer, glob
    shutil.rmtree(top)
