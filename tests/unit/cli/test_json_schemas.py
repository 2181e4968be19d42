"""The schemas of the documents that commands print.

BUILDTOOL_UPDATE_GOLDEN=1 writes them again: a change of a type is a change for users.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import jsonschema
import pytest

from buildtool.cli import main
from buildtool.cli.show import show_error, show_internal_error
from buildtool.core.errors import UsageError
from tests.command_line import REPOSITORY
from tests.json_documents import (
    DIRECTORY,
    DOCUMENTS,
    ENDING,
    OBJECTS,
    made_schemas,
    printing_json,
    schemas,
    validate,
)


@pytest.mark.parametrize("name", [*DOCUMENTS, OBJECTS])
def test_each_schema_is_that_of_the_types(name: str) -> None:
    file = DIRECTORY / f"{name}{ENDING}"
    made = made_schemas()[name]
    text = json.dumps(made, indent=2, ensure_ascii=False) + "\n"
    if os.environ.get("BUILDTOOL_UPDATE_GOLDEN") == "1":
        file.write_text(text)

    jsonschema.Draft202012Validator.check_schema(made)
    assert file.read_text() == text, "BUILDTOOL_UPDATE_GOLDEN=1 writes it again"
    if name != OBJECTS:
        assert (DIRECTORY / "../json.md").read_text().count(f"(json/{name}{ENDING})") == 1


def test_every_command_that_prints_json_has_a_schema() -> None:
    assert set(DOCUMENTS) == printing_json() | {"build-plan", "error"}
    assert set(schemas()) == {*DOCUMENTS, OBJECTS}


def test_every_key_is_an_identifier_with_a_meaning() -> None:
    for described in schemas()[OBJECTS]["$defs"].values():
        for key, value in described["properties"].items():
            assert re.fullmatch(r"[a-z][a-z0-9_]*", key)
            assert value["description"]


def test_the_schema_of_the_project_file_is_printed_as_it_is_published(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["init", "--schema"]) == 0

    published = (REPOSITORY / "docs" / "buildtool.schema.json").read_text()
    assert json.loads(capsys.readouterr().out) == json.loads(published)


def test_the_documents_of_errors(capsys: pytest.CaptureFixture[str]) -> None:
    show_error(UsageError("wrong", why="so", remedy="Repair it."), as_json=True)
    usage = json.loads(capsys.readouterr().out)
    show_internal_error(KeyError("x"), as_json=True)
    internal = json.loads(capsys.readouterr().out)

    for document in (usage, internal):
        validate("error", document)
        validate("build", document)
    assert usage["error"]["remedy"] == "Repair it."
    assert internal["error"]["code"] == "internal"


@pytest.mark.parametrize(
    ("name", "words"),
    [
        *((name, f"{name.replace('-', ' ')} --no-such-option") for name in sorted(printing_json())),
        ("build", "build"),
        ("run", "run no-such-device"),
        ("inspect", "inspect no-such-file"),
        ("idl", "idl no-such-file"),
        ("sysroot-show", "sysroot show none"),
    ],
)
def test_each_command_that_fails_prints_an_error(
    name: str,
    words: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)

    status = main([*words.split(), "--json"])

    printed = json.loads(capsys.readouterr().out)
    assert status != 0
    validate("error", printed)
    validate(name, printed)
