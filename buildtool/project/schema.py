"""The JSON schema of `buildtool.toml`, for editors, made from the model."""

from __future__ import annotations

import dataclasses
import typing
from typing import Any

from buildtool.project.model import SECTIONS, Header

_TYPES = {str: "string", bool: "boolean", int: "integer"}


def json_schema() -> dict[str, Any]:
    """The schema as a JSON-able value (draft 2020-12)."""
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
    hints = typing.get_type_hints(record)
    properties, required = {}, []
    for field in dataclasses.fields(record):
        name = field.name.replace("_", "-")
        entry = _type(hints[field.name], field.metadata["choices"])
        entry["description"] = field.metadata["doc"]
        if field.default is not dataclasses.MISSING:
            default = field.default
            entry["default"] = list(default) if isinstance(default, tuple) else default
        elif field.default_factory is dataclasses.MISSING:
            required.append(name)
        properties[name] = entry
    return {
        "type": "object",
        "description": (record.__doc__ or "").strip(),
        "additionalProperties": False,
        "properties": properties,
        **({"required": required} if required else {}),
    }


def _type(hint: Any, choices: tuple[str, ...]) -> dict[str, Any]:
    if hint in _TYPES:
        return {"type": _TYPES[hint], **({"enum": list(choices)} if choices else {})}
    if typing.get_origin(hint) is tuple:
        return {"type": "array", "items": _type(str, choices), "uniqueItems": True}
    kinds = [_TYPES[kind] for kind in typing.get_args(typing.get_args(hint)[1])]
    return {"type": "object", "additionalProperties": {"type": kinds}}
