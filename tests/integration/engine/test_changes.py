"""The exact steps that a build runs after each kind of change, and their exact commands."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.caches import empty, share
from tests.integration.engine.subject import FILES, HOST, A, B, Subject

ALL, SKELS = (HOST, A, B), (A, B)
LINK_A, LINK_B = "link libcalc_skel.so", "link libb_skel.so"
EVERYTHING: Mapping[str, Sequence[str]] = {
    HOST: ("calc_stub.c", "configure", "idl", "link app", "main.c", "other.c"),
    A: ("calc_skel.c", "configure", "idl", "imp.c", LINK_A, "one.c"),
    B: ("configure", "entry.c", LINK_B, "one.c"),
}


@dataclass(frozen=True)
class Change:
    """A change by `do`, after which exactly the steps of `built` are built, by these commands, and
    those of `restored` are restored."""

    name: str
    do: Callable[[Subject], object]
    built: Mapping[str, Sequence[str]] = field(default_factory=dict)
    restored: Sequence[str] = ()
    same_outputs: bool = False


def built(step: str, *commands: str) -> dict[str, Sequence[str]]:
    return {step: sorted(commands)}


def touch(subject: Subject) -> None:
    for path in subject.root.rglob("*"):
        if ".buildtool" not in path.parts and path.is_file():
            os.utime(path)


def old_time(subject: Subject) -> None:
    """Edit a file, with an old time stamp as from an archive or a backup."""
    subject.write("host/other.c", "int other(void) { return 7; }\n", old=True)


def output(subject: Subject, component: str) -> Path:
    (path,) = subject.root.glob(f".buildtool/out/{component}/*/lib*.so")
    return path


def delete_output(subject: Subject) -> None:
    output(subject, "a").unlink()


def corrupt_output(subject: Subject) -> None:
    path = output(subject, "b")
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)


def damage_tree(subject: Subject) -> None:
    """Damage an intermediate file, and edit a source."""
    (found,) = subject.root.glob(".buildtool/build/app/*/CMakeFiles/app.dir/main.c.o")
    found.write_bytes(b"half an obj")
    subject.edit("host/other.c", "return 7", "return 8")


CHANGES = [
    Change("nothing", lambda _: None, same_outputs=True),
    Change(
        "a source of the host",
        lambda s: s.edit("host/other.c", "return 1", "return 2"),
        built(HOST, "other.c", "link app"),
    ),
    Change("an old time stamp", old_time, built(HOST, "other.c", "link app")),
    Change(
        "a header of both skels",
        lambda s: s.edit("common/shared.h", "SHARED 1", "SHARED 2"),
        {**built(A, "imp.c", LINK_A), **built(B, "entry.c", LINK_B)},
    ),
    Change(
        "a header of one skel",
        lambda s: s.edit("common/level.h", "LEVEL 1", "LEVEL 2"),
        built(A, "imp.c", LINK_A),
    ),
    Change(
        "a comment in a header",
        lambda s: s.edit("common/shared.h", "/* shared */", "/* still shared */"),
        {**built(A, "imp.c", LINK_A), **built(B, "entry.c", LINK_B)},
        same_outputs=True,
    ),
    Change(
        "the interface",
        lambda s: s.edit("dsp/calc.idl", "};", " const long MOST = 3; };"),
        {
            **built(HOST, "calc_stub.c", "configure", "idl", "link app", "main.c"),
            **built(A, "calc_skel.c", "configure", "idl", "imp.c", LINK_A),
        },
    ),
    Change(
        "an included interface",
        lambda s: s.edit("dsp/types.idl", "number;", "number; const long LEAST = 1;"),
        {
            **built(HOST, "calc_stub.c", "idl", "link app", "main.c"),
            **built(A, "calc_skel.c", "idl", "imp.c", LINK_A),
        },
    ),
    Change(
        "a define",
        lambda s: s.edit(
            "buildtool.toml",
            'source = "dsp/b"',
            'source = "dsp/b"\ndefines = {CMAKE_C_FLAGS="-DEXTRA=1"}',
        ),
        built(B, "configure", "entry.c", "one.c", LINK_B),
    ),
    Change(
        "a CMakeLists.txt",
        lambda s: s.edit(
            "dsp/b/CMakeLists.txt", "project(b C)", "project(b C)\nadd_compile_definitions(MORE=2)"
        ),
        built(B, "configure", "entry.c", "one.c", LINK_B),
    ),
    Change(
        "a comment in a CMakeLists.txt",
        lambda s: s.edit("dsp/b/CMakeLists.txt", "project(b C)", "project(b C) # b"),
        built(B, "configure"),
        same_outputs=True,
    ),
    Change(
        "a file that CMake reads",
        lambda s: s.edit("host/words.txt", "one", "seven"),
        built(HOST, "configure", "main.c", "other.c", "link app"),
    ),
    Change(
        "a file that is installed",
        lambda s: s.edit("host/data.txt", "data", "other data"),
        built(HOST),
    ),
    Change(
        "a declared input",
        lambda s: s.edit("host/declared.txt", "declared", "said"),
        built(HOST, *EVERYTHING[HOST]),
        same_outputs=True,
    ),
    Change(
        "a new file that a glob matches",
        lambda s: s.write("dsp/b/parts/two.c", "int part_two(void) { return 2; }\n"),
        built(B, "configure", "two.c", LINK_B),
    ),
    Change(
        "a new file that a dependable glob matches",
        lambda s: s.write("dsp/a/parts/two.c", "int part_two(void) { return 2; }\n"),
        built(A, "configure", "two.c", LINK_A),
    ),
    Change(
        "a new header that shadows",
        lambda s: s.write("dsp/a/first/level.h", "#define LEVEL 9\n"),
        built(A, *EVERYTHING[A], "two.c"),
    ),
    Change(
        "a new file that nothing looks at",
        lambda s: s.write("dsp/a/first/unrelated.h", "#define LEVEL 9\n"),
        same_outputs=True,
    ),
    Change("an output deleted", delete_output, restored=(A,), same_outputs=True),
    Change("an output corrupted", corrupt_output, restored=(B,), same_outputs=True),
    Change("the build tree damaged", damage_tree, built(HOST, *EVERYTHING[HOST])),
    Change("touch", touch, same_outputs=True),  # the next build of a step would run CMake
    Change(
        "a variable that is not on the list",
        lambda s: s.variables.update(NOT_LET_THROUGH="1"),
        same_outputs=True,
    ),
    Change(  # No tool reports what depends on a variable, so the trees are created again.
        "a variable on the list",
        lambda s: s.variables.update(LET_THROUGH="1"),
        {
            HOST: EVERYTHING[HOST],
            **built(A, *EVERYTHING[A], "two.c"),
            **built(B, *EVERYTHING[B], "two.c"),
        },
        same_outputs=True,
    ),
    Change(
        "that variable unset",
        lambda s: s.variables.pop("LET_THROUGH"),
        restored=ALL,
        same_outputs=True,
    ),
]
"""They are made in this order in one project, each to contents that it has not had before."""


@pytest.fixture(scope="module")
def only_one(tmp_path_factory: pytest.TempPathFactory) -> Subject:
    """The project and its cache, in the state that the last test left."""
    place = tmp_path_factory.mktemp("subject")
    return Subject(place / "a project", share(place / "cache"))


@pytest.fixture
def subject(only_one: Subject) -> Subject:
    """The project, built in its first state; its cache contains nothing else."""
    only_one.variables.clear()
    only_one.lay_out(FILES)
    only_one.forget()
    empty(only_one.cache)
    only_one.build_here()
    return only_one


def test_another_branch_and_back(subject: Subject) -> None:
    first = subject.release_files()
    subject.edit("common/shared.h", "SHARED 1", "SHARED 2")
    subject.rebuilt()
    second = subject.release_files()

    subject.edit("common/shared.h", "SHARED 2", "SHARED 1")
    assert subject.rebuilt() == dict.fromkeys(SKELS, "restored")
    assert subject.release_files() == first

    subject.edit("common/shared.h", "SHARED 1", "SHARED 2")
    assert subject.rebuilt() == dict.fromkeys(SKELS, "restored")
    assert subject.release_files() == second

    # The trees are two states old; the result of the build is still right.
    subject.edit("common/shared.h", "SHARED 2", "SHARED 3")
    assert subject.rebuilt() == dict.fromkeys(SKELS, "built")
    assert subject.commands(B) == ["entry.c", LINK_B]


def test_a_second_clone_elsewhere_restores_everything(subject: Subject, tmp_path: Path) -> None:
    other = Subject(tmp_path / "another clone", subject.cache)
    other.lay_out(FILES)

    assert other.rebuilt() == dict.fromkeys(ALL, "restored")

    assert other.release_files() == subject.release_files()


def test_a_skel_that_two_targets_share_is_built_once(subject: Subject) -> None:
    assert set(subject.rebuilt("more")) == {"skel/a/v73", "skel/b/v73"}


def test_an_input_that_changes_while_it_is_built_is_built_again(subject: Subject) -> None:
    """The build edits one of its sources, as a user may do during a build."""
    subject.edit(
        "host/CMakeLists.txt",
        "install(TARGETS",
        "add_custom_command(TARGET app PRE_LINK COMMAND ${CMAKE_COMMAND} -E copy"
        " ${CMAKE_SOURCE_DIR}/later.c ${CMAKE_SOURCE_DIR}/other.c)\ninstall(TARGETS",
    )
    (subject.root / "host/later.c").write_text("int other(void) { return 5; }\n")
    assert subject.rebuilt() == {HOST: "built"}

    assert subject.rebuilt() == {HOST: "built"}
    assert subject.rebuilt() == {}


def test_each_change_builds_exactly_what_depends_on_it(subject: Subject) -> None:
    for change in CHANGES:
        before = subject.release_files()

        change.do(subject)
        outcomes = subject.rebuilt()

        assert outcomes == {
            **dict.fromkeys(change.built, "built"),
            **dict.fromkeys(change.restored, "restored"),
        }, change.name
        assert {step: subject.commands(step) for step in change.built} == {
            step: list(commands) for step, commands in change.built.items()
        }, change.name
        assert (subject.release_files() == before) == change.same_outputs, change.name
        assert subject.rebuilt() == {}, change.name
