"""Outputs of a failed build are kept if and only if they are right."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from buildtool.core.errors import BuildtoolError
from tests.caches import empty
from tests.integration.engine.clone import Clone
from tests.integration.engine.scratch import Scratch
from tests.integration.engine.sources import FIRST, Source, State, alone

COMPONENT = "dsp/b"
LISTS, ENTRY = "dsp/b/CMakeLists.txt", "dsp/b/entry.c"
BASE = alone(FIRST, COMPONENT)
OLD = "#define NEW 1\n"


def with_(state: State, **texts: str) -> State:
    names = {"lists": LISTS, "entry": ENTRY, "new": "common/new.h"}
    return {**state, **{names[key]: Source(text) for key, text in texts.items()}}


GOOD = with_(
    BASE, entry='#include "new.h"\n' + BASE[ENTRY].text.replace("return ", "return NEW + "), new=OLD
)
NO_LINK = f"{BASE[LISTS].text}target_link_options(b_skel PRIVATE -Wl,--no-such-option)\n"


@pytest.fixture
def clone(tmp_path: Path) -> Clone:
    return Clone(tmp_path / "a clone")


def log(clone: Clone) -> str:
    return (clone.root / ".buildtool/state/logs/skel-b-v68.log").read_text()


@pytest.mark.long
def test_what_was_compiled_before_a_failure_is_not_compiled_again(clone: Clone) -> None:
    clone.check_out(with_(GOOD, lists=NO_LINK))
    with pytest.raises(BuildtoolError):
        clone.build_here()
    assert "Building C object" in log(clone)

    clone.check_out(GOOD)
    clone.build_here()
    assert "Building C object" not in log(clone)


@pytest.mark.parametrize("first", [BASE, pytest.param(None, marks=pytest.mark.long)])
def test_a_header_that_only_a_failed_build_has_read(
    first: State | None, clone: Clone, scratch: Scratch
) -> None:
    if first:
        clone.check_out(first)
        clone.build_here()
    clone.check_out(with_(GOOD, lists=NO_LINK))
    with pytest.raises(BuildtoolError):
        clone.build_here()

    changed = with_(GOOD, new=OLD.replace("1", "2"))
    clone.check_out(changed, "same time")
    clone.build_here()

    assert clone.outputs()[COMPONENT] == scratch(changed, COMPONENT).result()


@pytest.mark.long
def test_a_header_that_shadows_one_that_only_a_failed_build_has_read(
    clone: Clone, scratch: Scratch
) -> None:
    clone.check_out(with_(GOOD, lists=NO_LINK))
    with pytest.raises(BuildtoolError):
        clone.build_here()

    changed = {**GOOD, "dsp/b/new.h": Source("#define NEW 3\n")}
    clone.check_out(changed, "old time")
    clone.build_here()

    assert clone.outputs()[COMPONENT] == scratch(changed, COMPONENT).result()


HARMS: dict[str, Callable[[Path], object]] = {
    "a file that CMake configured edited": lambda tree: (tree / "number.h").write_text(
        "#define NUMBER 9\n"
    ),
    "the rules deleted": lambda tree: (tree / "CMakeFiles/rules.ninja").unlink(),
    "Ninja's dependencies emptied": lambda tree: (tree / ".ninja_deps").write_bytes(b""),
    "the reply deleted": lambda tree: shutil.rmtree(tree / ".cmake/api/v1/reply"),
}


@pytest.mark.long
def test_what_cmake_wrote_is_harmed(clone: Clone, scratch: Scratch) -> None:
    """Each harm in turn, before a build of the other one of two states."""
    generated = with_(
        BASE,
        lists=f"{BASE[LISTS].text}configure_file(number.in number.h)\n"
        "target_include_directories(b_skel PRIVATE ${CMAKE_BINARY_DIR})\n",
        entry='#include "number.h"\n' + BASE[ENTRY].text.replace("return ", "return NUMBER + "),
    )
    one = {**generated, "dsp/b/number.in": Source("#define NUMBER 1\n")}
    two = {**one, "dsp/b/lib/inner.c": Source("int inner(void) { return 8; }\n")}
    clone.check_out(one)
    assert clone.build_here() == {"skel/b/v68": "built"}
    for number, (name, harm) in enumerate(HARMS.items()):
        (tree,) = (clone.root / ".buildtool/build/b").glob("*/")
        harm(tree)
        empty(clone.cache)

        state = (two, one)[number % 2]
        clone.check_out(state, "old time")
        assert clone.build_here() == {"skel/b/v68": "built"}, name
        assert clone.outputs()[COMPONENT] == scratch(state, COMPONENT).result(), name
