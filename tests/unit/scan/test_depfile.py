"""Dependency files as compilers write them, and where Ninja misparses them."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from buildtool.core.safe_path import misread as misread_path
from buildtool.drivers.cmake.scan.compiler_reads import (
    UNREADABLE,
    certain_reads,
    find_misparsed_deps,
    is_plain,
    prerequisites,
    uncertain_files,
)
from buildtool.drivers.cmake.scan.ninja import read_depfiles
from buildtool.inputs.file_states import FileStates

NAMES = st.lists(
    st.one_of(
        st.sampled_from(["a", " ", "\\", "#", "$", ":", "\t", "\n", "^", "/", "é", "%", "\udce9"]),
        st.characters(min_codepoint=1, max_codepoint=255),
    ),
    min_size=1,
    max_size=6,
).map(lambda parts: "/" + "".join(parts))


def by_gcc(name: str) -> str:
    name = re.sub(r"(\\*)([ \t])", r"\1\1\\\2", name)
    return re.sub(r"(\\*)#", r"\1\\#", name).replace("$", "$$")


def by_clang(name: str) -> str:
    return re.sub(r"([ #])", r"\\\1", name.replace("\\", "/")).replace("$", "$$")


def written(names: list[str], *, clang: bool) -> bytes:
    """Source: see `buildtool.drivers.cmake.scan.compiler_reads`."""
    parts = [(by_clang if clang else by_gcc)(name) for name in ("/s.c", *names)]
    text = " \\\n  ".join(parts) if clang else " ".join(parts).replace("/s.c ", "/s.c \\\n ", 1)
    return f"x.o: {text}\n".encode(errors="surrogateescape")


@given(st.lists(NAMES, max_size=4), st.booleans())
def test_what_is_read_is_what_the_compiler_was_given_or_nothing(
    names: list[str], clang: bool
) -> None:
    read = prerequisites(written(names, clang=clang))
    expected = [name.replace("\\", "/") if clang else name for name in names]
    if "\n" in "".join(names) or any(name.endswith("\\") for name in expected[:-1]):
        return  # see test_files_that_are_uncertain
    assert read in (("/s.c", *expected), None)
    if "\\" not in "".join(names):
        assert read is not None
    if is_plain(written(names, clang=clang)):
        assert not (UNREADABLE | {":", "#", "$"}) & {*"".join(expected)}


@pytest.mark.parametrize(
    ("data", "read"),
    [
        (b"x.o: a.c\n", ("a.c",)),
        (b"x.o: \\\n a.c b.h\n", ("a.c", "b.h")),
        (b"x.o: a.c b.h \\\n c.h\n\nb.h:\n\nc.h:\n", ("a.c", "b.h", "c.h")),
        (b"x.o y.o: a.c", ("a.c",)),
        (b"x.o: a.c\nother.h:\n", None),
        (b"x.o: a.c\ny.o: b.c\n", None),
        (b"x.o: a.c b\\c.h\n", None),
        (b"x.o: a.c b$c.h\n", None),
        (b"x.o: a.c b\\\n", None),
        (b"x.o: a.c \\\n", ("a.c",)),
        (b"x.o: a\0b\n", None),
        (b"x.o:\n", None),
        (b"x.o\n", None),
        (b"", None),
    ],
)
def test_prerequisites(data: bytes, read: tuple[str, ...] | None) -> None:
    assert prerequisites(data) == read


@pytest.mark.parametrize("number", range(1, 256))
def test_the_bytes_of_a_directory_are_plain_or_refused(number: int) -> None:
    """Plain includes bytes that all tools escape in the same way."""
    plain = is_plain(b"x.o: /p/a" + bytes([number]) + b"b/x.h\n")

    assert plain or number in b":#$" or misread_path(os.fsdecode(b"/p/a" + bytes([number]) + b"b"))


def dependencies(tree: Path, *paths: str) -> dict[str, tuple[str, ...]]:
    return {f"{tree}/x.o": tuple(f"{tree}/{path}" for path in paths)}


@pytest.mark.parametrize(
    ("data", "ninja", "wrong"),
    [
        ("x.o: a.c b.h\n", ["a.c", "b.h"], None),
        ("x.o: a.c d/../b.h\n", ["a.c", "b.h"], None),
        ("x.o: a.c d\\ e/b$$.h\n", ["a.c", "d e/b$.h"], None),
        ("x.o: a.c d^e.h\n", ["a.c", "d", "e.h"], ["a.c", "d^e.h"]),
        ("x.o: a.c b:\n", ["a.c", "b"], ["a.c", "b:"]),
        ("x.o: a.c link/../b.h\n", ["a.c", "b.h"], ["a.c", "link/../b.h"]),
        ("x.o: a.c link/./x/../b.h\n", ["a.c", "link/b.h"], None),
        ("x.o: a.c d\\e.h\n", ["a.c", "d", "e.h"], []),
        (None, ["a.c"], []),
    ],
)
def test_where_ninja_is_wrong(
    data: str | None, ninja: list[str], wrong: list[str] | None, tmp_path: Path
) -> None:
    for name in ("d", "e/x"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "link").symlink_to("e")
    if data is not None:
        (tmp_path / "x.o.d").write_text(data)
    found = find_misparsed_deps(
        dependencies(tmp_path, *ninja), [f"{tmp_path}/x.o"], {}, str(tmp_path)
    )
    assert found == ({} if wrong is None else dependencies(tmp_path, *wrong))


@pytest.mark.parametrize(
    ("files", "read", "uncertain"),
    [
        (["a.h", "d/b.h"], ["a.h", "d/b.h"], ""),
        (["a.h"], ["a.h", "b.h"], "b.h"),
        (["d/b.h"], ["d"], "d"),
        (["d/a/b.h", "d/a\\b.h"], ["d/a/b.h"], "d/a/b.h"),
        (["d/a/b.h", "d\\a/b.h"], ["d/a/b.h"], "d/a/b.h"),
        (["d/a/b.h", "\\d/a/b.h"], ["d/a/b.h"], "d/a/b.h"),
        (["d/a/b.h", "d/a\\c.h", "d/b\\b.h"], ["d/a/b.h"], ""),
        (["d/a", "d/a\tb.h"], ["d/a"], "d/a"),
        (["d/a", "d/a\nb.h"], ["d/a"], "d/a"),
        (["d/a", "d/a:"], ["d/a"], "d/a"),
        (["d/a", "d/a:"], ["d/a:"], ""),
        (["d/a", "d/a:b"], ["d/a", "d/a:b"], ""),
        (["d/a", "d/a\r"], ["d/a"], "d/a"),
        (["d/a b", "d/a\\", "d/b"], ["d/a b"], "d/a b"),
    ],
)
def test_files_that_are_uncertain(
    files: list[str], read: list[str], uncertain: str, tmp_path: Path
) -> None:
    for name in files:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    (paths,) = dependencies(tmp_path, *read).values()
    assert uncertain_files(paths, FileStates()) == (
        {f"{tmp_path}/{uncertain}"} if uncertain else set()
    )


def test_a_device_may_be_read() -> None:
    assert not uncertain_files(["/dev/null"], FileStates())


def test_what_is_certain_of_each_object(tmp_path: Path) -> None:
    paths = [f"{tmp_path}/{name}" for name in ("a.c", "b.c", "c.c", "x^y.h")]
    for path in paths:
        Path(path).touch()
    a, b, c, strange = paths
    lost = f"{tmp_path}/lost.h"
    recorded = {"a.o": (a,), "b.o": (b, lost), "c.o": (c, lost), "d.o": (a, lost)}
    found = certain_reads(recorded, {"c.o": (c, strange), "d.o": (), "gone.o": (a,)}, FileStates())
    assert found.files == {"a.o": (a,), "b.o": (b,), "c.o": (c, strange), "d.o": (a,)}
    assert found.misparsed_deps == {"b.o": (), "c.o": (c, strange), "d.o": (), "gone.o": (a,)}
    assert set(found.uncertain) == {lost, "d.o"}


def test_dependency_files_that_are_called_otherwise(tmp_path: Path) -> None:
    (tmp_path / "build.ninja").write_bytes(
        b"build a$ b.o: C a.c || x\n  DEP_FILE = a$ b.o.d\n  FLAGS = depfile = no\n\n"
        b"build gen$:1.h gen$$2.h | ${cmake_ninja_workdir}gen$:1.h: CUSTOM_COMMAND g\n"
        b"  COMMAND = cd x && y: z\n  depfile = CMakeFiles/d/1.d\n\n"
        b"build lib\xe9.so: L a$ b.o\n  DEP_FILE = CMakeFiles/app.dir/link.d\n"
        b"build other: phony lib.so\n"
    )
    assert read_depfiles(tmp_path) == {
        f"{tmp_path}/gen:1.h": f"{tmp_path}/CMakeFiles/d/1.d",
        f"{tmp_path}/gen$2.h": f"{tmp_path}/CMakeFiles/d/1.d",
        f"{tmp_path}/lib\udce9.so": f"{tmp_path}/CMakeFiles/app.dir/link.d",
    }
