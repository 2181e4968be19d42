"""The software bill of materials of a release, as CycloneDX 1.6.

Equal archives have equal bills: the serial number is that of the archive's digest, and the time is
SOURCE_DATE_EPOCH.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from cyclonedx.contrib.license.factories import LicenseFactory
from cyclonedx.model import HashAlgorithm, HashType, Property
from cyclonedx.model.bom import Bom, BomMetaData
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.model.license import DisjunctiveLicense, License
from cyclonedx.model.tool import ToolRepository
from cyclonedx.output.json import JsonV1Dot6
from packageurl import PackageURL

if TYPE_CHECKING:
    from buildtool.release.supply_chain.attach import Part


def sbom(release: Mapping[str, Any], sha256: str, parts: Sequence[Part]) -> str:
    """The bill of materials of an archive as JSON.

    `release` is the document `release.json`, `sha256` the digest of the archive, `parts` what is in
    it of other projects.
    """
    main = Component(
        type=ComponentType.APPLICATION,
        bom_ref="release",
        name=release["project"],
        version=release["version"],
        hashes=[_sha256(sha256)],
        properties=_properties(_release_properties(release)),
    )
    tools = [
        Component(
            type=ComponentType.APPLICATION,
            bom_ref=f"tool:{name}@{version}",
            name=name,
            version=version,
        )
        for name, version in sorted(_tools(release))
    ]
    bom = Bom(
        serial_number=uuid.uuid5(uuid.NAMESPACE_OID, f"buildtool archive {sha256}"),
        metadata=BomMetaData(
            component=main,
            tools=ToolRepository(components=tools),
            timestamp=datetime.fromtimestamp(release["source_date_epoch"], UTC),
        ),
    )
    others = {part: _part(part) for part in parts}
    own = {row["path"]: _file(name, row) for name, row in _files(release)}
    for component in (*own.values(), *others.values()):
        bom.components.add(component)
    bom.register_dependency(main, [*own.values(), *others.values()])
    for part, component in others.items():
        for path in part.files:
            bom.register_dependency(own[path], [component])
    return JsonV1Dot6(bom).output_as_string(indent=2) + "\n"


def _release_properties(release: Mapping[str, Any]) -> dict[str, str]:
    source = release["source"]
    return {
        "release": release["id"],
        "target": release["target"]["name"],
        "platform": release["target"]["platform"],
        "source:revision": source["revision"] or "",
        "source:dirty": {True: "true", False: "false"}.get(source["dirty"], ""),
        **{f"slice:{name}": part["id"] for name, part in release["slices"].items()},
    }


def _tools(release: Mapping[str, Any]) -> set[tuple[str, str]]:
    """Names and versions of the tools that made the release."""
    tools = {("buildtool", release["buildtool"])}
    for step in release["steps"]:
        if not step["tools"]:  # prebuilt files
            continue
        compiler, _, version = step["tools"]["compiler"].partition(" ")
        tools |= {(compiler, version), ("cmake", step["tools"]["cmake"])}
    return tools


def _files(release: Mapping[str, Any]) -> list[tuple[str, Mapping[str, Any]]]:
    """The files with the names of their slices, "" for licence files; links are other names."""
    rows = [(name, row) for name, part in release["slices"].items() for row in part["files"]]
    rows += [("", row) for row in release.get("licenses", ())]
    return [(name, row) for name, row in rows if "link" not in row]


def _file(slice_name: str, row: Mapping[str, Any]) -> Component:
    return Component(
        type=ComponentType.FILE,
        bom_ref=f"file:{row['path']}",
        name=row["path"],
        hashes=[_sha256(row["sha256"])],
        properties=_properties({"slice": slice_name, "mode": row["mode"]}),
    )


def _part(part: Part) -> Component:
    return Component(
        type=ComponentType.LIBRARY,
        bom_ref=part.purl,
        name=part.name,
        version=part.version,
        purl=PackageURL.from_string(part.purl),
        licenses=_licences(part.licences),
        properties=_properties({"revision": part.revision}),
    )


def _licences(texts: Iterable[str]) -> list[License]:
    """The licences as SPDX identifiers or expressions where they are; other texts are names.

    CycloneDX has either one expression or any number of licences.
    """
    found = [LicenseFactory().make_from_string(text) for text in dict.fromkeys(texts) if text]
    if len(found) == 1:
        return found
    return [
        each if isinstance(each, DisjunctiveLicense) else DisjunctiveLicense(name=each.value)
        for each in found
    ]


def _properties(values: Mapping[str, str]) -> list[Property]:
    return [Property(name=f"buildtool:{name}", value=v) for name, v in values.items() if v]


def _sha256(digest: str) -> HashType:
    return HashType(alg=HashAlgorithm.SHA_256, content=digest)
