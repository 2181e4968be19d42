"""Common properties of the schemas of the documents that commands print."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from buildtool.cli import main
from buildtool.cli.errors import show_error, show_internal_error
from buildtool.cli.show import SCHEMA
from buildtool.core.errors import UsageError
from tests.command_line import REPOSITORY
from tests.json_documents import ENDING, printing_json, schemas, validate


def objects(schema: Any) -> Iterator[dict[str, Any]]:
    """Every object that a schema describes."""
    if isinstance(schema, dict):
        if schema.get("type") == "object":
            yield schema
        for inner in schema.values():
            yield from objects(inner)
    elif isinstance(schema, list):
        for inner in schema:
            yield from objects(inner)


def test_every_command_that_prints_json_has_a_schema() -> None:
    assert set(schemas()) == printing_json() | {"build-plan", "error"}


@pytest.mark.parametrize("name", schemas())
def test_every_key_is_an_identifier_with_a_meaning_and_none_is_left_open(name: str) -> None:
    schema = schemas()[name]

    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["$id"] == name + ENDING
    found = list(objects(schema))
    assert found
    for described in found:
        assert "properties" in described or "propertyNames" in described
        assert described["additionalProperties"] is False or "propertyNames" in described
        for key, value in described.get("properties", {}).items():
            assert re.fullmatch(r"[a-z][a-z0-9_]*", key)
            assert value.get("description") or "$ref" in value, key
            assert key in described["required"]


@pytest.mark.parametrize("name", schemas())
def test_every_document_has_the_number_of_its_schema(name: str) -> None:
    schema = schemas()[name]
    document = schema if name == "error" else schema["$defs"]["document"]

    assert document["properties"]["schema"]["const"] == SCHEMA
    assert (REPOSITORY / "docs" / "json.md").read_text().count(f"(json/{name}{ENDING})") == 1


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
