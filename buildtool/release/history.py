"""The line of a release in the history of its project: which revision it is of, and its sizes."""

from __future__ import annotations

import contextlib
import time
from collections import Counter
from typing import Any

from buildtool.core.elf.read import ElfError, is_elf, read_section_sizes
from buildtool.core.history import RELEASES, append_history, read_history
from buildtool.engine.result import BuildResult
from buildtool.release.slices import Release, Slice
from buildtool.release.source import OUTPUT, revision_of


def record_release(build: BuildResult, release: Release) -> None:
    """Record `release`, which `build` made, unless it is the last one recorded of its target."""
    state = build.plan.state.parent
    build_type = next((step.build_type for step in build.plan.cmake_steps), "")
    subject = {"target": release.target, "build_type": build_type}
    for line in reversed(read_history(state, RELEASES).lines):
        if all(line.get(key) == value for key, value in subject.items()):
            if line.get("release") == release.id:
                return
            break
    revision, dirty = revision_of(state.parent, state.parent / OUTPUT)
    line = {
        "started": round(time.time(), 3),
        **subject,
        "release": release.id,
        "revision": revision,
        "dirty": dirty,
        "slices": [_slice(part, release) for part in release.slices],
    }
    append_history(state, RELEASES, line)


def _slice(part: Slice, release: Release) -> dict[str, Any]:
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
