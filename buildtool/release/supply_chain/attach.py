"""Writes the documents of a release beside its archives, and signs both: SBOM and provenance.

The provenance says how an archive was made: an in-toto statement.  It says nothing that differs
from one build of the same sources to the next: no time of the build, no name of a machine.
Sources: in-toto Statement v1, SLSA Provenance v1.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from buildtool.core.files import write_if_changed
from buildtool.core.value import Value
from buildtool.engine.result import StepResult
from buildtool.plan.component_step import OWNERS, FilesStep
from buildtool.plan.plan import CMakeStep, Step
from buildtool.release.supply_chain.sign import sign, signature_file
from buildtool.toolchains.system_libraries import SHARED_STL

_LLVM = "Apache-2.0 WITH LLVM-exception"


class Part(Value):
    """A component of another project."""

    name: str
    version: str
    purl: str  # its package URL
    licences: tuple[str, ...] = ()  # SPDX expressions or names
    files: tuple[str, ...] = ()  # those of the release that are copies of its own
    revision: str = ""  # identifies its sources, "" if that is not known


def find_parts(results: Iterable[StepResult], shipped: Collection[str]) -> tuple[Part, ...]:
    """The parts of a release that these steps made; `shipped` are the paths of its files.

    Raises `ToolError` when Conan's graph is not as expected.
    """
    found: dict[str, Part] = {}
    for result in results:
        for part in _parts(result, shipped):
            files = found.get(part.purl, part).files
            found[part.purl] = part._replace(files=tuple(sorted({*files, *part.files})))
    return tuple(sorted(found.values()))


def _parts(result: StepResult, shipped: Collection[str]) -> Iterator[Part]:
    step, runtime = result.step, dict(result.record.runtime if result.record else {})
    if isinstance(step, CMakeStep) and step.conan:
        from buildtool.drivers.conan.install import step_packages  # noqa: PLC0415 - most have none

        for package in step_packages(step):
            own = {
                name: path
                for name, path in runtime.items()
                if Path(path).is_relative_to(package.folder.resolve())
            }
            yield Part(
                name=package.name,
                version=package.version,
                purl=package.purl,
                licences=package.licences,
                files=_places(step, own, shipped),
                revision=package.revision,
            )
    if isinstance(step, FilesStep) and step.debian:
        owners = json.loads((step.output / OWNERS).read_bytes())
        for debian in step.debian:
            own = {name: "" for name, owner in owners.items() if owner == debian.name}
            places = _places(step, own, shipped)
            yield Part(debian.name, debian.version, debian.purl, files=places)
    toolchain = {
        name: path for name, path in runtime.items() if Path(name).name in step.profile.runtime
    }
    if isinstance(step, CMakeStep) or toolchain:
        own = {name: "" for name in result.files if Path(name).name == SHARED_STL}
        yield from _toolchain(step, _places(step, {**toolchain, **own}, shipped))


def _places(step: Step, runtime: dict[str, str], shipped: Collection[str]) -> tuple[str, ...]:
    """The paths in the release of libraries that ship with the step; see `release.layout`."""
    names = {Path(text).name for pair in runtime.items() for text in pair}
    folder = f"dsp/{step.arch}" if step.arch else "lib"
    places = {*runtime, *(f"{folder}/{name}" for name in names)}
    return tuple(sorted(places.intersection(shipped)))


def _toolchain(step: Step, files: tuple[str, ...]) -> Iterator[Part]:
    """The toolchain's own libraries, which are linked into what it compiles or ship with it."""
    profile = step.profile
    if "ZIG" in profile.places:
        from buildtool.sdk.program import python_package  # noqa: PLC0415 - only packaging

        package = python_package("ziglang")
        version = package.version if package else "unknown"
        yield Part("ziglang", version, f"pkg:pypi/ziglang@{version}", ("MIT", _LLVM), files)
    elif "NDK" in profile.places:
        version = profile.settings["NDK_MAJOR"]
        yield Part("android-ndk", version, f"pkg:generic/android-ndk@{version}", (_LLVM,), files)
    elif "SDK" in profile.places:
        version = profile.name.rpartition("-sdk")[2]
        purl = f"pkg:generic/hexagon-sdk@{version}"
        yield Part("hexagon-sdk", version, purl, ("Hexagon SDK licence agreement",), files)


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
