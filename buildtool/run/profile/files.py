"""The files of a profile: for people, and for other programs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from buildtool.core.files import write_if_changed
from buildtool.core.own_directory import make_directory
from buildtool.run.profile.flame_graph import flame_graph
from buildtool.run.profile.folded import folded, speedscope

if TYPE_CHECKING:
    from buildtool.run.profile.profile import Profile

ENDINGS = (".svg", ".folded", ".speedscope.json", ".json")
"""Of the files `dsp` for skels, `host` for programs on a device."""


def write_files(folder: Path, title: str, profile: Profile) -> tuple[Path, ...]:
    """Write the flame graph, the stacks in both forms, and the functions; raises `OSError`."""
    make_directory(folder)
    side = "host" if profile.tool else "dsp"
    files = tuple(folder / f"{side}{ending}" for ending in ENDINGS)
    texts = (
        flame_graph(title, profile.measure, profile.stacks),
        folded(profile.stacks),
        speedscope(title, profile.stacks),
        json.dumps(profile._replace(files=tuple(map(str, files))).as_json(), indent=1) + "\n",
    )
    for file, text in zip(files, texts, strict=True):
        write_if_changed(file, text)
    return files
