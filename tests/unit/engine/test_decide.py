"""What is decided for a step after each kind of change, as a table."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from buildtool.engine.options import Options
from tests.unit.engine.virtual_step import VirtualStep

MAIN, HEADER = "input {project}/src/main.c", "input {project}/src/main.h"
OUT = "/p/.buildtool/out/app/1"
Change = Callable[[VirtualStep], Any]


def write(path: str, text: str = "other") -> Change:
    return lambda step: step.files.write(path, text)


def delete(path: str) -> Change:
    return lambda step: step.files.delete(path)


def link(path: str, target: str) -> Change:
    def change(step: VirtualStep) -> None:
        step.files.delete(path)
        step.files.links[path] = target

    return change


def folder(path: str) -> Change:
    def change(step: VirtualStep) -> None:
        step.files.delete(path)
        step.files.folders.add(path)

    return change


def executable(path: str) -> Change:
    return lambda step: step.files.write(path, f"{step.files.content[path]}+x")


def field(**fields: Any) -> Change:
    return lambda step: setattr(step, "step", step.step._replace(**fields))


def profile(**fields: Any) -> Change:
    return lambda step: field(profile=step.step.profile._replace(**fields))(step)


def needs(**digests: str) -> Change:
    return lambda step: setattr(step, "needs", {f"host/{n}": d for n, d in digests.items()})


def attribute(name: str, value: Any) -> Change:
    return lambda step: setattr(step, name, value)


def all_of(*changes: Change) -> Change:
    def change(step: VirtualStep) -> None:
        for each in changes:
            each(step)

    return change


def nothing(_: VirtualStep) -> None:
    pass


INPUTS: dict[str, tuple[Change, list[str]]] = {
    "a source is edited": (write("/p/src/main.c"), [MAIN]),
    "a header is edited": (write("/p/src/main.h"), [HEADER]),
    "a source and a header": (
        all_of(write("/p/src/main.c"), write("/p/src/main.h")),
        [MAIN, HEADER],
    ),
    "a source becomes executable": (executable("/p/src/main.c"), [MAIN]),
    "a header is deleted": (delete("/p/src/main.h"), [HEADER]),
    "a header becomes a directory": (folder("/p/src/main.h"), [HEADER]),
    "a header becomes a link to another file": (link("/p/src/main.h", "main.c"), [HEADER]),
    "a header becomes a link to nothing": (link("/p/src/main.h", "nowhere"), [HEADER]),
    "a file of the system is updated": (write("/usr/lib/libm.so"), ["input /usr/lib/libm.so"]),
    "a file of the system is removed": (delete("/usr/lib/libm.so"), ["input /usr/lib/libm.so"]),
    "a missing file appears": (write("/p/gone.txt"), ["input {project}/gone.txt"]),
    "a missing file appears, empty": (write("/p/gone.txt", ""), ["input {project}/gone.txt"]),
    "a missing file appears as a directory": (folder("/p/gone.txt"), ["input {project}/gone.txt"]),
    "a missing file appears as a link": (
        link("/p/gone.txt", "src/main.c"),
        ["input {project}/gone.txt"],
    ),
    "a header appears in an earlier directory": (
        write("/p/first/main.h"),
        ["absent {project}/first/main.h"],
    ),
    "a directory appears in place of such a header": (
        folder("/p/first/main.h"),
        ["absent {project}/first/main.h"],
    ),
    "a dangling link appears in place of such a header": (
        link("/p/first/main.h", "nowhere"),
        ["absent {project}/first/main.h"],
    ),
    "an optional header appears": (
        write("/p/src/optional.h"),
        ["absent {project}/src/optional.h"],
    ),
    "a file that a glob matches appears": (write("/p/src/b.c"), ["glob {project}/src/b.c"]),
    "a link that a glob matches appears": (
        link("/p/src/b.c", "main.c"),
        ["glob {project}/src/b.c"],
    ),
    "a file that a glob matches is deleted": (
        delete("/p/parts/deep/part.c"),
        ["glob {project}/parts/deep/part.c"],
    ),
    "a file that a glob matches is renamed": (
        all_of(delete("/p/parts/deep/part.c"), write("/p/parts/part.c")),
        ["glob {project}/parts/part.c", "glob {project}/parts/deep/part.c"],
    ),
    "the directory of a glob is deleted": (
        delete("/p/parts"),
        ["glob {project}/parts/deep/part.c"],
    ),
    "a source that a glob matches is deleted": (
        delete("/p/src/main.c"),
        [MAIN, "glob {project}/src/main.c"],
    ),
}
"""Changes of inputs: the step is built, or restored if it was built with these inputs before."""

IRRELEVANT: dict[str, Change] = {
    "nothing": nothing,
    "a file is written with the same content": write("/p/src/main.c", "/p/src/main.c"),
    "a file that nothing reads appears": write("/p/src/readme.md"),
    "another header appears in an earlier directory": write("/p/first/other.h"),
    "an empty directory appears": folder("/p/first"),
    "the content of a file that only a glob matches": write("/p/parts/deep/part.c"),
    "a directory that a glob would match": folder("/p/src/folder.c"),
    "a file that a glob in one directory does not match": write("/p/src/deep/b.c"),
    "a file in the build tree": write("/p/.buildtool/build/app/1/src/b.c"),
    "a file beside the outputs": write(f"{OUT}/bin/other"),
    "a header becomes a link to the same content": all_of(
        write("/p/kept.h", "/p/src/main.h"), link("/p/src/main.h", "../kept.h")
    ),
    "the compiler launcher": field(compiler_launcher="ccache"),
    "whether the outputs ship": field(ships=False),
}
"""Changes after which there is nothing to do."""

FIELDS: dict[str, tuple[Change, list[str]]] = {
    "the build type": (field(build_type="Debug"), ["field cmake.build type"]),
    "a define": (field(defines=(("LEVEL", "2"),)), ["field cmake.defines.LEVEL"]),
    "a define that is empty": (field(defines=(("LEVEL", ""),)), ["field cmake.defines.LEVEL"]),
    "two defines": (
        field(defines=(("A", "1"), ("B", "2"))),
        ["field cmake.defines.A", "field cmake.defines.B"],
    ),
    "the targets": (field(targets=("app",)), ["field cmake.targets"]),
    "the artifacts": (field(artifacts=("*.so",)), ["field cmake.artifacts"]),
    "whether it is installed": (field(install=False), ["field cmake.install"]),
    "its toolchain file": (
        field(toolchain_file=Path("/p/own.cmake")),
        ["field cmake.toolchain file"],
    ),
    "its source": (field(source=Path("/p/other")), ["field component.source"]),
    "its declared inputs": (field(inputs=("tag",)), ["field component.inputs"]),
    "the settings of the profile": (
        profile(settings={"GLIBC": "2.36"}),
        ["field profile.digest", "field profile.settings.GLIBC"],
    ),
    "what a step that it needs has made": (needs(base="c" * 64), ["field needs.host/base"]),
    "another step that it needs": (
        needs(base="b" * 64, more="d" * 64),
        ["field needs.host/more"],
    ),
    "that it needs none": (needs(), ["field needs.host/base"]),
}
"""Changes of fields of the key."""

OUTPUTS: dict[str, tuple[Change, list[str]]] = {
    "an output is deleted": (delete(f"{OUT}/bin/app"), ["output bin/app"]),
    "an output is edited": (write(f"{OUT}/bin/app", "other+x"), ["output bin/app"]),
    "an output is not executable": (write(f"{OUT}/bin/app", "program"), ["output bin/app"]),
    "an output is executable": (executable(f"{OUT}/lib/libapp.so.1"), ["output lib/libapp.so.1"]),
    "an output is a directory": (folder(f"{OUT}/bin/app"), ["output bin/app"]),
    "a link is deleted": (delete(f"{OUT}/lib/libapp.so"), ["output lib/libapp.so"]),
    "a link leads elsewhere": (link(f"{OUT}/lib/libapp.so", "x"), ["output lib/libapp.so"]),
    "a link is a file": (write(f"{OUT}/lib/libapp.so", "library"), ["output lib/libapp.so"]),
    "all outputs are deleted": (
        delete(OUT),
        ["output bin/app", "output lib/libapp.so", "output lib/libapp.so.1"],
    ),
}
"""Changes of outputs: they are restored, as the inputs are those of the last build."""


@pytest.fixture
def step(tmp_path: Path) -> VirtualStep:
    return VirtualStep(tmp_path)


def test_a_step_without_a_record_is_built(step: VirtualStep) -> None:
    assert step.decision() == ("build", ["first"])


@pytest.mark.parametrize("change", IRRELEVANT.values(), ids=IRRELEVANT)
def test_there_is_nothing_to_do(step: VirtualStep, change: Change) -> None:
    step.build()
    change(step)
    assert step.decision() == ("up to date", [])


@pytest.mark.parametrize(("change", "reasons"), INPUTS.values(), ids=INPUTS)
def test_an_input_changes(step: VirtualStep, change: Change, reasons: list[str]) -> None:
    step.build()
    change(step)
    assert step.decision() == ("build", reasons)


@pytest.mark.parametrize("change", [change for change, _ in INPUTS.values()], ids=INPUTS)
def test_a_state_that_was_built_before_is_restored(step: VirtualStep, change: Change) -> None:
    files = step.files
    before = dict(files.content), dict(files.links), set(files.folders)
    step.build()
    change(step)
    step.build()
    assert step.decision() == ("up to date", [])

    outputs = {path: text for path, text in files.content.items() if path.startswith(OUT)}
    files.content, files.links, files.folders = before
    files.content |= outputs
    files.links[f"{OUT}/lib/libapp.so"] = "libapp.so.1"
    word, reasons = step.decision()
    assert word == "restore"
    assert reasons

    change(step)
    assert step.decision() == ("up to date", [])


@pytest.mark.parametrize(("change", "reasons"), FIELDS.values(), ids=FIELDS)
def test_a_field_of_the_key_changes(step: VirtualStep, change: Change, reasons: list[str]) -> None:
    step.build()
    change(step)
    assert step.decision() == ("build", reasons)
    step.build()
    assert step.decision() == ("up to date", [])


@pytest.mark.parametrize(("change", "reasons"), OUTPUTS.values(), ids=OUTPUTS)
def test_an_output_is_not_as_it_was_made(
    step: VirtualStep, change: Change, reasons: list[str]
) -> None:
    step.build()
    change(step)
    assert step.decision() == ("restore", reasons)
    step.built.clear()
    assert step.decision() == ("build", reasons)


@pytest.mark.parametrize(
    ("record", "reasons"),
    [
        ({"changed_during_build": ("{project}/src/main.c",)}, ["moved {project}/src/main.c"]),
        ({"uncertain": ("{project}/a\\b.h",)}, ["doubtful {project}/a\\b.h"]),
        ({"runtime": {"libc++.so": "/sdk/libc++.so"}}, ["output /sdk/libc++.so"]),
    ],
)
def test_what_the_record_says_of_the_last_build(
    step: VirtualStep, record: dict[str, Any], reasons: list[str]
) -> None:
    step.build(**record)
    step.built.clear()
    assert step.decision() == ("build", reasons)


def test_a_library_that_ships_is_where_it_was(step: VirtualStep) -> None:
    step.files.write("/sdk/libc++.so", "library")
    step.build(runtime={"libc++.so": "/sdk/libc++.so"})
    assert step.decision() == ("up to date", [])


@pytest.mark.parametrize(
    "change",
    [delete("/sdk/libc++.so"), folder("/sdk/libc++.so"), link("/sdk/libc++.so", "nowhere")],
    ids=["deleted", "a directory", "a dangling link"],
)
def test_a_library_that_ships_is_lost(step: VirtualStep, change: Change) -> None:
    step.files.write("/sdk/libc++.so", "library")
    step.build(runtime={"libc++.so": "/sdk/libc++.so"})
    change(step)
    assert step.decision() == ("restore", ["output /sdk/libc++.so"])


@pytest.mark.parametrize(
    "change",
    [
        attribute("options", Options(use_caches=False)),
        attribute("rebuild", frozenset(["host/app"])),
    ],
    ids=["no caches", "a step that may not be restored"],
)
def test_no_cache_is_asked(step: VirtualStep, change: Change) -> None:
    step.build()
    step.files.delete(OUT)
    assert step.decision()[0] == "restore"
    change(step)
    assert step.decision()[0] == "build"


def test_the_build_tree_is_needed_and_missing(step: VirtualStep) -> None:
    step.build()
    step.trees = frozenset(["host/other"])
    assert step.decision() == ("up to date", [])
    step.trees = frozenset(["host/app"])
    assert step.decision() == ("build", ["tree"])


def test_a_record_of_a_tool_that_the_project_no_longer_uses(step: VirtualStep) -> None:
    step.build()
    (record,) = step.built
    foreign = record.inputs._replace(
        paths=record.inputs.paths._replace(files=("{zig}/lib/a.h",)),
        digests={"{zig}/lib/a.h": "a" * 64},
    )
    step.keep(record._replace(inputs=foreign))
    assert step.decision() == ("restore", ["first"])


def test_a_variable_that_is_let_through(step: VirtualStep, monkeypatch: pytest.MonkeyPatch) -> None:
    step.build()
    monkeypatch.setenv("BUILDTOOL_TEST_LET_THROUGH", "1")
    reason = "field environment.BUILDTOOL_TEST_LET_THROUGH"
    assert step.decision() == ("build", [reason])
    monkeypatch.setenv("BUILDTOOL_TEST_NOT_LET_THROUGH", "1")
    monkeypatch.delenv("BUILDTOOL_TEST_LET_THROUGH")
    assert step.decision() == ("up to date", [])
