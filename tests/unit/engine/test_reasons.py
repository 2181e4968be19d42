"""The reasons for which a step is not up to date, and their texts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from buildtool.cache.outputs import Output
from buildtool.engine.reasons import Reason, find_reasons, input_reasons
from buildtool.engine.record import StepRecord, changed_outputs
from buildtool.inputs.file_states import FileStates
from buildtool.inputs.globs import Glob
from buildtool.inputs.path_sets import Change, InputSet, PathSet

OLD, NEW = "a" * 64, "b" * 64
FIELDS: dict[str, Any] = {"cmake": {"defines": {"LEVEL": "1"}}, "version": 1}
PATHS = PathSet.of(
    ["{project}/main.c"], ["{project}/first/level.h"], [Glob("{project}/*.c", recursive=True)]
)


def seen(digest: str = OLD, *, header: bool = False, files: tuple[str, ...] = ()) -> InputSet:
    return InputSet(
        PATHS,
        {"{project}/main.c": digest},
        ("{project}/first/level.h",) if header else (),
        {"GLOB_RECURSE {project}/*.c": files},
    )


def record(outputs: tuple[Output, ...] = (), moved: tuple[str, ...] = ()) -> StepRecord:
    inputs = seen()
    return StepRecord("c" * 64, inputs, outputs, 1.0, fields=FIELDS, changed_during_build=moved)


def nothing(_: str) -> str:
    return ""


def test_nothing_is_a_reason_when_all_is_as_it_was(tmp_path: Path) -> None:
    assert find_reasons(record(), FIELDS, seen(), tmp_path, nothing) == ()


@pytest.mark.parametrize("missing", [(None, seen()), (record(), None)])
def test_without_a_last_time_there_is_one_reason(missing: Any, tmp_path: Path) -> None:
    assert find_reasons(missing[0], FIELDS, missing[1], tmp_path, nothing) == (Reason("first"),)


def test_all_differences_are_reported_in_order(tmp_path: Path) -> None:
    before = record((Output("bin/app", "executable", OLD, 3),), ("{project}/late.c",))
    fields = {"cmake": {"defines": {"LEVEL": "2", "FAST": "ON"}}, "version": 1}
    now = seen(NEW, header=True, files=("{project}/two.c",))

    found = find_reasons(before, fields, now, tmp_path, nothing)

    assert [reason.text for reason in found] == [
        "cmake.defines.FAST: nothing → 'ON'",
        "cmake.defines.LEVEL: '1' → '2'",
        "{project}/main.c changed: aaaaaaaa → bbbbbbbb",
        "{project}/first/level.h appeared: it hides another file, or is searched for",
        "{project}/two.c matches a glob now (GLOB_RECURSE {project}/*.c)",
        "{project}/late.c changed during the build",
        "the output bin/app is missing",
    ]
    assert [reason.kind for reason in found] == [
        *("field", "field", "input", "absent", "glob", "moved", "output")
    ]


@pytest.mark.parametrize(
    ("reason", "text"),
    [
        (Reason("first"), "it was not built here before"),
        (Reason("field", "profile.tools", OLD, NEW), "profile.tools: aaaaaaaa → bbbbbbbb"),
        (Reason("field", "x", "a" * 63 + "z", ""), f"x: '{'a' * 63}z' → nothing"),
        (Reason("field", "environment.X", "", '""'), 'environment.X: nothing → ""'),
        (Reason("input", "a.c", "", NEW), "a.c appeared"),
        (Reason("input", "a.c", OLD, ""), "a.c is gone"),
        (Reason("input", "a.sh", OLD, OLD + "+x"), "a.sh changed: aaaaaaaa → aaaaaaaa+x"),
        (Reason("input", "a", OLD, "directory"), "a changed: aaaaaaaa → 'directory'"),
        (Reason("glob", "a.c", "GLOB *.c", ""), "a.c no longer matches a glob (GLOB *.c)"),
        (Reason("output", "lib.so", "", "changed"), "the output lib.so is changed"),
    ],
)
def test_the_words(reason: Reason, text: str) -> None:
    assert reason.text == text


def test_what_was_there_and_should_not_have_been_is_gone() -> None:
    (reason,) = input_reasons([Change("vanished", "a.h", "present", "")])

    assert reason.text == "a.h is gone"


def test_outputs_that_are_not_as_they_were_made(tmp_path: Path) -> None:
    (tmp_path / "same").write_text("same")
    (tmp_path / "other").write_text("other")
    (tmp_path / "runs").write_text("same")
    (tmp_path / "link").symlink_to("same")
    (tmp_path / "astray").symlink_to("other")
    (tmp_path / "no-link").write_text("same")
    file_states = FileStates()
    digest = file_states.state(tmp_path / "same")
    outputs = [
        Output("same", "file", digest, 4),
        Output("other", "file", digest, 4),
        Output("runs", "executable", digest, 4),
        Output("gone", "file", digest, 4),
        Output("link", "link", target="same"),
        Output("astray", "link", target="same"),
        Output("no-link", "link", target="same"),
    ]

    assert changed_outputs(outputs, tmp_path, file_states.state) == [
        ("other", "changed"),
        ("runs", "changed"),
        ("gone", "missing"),
        ("astray", "changed"),
        ("no-link", "missing"),
    ]
