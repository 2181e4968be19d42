"""Paths of build outputs in a release.

bin/ lib/ …        what the ARM64 side installs
dsp/<arch>/        the skels of one DSP arch, side by side
"""

from __future__ import annotations

from pathlib import Path

from buildtool.core.errors import BuildtoolError
from buildtool.core.files import file_digest
from buildtool.core.value import Value
from buildtool.engine.result import BuildResult
from buildtool.plan.plan import CMakeStep

LIBRARIES = "lib"
"""The directory in which run.sh lets the loader search."""


class ReleaseError(BuildtoolError):
    """The build outputs cannot form a release."""

    code = "release"


class Output(Value):
    """One output of a step, a file or link.

    `name` is its path in the step's output directory, or the name of a library that ships with it.
    """

    step: CMakeStep
    name: str
    path: Path


class Layout(Value):
    """Outputs that ship, by path in the release, and `spare` outputs, which exist only for other
    components, by the path that they would have as libraries."""

    ships: dict[str, Output]
    spare: dict[str, Output]


def lay_out(build: BuildResult) -> Layout:
    """Assign a path to every output.  Raises `ReleaseError` for two files with the same path."""
    layout = Layout({}, {})
    for finished in build.steps:
        step = finished.step
        for name, path in finished.files.items():
            output = Output(step, name, path)
            if not step.ships_output(name):
                folder = f"dsp/{step.arch}" if step.arch else LIBRARIES
                layout.spare.setdefault(f"{folder}/{path.name}", output)
            elif place := _place(output):
                _check_alone(layout.ships.get(place), output, place)
                layout.ships[place] = output
    return layout


def _place(output: Output) -> str:
    """The path in the release; "" for outputs of a skel's step that are not libraries."""
    name, path = output.name, output.path
    is_library = ".so" in path.suffixes
    if output.step.arch:
        # The DSP finds skels by file name only, so directories are dropped.
        return f"dsp/{output.step.arch}/{path.name}" if is_library else ""
    if "/" in name or path.is_dir():
        return name
    return f"{LIBRARIES}/{path.name}" if is_library else f"bin/{path.name}"


def _check_alone(other: Output | None, output: Output, place: str) -> None:
    if other is None:
        return
    paths = (other.path, output.path)
    if all(path.is_file() for path in paths) and len({*map(file_digest, paths)}) == 1:
        return
    raise ReleaseError(
        f"two files have the path {place} in the release",
        why=f"{other.path} and {output.path} differ",
        remedy="Its install() rules install one, and 'artifacts' matches another: remove one."
        if other.step == output.step and output.step.artifacts
        else "Give one of them another name.",
        files=paths,
    )
