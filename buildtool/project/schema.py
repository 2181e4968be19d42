"""The JSON schemas of TOML files for editors, generated from the models."""

from __future__ import annotations

import typing
from collections.abc import Mapping
from typing import Any

from buildtool.project.components import COMPONENT_KEYS
from buildtool.project.keys import Key, keys
from buildtool.project.model import SECTIONS, Header

_TYPES = {str: "string", bool: "boolean", int: "integer", float: "number"}


def json_schema() -> dict[str, Any]:
    """The schema of `buildtool.toml` as a JSON-serialisable value (draft 2020-12)."""
    schema = file_schema("buildtool.toml", SECTIONS)
    schema["properties"] = {"project": _record(Header), **schema["properties"]}
    return {**schema, "required": ["project"]}


def file_schema(title: str, sections: Mapping[str, type]) -> dict[str, Any]:
    """The schema of a file of tables `[section.NAME]`."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": title,
        "type": "object",
        "additionalProperties": False,
        "properties": {
            name: {
                "type": "object",
                "description": _description(record),
                "additionalProperties": _record(record),
            }
            for name, record in sections.items()
        },
    }


def _description(record: type) -> str:
    """The docstring in one line."""
    return " ".join((record.__doc__ or "").split())


def _record(record: Any) -> dict[str, Any]:
    properties, required = {}, []
    one_of = COMPONENT_KEYS.get(record, ())
    for field, (kind, key) in keys(record).items():
        name = field.replace("_", "-")
        entry = _type(kind, key)
        entry["description"] = key.doc
        if field not in record._field_defaults:
            required.append(name)
        elif not isinstance(default := record._field_defaults[field], dict):
            entry["default"] = list(default) if isinstance(default, tuple) else default
        properties[name] = entry
    return {
        "type": "object",
        "description": _description(record),
        "additionalProperties": False,
        "properties": properties,
        **({"required": required} if required else {}),
        **({"anyOf": [{"required": [name]} for name in one_of]} if one_of else {}),
    }


def _type(hint: Any, key: Key) -> dict[str, Any]:
    if hint in _TYPES:
        return {"type": _TYPES[hint], **({"enum": list(key.choices)} if key.choices else {})}
    if typing.get_origin(hint) is tuple:
        unique = {} if key.repeats else {"uniqueItems": True}
        return {"type": "array", "items": _type(str, key), **unique}
    kinds = [_TYPES[kind] for kind in typing.get_args(typing.get_args(hint)[1])]
    return {"type": "object", "additionalProperties": {"type": kinds}}
