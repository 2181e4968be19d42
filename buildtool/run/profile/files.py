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

NAMES = ("dsp.svg", "dsp.folded", "dsp.speedscope.json", "dsp.json")


def write_files(folder: Path, title: str, profile: Profile) -> tuple[Path, ...]:
    """Write the flame graph, the stacks in both forms, and the functions; raises `OSError`."""
    make_directory(folder)
    subtitle = f"{profile.samples:,} samples of the time of the emulator, which is not a DSP's"
    files = tuple(folder / name for name in NAMES)
    texts = (
        flame_graph(title, subtitle, profile.stacks),
        folded(profile.stacks),
        speedscope(title, profile.stacks),
        json.dumps(profile.as_json(map(str, files)), indent=1) + "\n",
    )
    for file, text in zip(files, texts, strict=True):
        write_if_changed(file, text)
    return files
