"""`release.json`: what a release holds, what it was made of, and by which tools.

It lies at the top of a release and is not part of its ids.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from buildtool import __version__
from buildtool.core.elf.read import is_elf, read_elf
from buildtool.engine.result import BuildResult
from buildtool.plan.component_step import FilesStep
from buildtool.plan.plan import Step
from buildtool.project.model import Project
from buildtool.release.slices import Release, ReleaseFile, Slice
from buildtool.release.source import ReleaseSource

NAME = "release.json"
SCHEMA = 1


def release_document(
    project: Project,
    build: BuildResult,
    release: Release,
    source: ReleaseSource,
    licences: Mapping[str, Path],
) -> dict[str, Any]:
    """The document of `release`, which `build` made.

    `licences` are the licence files in its archives, path → file.  Raises `OSError` and `ElfError`.
    """
    target = project.targets[release.target]
    return {
        "schema": SCHEMA,
        "buildtool": __version__,
        "project": project.name,
        "version": project.header.version,
        "target": {
            "name": release.target,
            "platform": target.platform,
            "archs": list(release.archs),
            "glibc": target.glibc if target.platform == "ubuntu-aarch64" else None,
            "api": target.api if target.platform == "android" else None,
            "build_type": target.build_type,
            "system_libraries": list(target.system_libraries),
        },
        "id": release.id,
        "slices": {part.name: _slice(part, release) for part in release.slices},
        "licenses": [_licence(path, file) for path, file in sorted(licences.items())],
        "steps": [_step(result.step) for result in build.steps],
        "source": {"revision": source.revision, "dirty": source.dirty},
        "source_date_epoch": source.epoch,
    }


def document_text(document: Mapping[str, Any]) -> bytes:
    """The text of `release.json`."""
    return (json.dumps(document, indent=1, sort_keys=True) + "\n").encode()


def _slice(part: Slice, release: Release) -> dict[str, Any]:
    files: Sequence[Mapping[str, Any]] = [_file(file, release) for file in part.files]
    links = [{"path": link.path, "link": link.target} for link in part.links]
    return {"id": part.id, "files": sorted([*files, *links], key=lambda row: str(row["path"]))}


def _file(file: ReleaseFile, release: Release) -> dict[str, Any]:
    return {
        "path": file.path,
        "mode": f"{file.mode:04o}",
        "size": file.size,
        "sha256": file.sha256,
        "step": file.step or None,
        "elf": _elf(file, release),
    }


def _licence(path: str, file: Path) -> dict[str, Any]:
    data = file.read_bytes()
    digest = hashlib.sha256(data).hexdigest()
    return {"path": path, "mode": "0644", "size": len(data), "sha256": digest, "step": None}


def _elf(file: ReleaseFile, release: Release) -> dict[str, Any] | None:
    path = release.directory / file.path
    if not is_elf(path):
        return None
    elf = read_elf(path)
    return {
        "machine": elf.machine,
        "arch": elf.hexagon_arch or None,
        "kind": elf.kind,
        "soname": elf.soname or None,
        "needed": list(elf.needed),
        "build_id": file.build_id or None,
        "idl_digests": list(elf.notes),
    }


def _step(step: Step) -> dict[str, Any]:
    compiler = step.profile.compiler
    return {
        "name": step.name,
        "component": step.component,
        "arch": step.arch,
        "profile": step.profile.name,
        "profile_digest": step.profile.digest,
        "tools": None
        if isinstance(step, FilesStep)
        else {
            "compiler": f"{compiler.kind} {compiler.version}",
            "cmake": step.cmake.version,
            "digest": step.profile.identity,
        },
    }
