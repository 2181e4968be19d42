"""The software bill of materials of a release."""

from __future__ import annotations

import importlib.resources
import json
import random
import uuid
from typing import Any

import jsonschema
import pytest
from referencing import Registry, Resource

from buildtool.release.supply_chain.attach import Part
from buildtool.release.supply_chain.sbom import sbom
from tests.unit.supply_chain.releases import CALC, FILES, LICENCES, PARTS, changed, release

DIGEST = "d" * 64


def validate(document: Any) -> None:
    """Raise `jsonschema.ValidationError` unless it matches the schema that CycloneDX published."""
    folder = importlib.resources.files("cyclonedx.schema") / "_res"
    named = {}
    for name in ("bom-1.6", "spdx", "jsf-0.82"):
        schema = json.loads((folder / f"{name}.SNAPSHOT.schema.json").read_text(encoding="utf-8"))
        named[name] = schema
    rows = [
        (f"http://cyclonedx.org/schema/{name}.SNAPSHOT.schema.json", Resource.from_contents(schema))
        for name, schema in named.items()
    ]
    registry: Registry[Any] = Registry().with_resources(rows)
    jsonschema.Draft7Validator(named["bom-1.6"], registry=registry).validate(document)


def components(document: Any, kind: str) -> dict[str, Any]:
    return {row["name"]: row for row in document["components"] if row["type"] == kind}


def test_files_parts_and_tools() -> None:
    document = json.loads(sbom(release(), DIGEST, PARTS))

    validate(document)
    main = document["metadata"]["component"]
    assert (main["name"], main["version"]) == ("demo", "1.2")
    assert main["hashes"] == [{"alg": "SHA-256", "content": DIGEST}]
    assert {p["name"]: p["value"] for p in main["properties"]}["buildtool:release"] == release()[
        "id"
    ]
    files = components(document, "file")
    assert {*files} == {*FILES, *LICENCES}
    demo = next(r for r in release()["slices"]["host"]["files"] if r["path"] == "bin/demo")
    assert files["bin/demo"]["hashes"] == [{"alg": "SHA-256", "content": demo["sha256"]}]
    libraries = components(document, "library")
    assert libraries["calc"]["purl"] == CALC.purl
    assert libraries["calc"]["licenses"] == [{"license": {"id": "MIT"}}]
    assert libraries["hexagon-sdk"]["licenses"] == [
        {"license": {"name": "Hexagon SDK licence agreement"}}
    ]
    tools = document["metadata"]["tools"]["components"]
    assert {(tool["name"], tool["version"]) for tool in tools} == {
        ("buildtool", "0.1.0"),
        ("clang", "22"),
        ("cmake", "4.4.4"),
    }


def test_dependencies() -> None:
    document = json.loads(sbom(release(), DIGEST, PARTS))

    depends = {row["ref"]: row.get("dependsOn", []) for row in document["dependencies"]}
    assert depends["file:lib/libcalc.so.1"] == [CALC.purl]
    assert {*depends["release"]} == {
        *(f"file:{path}" for path in (*FILES, *LICENCES)),
        *(part.purl for part in PARTS),
    }


def test_equal_archives_have_equal_bills() -> None:
    document, parts = release(), [*PARTS]
    first = sbom(document, DIGEST, parts)
    random.Random(1).shuffle(parts)
    for part in document["slices"].values():
        part["files"].reverse()
    document["slices"] = dict(reversed(document["slices"].items()))
    document["steps"].reverse()

    assert sbom(document, DIGEST, parts) == first
    read = json.loads(first)
    assert read["metadata"]["timestamp"] == "2023-11-14T22:13:20+00:00"
    assert uuid.UUID(read["serialNumber"])
    other = json.loads(sbom(document, "0" * 64, parts))
    assert other["serialNumber"] != read["serialNumber"]


@pytest.mark.parametrize(
    ("licences", "expected"),
    [
        (("BSD-3-Clause",), [{"license": {"id": "BSD-3-Clause"}}]),
        (("MIT OR Apache-2.0",), [{"expression": "MIT OR Apache-2.0"}]),
        (
            ("MIT OR Apache-2.0", "Zlib"),
            [{"license": {"id": "Zlib"}}, {"license": {"name": "MIT OR Apache-2.0"}}],
        ),
        (
            ("Acme's own", "MIT", "MIT"),
            [{"license": {"id": "MIT"}}, {"license": {"name": "Acme's own"}}],
        ),
        ((), None),
        (("",), None),
    ],
)
def test_licences(licences: tuple[str, ...], expected: Any) -> None:
    part = Part("x", "1", "pkg:conan/x@1", licences)

    document = json.loads(sbom(release(), DIGEST, [part]))

    validate(document)
    assert components(document, "library")["x"].get("licenses") == expected


def test_sources_without_a_revision() -> None:
    document = json.loads(
        sbom(changed(release(), "source", {"revision": None, "dirty": None}), DIGEST, ())
    )

    validate(document)
    names = {row["name"] for row in document["metadata"]["component"]["properties"]}
    assert not any(name.startswith("buildtool:source") for name in names)
