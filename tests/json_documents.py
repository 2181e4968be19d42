"""The schemas in docs/json: made of `buildtool.documents`, and the commands that they describe."""

from __future__ import annotations

import ast
import functools
import importlib
import json
import sys
import types
from collections.abc import Iterator, Mapping
from enum import Enum
from pathlib import Path, PurePath
from typing import (
    Annotated,
    Any,
    Literal,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

import jsonschema
import typer.main
from referencing import Registry, Resource
from typer.core import TyperCommand, TyperGroup

from buildtool.cli.show import SCHEMA
from buildtool.cli.typer_app import typer_app
from buildtool.core.value import Described, described
from buildtool.documents import (
    Extended,
    builds,
    devices,
    explanations,
    inspection,
    runs,
    toolchains,
)
from tests.command_line import REPOSITORY

ENDING = ".schema.json"
OBJECTS = "objects"
DIRECTORY = REPOSITORY / "docs" / "json"
DOCUMENTS: dict[str, tuple[type, ...]] = {
    "bench": (
        *(runs.BenchDocument, runs.ComparisonDocument),
        runs.SweepDocument,
        *(builds.BuildDocument, runs.OnDevicesDocument),
    ),
    "bisect": (runs.BisectDocument,),
    "build": (builds.BuildDocument,),
    "build-plan": (builds.PlanDocument,),
    "capture": (runs.CaptureDocument, builds.BuildDocument),
    "cache-clear": (builds.CacheFreedDocument,),
    "cache-gc": (builds.CacheFreedDocument,),
    "cache-stats": (builds.CacheStatsDocument,),
    "cache-verify": (builds.CacheVerifyDocument,),
    "clean": (builds.CleanDocument,),
    "deploy": (runs.DeployDocument, builds.BuildDocument, runs.OnDevicesDocument),
    "devices-add": (devices.DeviceAddedDocument,),
    "devices-check": (devices.DeviceCheckDocument,),
    "devices-facts": (devices.DeviceFactsDocument,),
    "devices-list": (devices.DevicesDocument,),
    "devices-status": (devices.DevicesStatusDocument,),
    "devices-unlock": (devices.UnlockDocument,),
    "diverge": (runs.DivergeDocument, builds.BuildDocument),
    "doctor": (toolchains.DoctorDocument,),
    "error": (),
    "explain": (explanations.ExplainDocument,),
    "ide": (toolchains.IdeDocument,),
    "idl": (toolchains.IdlDocument, builds.IdlErrorsDocument),
    "init": (toolchains.InitDocument,),
    "inspect": (inspection.ElfDocument, inspection.InspectDocument, inspection.RulesDocument),
    "lint": (inspection.LintDocument, inspection.LintRulesDocument),
    "lock": (toolchains.LockDocument,),
    "package": (inspection.PackageDocument, builds.BuildDocument),
    "profile": (toolchains.ProfileDocument,),
    "probe": (devices.CardDocument, devices.QualificationDocument, builds.BuildDocument),
    "rollback": (runs.RollbackDocument,),
    "run": (runs.RunDocument, builds.BuildDocument, runs.OnDevicesDocument),
    "sdk-install": (toolchains.SdkDocument,),
    "sysroot-list": (toolchains.SysrootsDocument,),
    "sysroot-pull": (toolchains.SysrootPullDocument,),
    "sysroot-show": (toolchains.SysrootShowDocument,),
    "sysroot-stub": (toolchains.ImportStubDocument,),
    "test": (
        *(runs.TestDocument, builds.BuildDocument),
        *(runs.TestListDocument, runs.TestExportDocument, runs.OnDevicesDocument),
    ),
    "verify": (inspection.VerifyDocument,),
    "why": (builds.WhyDocument,),
}
"""What each command prints, besides errors."""


def schemas() -> dict[str, dict[str, Any]]:
    """The schemas, by the name of the command (`cache-stats`)."""
    files = sorted(DIRECTORY.glob(f"*{ENDING}"))
    return {
        file.name.removesuffix(ENDING): json.loads(file.read_text(encoding="utf-8"))
        for file in files
    }


def made_schemas() -> dict[str, dict[str, Any]]:
    """The schemas, made of the types: one of each command, which refer to that of all objects."""
    objects: dict[str, Any] = {}
    made = {name: _command_schema(name, objects) for name in DOCUMENTS}
    printed = {reference["$ref"] for schema in made.values() for reference in schema["oneOf"]}
    for name in (reference.rpartition("/")[2] for reference in printed):
        number = {"description": "number of the schema", "const": SCHEMA}
        objects[name]["properties"] = {"schema": number, **objects[name]["properties"]}
        objects[name]["required"].insert(0, "schema")
    title = "objects of the documents that commands print with --json"
    return made | {OBJECTS: _schema(OBJECTS, title, {"$defs": dict(sorted(objects.items()))})}


def _command_schema(name: str, objects: dict[str, Any]) -> dict[str, Any]:
    command = {"error": "COMMAND", "build-plan": "build --plan"}.get(name, name.replace("-", " "))
    kinds = (*DOCUMENTS[name], builds.ErrorDocument)
    references = [_schema_of(kind, objects, f"{OBJECTS}{ENDING}") for kind in kinds]
    return _schema(name, f"buildtool {command} --json", {"oneOf": references})


def _schema(name: str, title: str, content: dict[str, Any]) -> dict[str, Any]:
    draft = "https://json-schema.org/draft/2020-12/schema"
    return {"$schema": draft, "$id": name + ENDING, "title": title, **content}


def _schema_of(kind: Any, objects: dict[str, Any], file: str = "") -> dict[str, Any]:
    """The schema of a type of `buildtool.documents`, or of a value whose fields have descriptions.

    Adds the schemas of objects to `objects`, and refers to them in `file`.
    """
    if get_origin(kind) is Annotated:
        inner, meaning, *values = get_args(kind)
        if inner == dict[str, Any]:  # an object of documents, which may have a meaning there
            reference = _schema_of(_value(meaning), objects, file)
            return {**({"description": values[0]} if values else {}), **reference}
        schema = {"description": meaning, **_schema_of(inner, objects)}
        if values == [int]:
            return schema | _schema_of(int, objects)  # it is rounded
        if values:
            schema["enum"] = [*values[0], *([None] if type(None) in get_args(inner) else [])]
        return schema
    if get_origin(kind) in (types.UnionType, Union):
        kinds = [_schema_of(each, objects) for each in get_args(kind)]
        if len(kinds) == 2 and kinds[1] == BASIC[type(None)] and "type" in kinds[0]:
            return {**kinds[0], "type": [kinds[0]["type"], "null"]}
        return {"oneOf": kinds}
    if get_origin(kind) is Literal:
        return {"type": "string", "enum": [*get_args(kind)]}
    if get_origin(kind) in (list, tuple, frozenset):
        return {"type": "array", "items": _schema_of(get_args(kind)[0], objects)}
    if get_origin(kind) in (dict, Mapping):
        value = _schema_of(get_args(kind)[1], objects)
        return {"type": "object", "additionalProperties": value}
    if is_typeddict(kind) or issubclass(kind, Described | Extended):
        name = _name_of(kind)
        if name not in objects:
            objects[name] = _object_of(kind, objects)
        assert OWNERS.setdefault(name, kind) is kind, f"two types {name}"
        return {"$ref": f"{file}#/$defs/{name}"}
    if issubclass(kind, Enum):
        return {"type": "string", "enum": [each.value for each in kind]}
    return dict(BASIC[str if issubclass(kind, str | PurePath) else kind])


VALUES = {
    "DiskUsage": "UsageObject",
    "Document": "SignedFileObject",
    "Inspection": "InspectedObject",
    "RuleText": "RuleObject",
    "Deployed": "DeployDocument",
    "TestRun": "TestDocument",
    "MetricResult": "MetricObject",
    "MethodResult": "MethodObject",
    "LastRun": "LastTestObject",
    "NeededLibrary": "LibraryObject",
    "Removed": "CleanDocument",
    "LogSummary": "InputObject",
    "TargetStatus": "TargetObject",
    "ToolStatus": "ToolObject",
    "Written": "WrittenFileObject",
}
"""The names of the schemas of values that are not the class's name with `Object`."""


OWNERS: dict[str, type] = {}
"""The types by name: two with one name would have one schema."""
BASIC: dict[Any, dict[str, Any]] = {
    bool: {"type": "boolean"},
    float: {"type": "number", "minimum": 0},
    int: {"type": "integer", "minimum": 0},
    str: {"type": "string"},
    type(None): {"type": "null"},
}


def _object_of(kind: type, objects: dict[str, Any]) -> dict[str, Any]:
    hints = _described(kind) if issubclass(kind, Described) else _hints(kind)
    if issubclass(kind, Extended):
        hints = {**_described(_value(kind.base)), **hints}
        del hints["base"]
    return {
        "type": "object",
        "properties": {key: _schema_of(hint, objects) for key, hint in hints.items()},
        "required": [*hints],
        "additionalProperties": False,
    }


def _name_of(kind: type) -> str:
    """The name of a type's schema."""
    if issubclass(kind, Described):
        return VALUES.get(kind.__name__, f"{kind.__name__}Object")
    return kind.__name__


def _value(place: str) -> type[Described]:
    """The class that documents name as `module:class`."""
    module, _, name = place.partition(":")
    value: type[Described] = getattr(importlib.import_module(module), name)
    return value


def _hints(kind: type) -> dict[str, Any]:
    return get_type_hints(kind, include_extras=True)


@functools.cache
def _names_in(module: types.ModuleType) -> dict[str, Any]:
    """The names of a module, with those that it imports for type checkers."""
    names = dict(vars(module))
    if file := names.get("__file__"):
        tree = ast.parse(Path(file).read_text(encoding="utf-8"))
        blocks = [each for each in tree.body if isinstance(each, ast.If)]
        for block in blocks:
            exec(compile(ast.Module(block.body, []), file, "exec"), names)
    return names


def _described(kind: type[Described]) -> dict[str, Any]:
    """The keys of a value with their types."""
    names: dict[str, Any] = {}
    for cls in reversed(kind.__mro__):
        names |= _names_in(sys.modules[cls.__module__])
    keys: dict[str, Any] = {}
    for key, text in described(kind).items():
        hint: Any = eval(text, names)
        inline = text.startswith("Inline[")
        keys.update(_described(get_args(hint)[0]) if inline else {key: hint})
    return keys


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
