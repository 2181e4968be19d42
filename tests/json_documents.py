"""The schemas in docs/json, and the commands whose output they describe."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import jsonschema
import typer.main
from referencing import Registry, Resource
from typer.core import TyperCommand, TyperGroup

from buildtool.cli.typer_app import typer_app
from tests.command_line import REPOSITORY

ENDING = ".schema.json"


def schemas() -> dict[str, dict[str, Any]]:
    """The schemas, by the name of the command (`cache-stats`)."""
    files = sorted((REPOSITORY / "docs" / "json").glob(f"*{ENDING}"))
    return {file.name.removesuffix(ENDING): json.loads(file.read_text()) for file in files}


def commands() -> Iterator[tuple[str, TyperCommand]]:
    """All commands of the command line by name (`cache-stats`)."""
    groups = [("", typer.main.get_command(typer_app()))]
    for before, group in groups:
        assert isinstance(group, TyperGroup)
        for name, command in group.commands.items():
            if isinstance(command, TyperCommand):
                yield f"{before}{name}", command
            else:
                groups.append((f"{before}{name}-", command))


def printing_json() -> set[str]:
    """The names of the commands that take --json."""
    return {
        name
        for name, command in commands()
        if any("--json" in parameter.opts for parameter in command.params)
    }


def validate(name: str, document: Any) -> None:
    """Raise `jsonschema.ValidationError` unless `document` matches the schema `name`."""
    known = schemas()
    resources = [(schema["$id"], Resource.from_contents(schema)) for schema in known.values()]
    registry: Registry[Any] = Registry().with_resources(resources)
    jsonschema.Draft202012Validator(known[name], registry=registry).validate(document)
