"""The reasons for which a step is not up to date, and their texts."""

from __future__ import annotations

from pathlib import Path

import pytest

from buildtool.cache.outputs import Output
from buildtool.engine.record import changed_outputs
from buildtool.engine.result import Reason, input_reasons
from buildtool.inputs.file_states import FileStates
from buildtool.inputs.path_sets import Change

OLD, NEW = "a" * 64, "b" * 64


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

    assert changed_outputs(outputs, tmp_path, file_states) == [
        ("other", "changed"),
        ("runs", "changed"),
        ("gone", "missing"),
        ("astray", "changed"),
        ("no-link", "missing"),
    ]
