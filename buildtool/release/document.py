"""`release.json`: what a release holds, what it was made of, and by which tools.

It lies at the top of a release and is not part of its ids.  Also: the revision of the sources, the
time that a release carries, and its line of history.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from buildtool import __version__
from buildtool.core.cache import cache_dir
from buildtool.core.elf.read import ElfError, is_elf, read_elf, read_section_sizes
from buildtool.core.history import RELEASES, append_history, read_history
from buildtool.core.processes.process import ToolError, capture
from buildtool.core.value import Value
from buildtool.engine.result import BuildResult
from buildtool.plan.component_step import FilesStep
from buildtool.plan.environment import LATEST_TIME, source_date_epoch
from buildtool.plan.plan import Step
from buildtool.project.model import STATE, Project
from buildtool.release.slices import Release, ReleaseFile, Slice

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


OUTPUT = "dist"
"""The directory of a project that gets its archives by default."""
UNKNOWN_TIME = 315532800
"""1980-01-01, the oldest time that zip files can have: that of sources without a revision."""


class ReleaseSource(Value):
    """Where the sources of a release come from."""

    revision: str | None  # a git commit; None outside of a git repository
    dirty: bool | None  # whether files differ from it; None where git cannot say
    epoch: int  # the time of all files of the release, in seconds since 1970


def find_source(root: Path, output: Path, note: Callable[[str], None]) -> ReleaseSource:
    """The source of the project in `root`; what is in `output` and in the cache does not make it
    dirty.

    The time is SOURCE_DATE_EPOCH, else that of the commit.  `note` is called with a message for
    the user if git cannot read the repository.  Raises `UsageError` when the variable is not a
    time.
    """
    given = source_date_epoch()
    revision, commit_time = _last_commit(root, note)
    time = commit_time if given is None else given
    dirty = revision_of(root, output)[1] if revision else None
    return ReleaseSource(revision, dirty, min(max(time, UNKNOWN_TIME), LATEST_TIME))


def _last_commit(root: Path, note: Callable[[str], None]) -> tuple[str | None, int]:
    """The commit that is checked out, and its time."""
    worked, text = _git(root, "log", "-1", "--format=%H %ct")
    found = re.search(r"^([0-9a-f]{40,64}) ([0-9]{1,10})$", text, re.ASCII | re.MULTILINE)
    if worked and found:
        return found[1], int(found[2])
    if any((folder / ".git").exists() for folder in (root, *root.parents)):
        reason = text.partition("\n")[0]
        note(f"the archives have no revision and no time of the sources; git: {reason}")
    return None, UNKNOWN_TIME


def revision_of(root: Path, output: Path) -> tuple[str | None, bool | None]:
    """`revision` and `dirty` of `find_source`, from one command."""
    ours = [f":(exclude){STATE}"]
    for folder in (output, cache_dir()):
        if folder.is_relative_to(root) and folder != root:
            ours.append(f":(exclude,literal){folder.relative_to(root)}")
    worked, text = _git(root, "status", "--porcelain=v2", "--branch", "--", ".", *ours)
    # Other lines are warnings, which are no changes.  Source: git-status(1), "Porcelain Format".
    changed = re.search(r"^[12u?] ", text, re.MULTILINE) is not None
    commit = re.search(r"^# branch\.oid ([0-9a-f]{40,64})$", text, re.ASCII | re.MULTILINE)
    return (commit[1] if commit else None, changed) if worked else (None, None)


def _git(root: Path, *arguments: str) -> tuple[bool, str]:
    """Whether git has worked, which it does not outside of a repository, and what it has printed,
    warnings included."""
    environment = {**os.environ, "LC_ALL": "C", "GIT_OPTIONAL_LOCKS": "0"}
    command = ["git", "-C", str(root), "-c", "log.showSignature=false", *arguments]
    try:
        done = capture(command, env=environment, timeout=60)
    except ToolError as error:  # there is no git, or it does not end
        return False, error.message
    return done.status == 0, done.output


def project_revision(root: Path) -> tuple[str | None, bool | None]:
    """`revision_of` the sources, whatever archives are in the usual directory."""
    return revision_of(root, root / OUTPUT)


def record_release(
    build: BuildResult,
    release: Release,
    find_revision: Callable[[], tuple[str | None, bool | None]],
) -> None:
    """Record `release`, which `build` made, unless it is the last one recorded of its target;
    `find_revision` gives what `project_revision` returns."""
    state = build.plan.state.parent
    build_type = next((step.build_type for step in build.plan.cmake_steps), "")
    subject = {"target": release.target, "build_type": build_type}
    for line in reversed(read_history(state, RELEASES).lines):
        if all(line.get(key) == value for key, value in subject.items()):
            if line.get("release") == release.id:
                return
            break
    revision, dirty = find_revision()
    line = {
        "started": round(time.time(), 3),
        **subject,
        "release": release.id,
        "revision": revision,
        "dirty": dirty,
        "slices": [_history_slice(part, release) for part in release.slices],
    }
    append_history(state, RELEASES, line)


def _history_slice(part: Slice, release: Release) -> dict[str, Any]:
    sections: Counter[str] = Counter()
    for file in part.files:
        path = release.directory / file.path
        with contextlib.suppress(OSError, ElfError):
            if is_elf(path):
                sections.update(read_section_sizes(path))
    return {
        "name": part.name,
        "files": len(part.files),
        "size": sum(file.size for file in part.files),
        "sections": dict(sections),
    }
