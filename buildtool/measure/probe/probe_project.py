"""The project that `probe` builds: a program and a skel that check what a DSP does.

Its sources are in `project/`, and are copied into the user's cache, since a build writes beside
them.  One build serves all devices of a platform.
"""

from __future__ import annotations

from pathlib import Path

from buildtool.core.cache import cache_dir
from buildtool.core.files import tree_digest, write_if_changed
from buildtool.project.model import Project
from buildtool.project.read import read_project

SOURCES = Path(__file__).parent / "project"


def probe_project() -> Project:
    """The project, in the user's cache; raises `OSError` if it cannot be written there."""
    # Other versions of buildtool have another directory.
    directory = cache_dir() / "probe" / tree_digest([SOURCES])[:8]
    for path in sorted(SOURCES.rglob("*")):
        if path.is_file():
            write_if_changed(directory / path.relative_to(SOURCES), path.read_bytes())
    return read_project(directory / "buildtool.toml")
