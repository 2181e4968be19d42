"""The JSON schema of `buildtool.toml` for editors, generated from the model."""

from __future__ import annotations

import typing
from typing import Any

from buildtool.project.model import SECTIONS, Header, Key, keys

_TYPES = {str: "string", bool: "boolean", int: "integer"}


def json_schema() -> dict[str, Any]:
    """The schema as a JSON-serialisable value (draft 2020-12)."""
    sections = {
        name: {
            "type": "object",
            "description": (record.__doc__ or "").strip(),
            "additionalProperties": _record(record),
        }
        for name, record in SECTIONS.items()
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "buildtool.toml",
        "type": "object",
        "required": ["project"],
        "additionalProperties": False,
        "properties": {"project": _record(Header), **sections},
    }


def _record(record: Any) -> dict[str, Any]:
    properties, required = {}, []
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
        "description": (record.__doc__ or "").strip(),
        "additionalProperties": False,
        "properties": properties,
        **({"required": required} if required else {}),
    }


def _type(hint: Any, key: Key) -> dict[str, Any]:
    if hint in _TYPES:
        return {"type": _TYPES[hint], **({"enum": list(key.choices)} if key.choices else {})}
    if typing.get_origin(hint) is tuple:
        unique = {} if key.repeats else {"uniqueItems": True}
        return {"type": "array", "items": _type(str, key), **unique}
    kinds = [_TYPES[kind] for kind in typing.get_args(typing.get_args(hint)[1])]
    return {"type": "object", "additionalProperties": {"type": kinds}}
