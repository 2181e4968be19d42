"""Globs of the project file; tests/integration/scan compares the others with CMake."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from buildtool.inputs.file_states import FileStates
from buildtool.inputs.globs import Budget, BudgetError, Glob, encoded, matches, name_matcher
from buildtool.inputs.roots import Roots


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
    names = [name.removeprefix("{project}/") for name in matches(glob, roots, FileStates())]
    if found is None:
        found = [".hidden/h.c", "d/e/z.c", "d/y.c", "loop/x.c", "o/.buildtool/k.c", "x.c"]
        found = found if "loop/x.c" in names else [n for n in found if not n.startswith("loop")]
    assert names == found


def test_globs_are_stored_and_distinguished() -> None:
    kinds = [Glob("/a"), Glob("/a", recursive=True), Glob("/a", directories=True)]
    kinds += [Glob("/a", follow=True), Glob("/a", deep=True)]
    assert len({glob.text for glob in kinds}) == len(kinds)
    assert [Glob.from_json(glob.as_json()) for glob in kinds] == kinds


@pytest.mark.parametrize("pattern", ["**/**/**/**/**/**/**/**/z.c", "**/**/**/**", "*/**/**/z.c"])
def test_a_walk_that_is_repeated_is_done_once(pattern: str, tmp_path: Path) -> None:
    deep = tmp_path / "/".join("abcdefghij" * 3)
    deep.mkdir(parents=True)
    (deep / "z.c").touch()
    once = "**/z.c" if pattern.endswith("z.c") else "**"
    roots, budget = Roots({"project": tmp_path}), Budget(500)

    found = matches(Glob(f"{{project}}/{pattern}", deep=True), roots, FileStates(), budget)

    assert found == matches(Glob(f"{{project}}/{once}", deep=True), roots, FileStates())
    assert len(found) == 1


@pytest.mark.parametrize(
    "glob",
    [
        Glob("{project}/**", deep=True),
        Glob("{project}/**/a/**/b/**/c", deep=True),
        Glob("{project}/*", recursive=True),
        Glob("{project}/*", recursive=True, follow=True, directories=True),
        Glob("{project}/*/*"),
    ],
)
def test_a_walk_ends_with_its_budget(glob: Glob, tmp_path: Path) -> None:
    for number in range(30):
        (tmp_path / f"{number}/a/b").mkdir(parents=True)
    roots = Roots({"project": tmp_path})
    enough = Budget(2000)
    matches(glob, roots, FileStates(), enough)
    assert 1000 < enough.entries < 1970

    with pytest.raises(BudgetError):
        matches(glob, roots, FileStates(), Budget(30))
    left = enough.entries
    matches(glob, roots, FileStates(), enough)  # they share one budget
    assert enough.entries == left - (2000 - left)


def test_many_asterisks_take_no_time(tmp_path: Path) -> None:
    name = "0123456789abcdef" * 15
    (tmp_path / name).touch()
    roots = Roots({"project": tmp_path})

    def found(part: str) -> int:
        return len(matches(Glob(f"{{project}}/{part}"), roots, FileStates()))

    # There are over 10^50 ways to match these with the name.
    assert found("*[0-9a-f]" * 100 + "*!") == 0
    assert found("*[0-9a-f]" * 100 + "*") == 1
    assert found("*[0-9a-f]" * 240) == 1
    assert found("*[0-9a-f]" * 241) == 0


def expected_match(pattern: str, name: str) -> bool:
    """Whether a name matches, determined by trying all possibilities."""
    if not pattern:
        return not name
    if pattern[0] == "*":
        return any(expected_match(pattern[1:], name[at:]) for at in range(len(name) + 1))
    return bool(name) and pattern[0] in ("?", name[0]) and expected_match(pattern[1:], name[1:])


@given(st.text("*?ab", min_size=1, max_size=8), st.text("ab", min_size=1, max_size=8))
def test_asterisks(tmp_path_factory: pytest.TempPathFactory, pattern: str, name: str) -> None:
    folder = tmp_path_factory.mktemp("names")
    (folder / name).touch()

    found = matches(Glob(f"{{project}}/{pattern}"), Roots({"project": folder}), FileStates())

    assert bool(found) == expected_match(pattern, name)


@pytest.mark.parametrize(
    ("pattern", "names"),
    [
        ("[ab]", "ab"),
        ("[!ab]", "]c!^"),
        ("[^ab]", "]c!^"),
        ("[]a]", "]a"),
        ("[!]a]", "bc!^"),
        ("[a-c]", "abc"),
        ("[a-]", "a"),
    ],
)
def test_brackets_as_cmake_reads_them(pattern: str, names: str) -> None:
    matcher = name_matcher(pattern)
    assert {name for name in "abc]!^" if matcher(encoded(name))} == {*names}
