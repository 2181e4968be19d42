"""Writes the documents of a release beside its archives, and signs both: SBOM and provenance.

The provenance says how an archive was made: an in-toto statement.  It says nothing that differs
from one build of the same sources to the next: no time of the build, no name of a machine.
Sources: in-toto Statement v1, SLSA Provenance v1.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from buildtool.core.files import write_if_changed
from buildtool.release.supply_chain.parts import Part
from buildtool.release.supply_chain.sign import sign, signature_file

SBOM, PROVENANCE = ".cdx.json", ".provenance.json"
"""The suffixes of the documents, behind the name of the archive."""
RELEASE_PROPERTY = "buildtool:release"
"""The property of the main component of an SBOM with the release's id."""
STATEMENT = "https://in-toto.io/Statement/v1"
PREDICATE = "https://slsa.dev/provenance/v1"
BUILDER = "pkg:pypi/hexagon-buildtool"
BUILD_TYPE = f"{BUILDER}#package/v1"
"""The type of build, which defines the parameters: docs/supply-chain.md."""


def remove_documents(archive: Path) -> None:
    """Remove the documents and signatures beside an archive that has other bytes now."""
    for suffix in ("", SBOM, PROVENANCE):
        document = archive.with_name(f"{archive.name}{suffix}")
        signature_file(document).unlink(missing_ok=True)
        if suffix:
            document.unlink(missing_ok=True)


def attach(
    archives: Mapping[Path, str],
    release: Mapping[str, Any],
    parts: Sequence[Part],
    *,
    options: Mapping[str, Any] | None = None,
    key: Path | None = None,
) -> tuple[Path, ...]:
    """Write `ARCHIVE.cdx.json` and `ARCHIVE.provenance.json` beside each archive, and with `key`
    the signatures of all three; returns what was written.

    `archives` are paths with their sha256, `release` is the document `release.json`, `parts` what
    is in it of other projects, `options` are those of the command.  Signatures of earlier archives
    are removed.  Raises `OSError`, and what `sign` raises.
    """
    from buildtool.release.supply_chain.sbom import sbom  # noqa: PLC0415 - its imports take 0.1 s

    written = []
    for archive, sha256 in archives.items():
        bill = sbom(release, sha256, parts)
        statement = provenance(release, {archive.name: sha256}, parts, options)
        files = [archive]
        for suffix, text in ((SBOM, bill), (PROVENANCE, statement)):
            files.append(archive.with_name(f"{archive.name}{suffix}"))
            write_if_changed(files[-1], text)
        written += files[1:]
        for file in files:
            if key:
                written.append(sign(file, key))
            else:
                signature_file(file).unlink(missing_ok=True)
    return tuple(written)


def provenance(
    release: Mapping[str, Any],
    subjects: Mapping[str, str],
    parts: Sequence[Part],
    options: Mapping[str, Any] | None = None,
) -> str:
    """The statement as JSON.

    `release` is the document `release.json`; `subjects` are the archives, name → sha256; `parts`
    is what is in the release of other projects; `options` are those of the command, as JSON.
    """
    target = release["target"]
    statement = {
        "_type": STATEMENT,
        "subject": [
            {"name": name, "digest": {"sha256": digest}}
            for name, digest in sorted(subjects.items())
        ],
        "predicateType": PREDICATE,
        "predicate": {
            "buildDefinition": {
                "buildType": BUILD_TYPE,
                "externalParameters": {
                    "project": release["project"],
                    "version": release["version"],
                    "target": target["name"],
                    "options": dict(options or {}),
                },
                "internalParameters": {
                    "target": dict(target),
                    "sourceDateEpoch": release["source_date_epoch"],
                    "steps": {step["name"]: step["profile"] for step in release["steps"]},
                },
                "resolvedDependencies": [
                    *_source(release),
                    *_toolchains(release),
                    *(_dependency(part) for part in sorted(parts)),
                ],
            },
            "runDetails": {
                "builder": {"id": BUILDER, "version": {"buildtool": release["buildtool"]}},
                "metadata": {"invocationId": release["id"]},
            },
        },
    }
    return json.dumps(statement, indent=2, sort_keys=True) + "\n"


def _source(release: Mapping[str, Any]) -> list[dict[str, Any]]:
    revision, dirty = release["source"]["revision"], release["source"]["dirty"]
    if not revision:
        return []
    source: dict[str, Any] = {"name": "source", "digest": {"gitCommit": revision}}
    if dirty is not False:
        # The commit alone does not identify the sources.
        source["annotations"] = {"dirty": dirty}
    return [source]


def _toolchains(release: Mapping[str, Any]) -> list[dict[str, Any]]:
    found = {step["profile"]: step for step in release["steps"] if step["tools"]}
    return [
        {
            "name": name,
            "digest": {"sha256": step["profile_digest"]},
            "annotations": {"tools": dict(step["tools"])},
        }
        for name, step in sorted(found.items())
    ]


def _dependency(part: Part) -> dict[str, Any]:
    row: dict[str, Any] = {"name": f"{part.name}/{part.version}", "uri": part.purl}
    if part.revision:
        row["digest"] = {"revision": part.revision}
    return row
