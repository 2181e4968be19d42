"""Where what was built lies in a release.

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
"""The directory that run.sh has the loader search."""


class StageError(BuildtoolError):
    """What was built cannot be laid out as a release."""

    code = "stage"


class Output(Value):
    """One output of a step: `name` in its output directory, or that of a library which ships with
    it, and the file or link."""

    step: CMakeStep
    name: str
    path: Path


class Layout(Value):
    """What ships, by its place in the release, and what is there besides for other components to
    build on, by the place that it would have as a library."""

    ships: dict[str, Output]
    spare: dict[str, Output]


def lay_out(build: BuildResult) -> Layout:
    """Give every output its place.  Raises `StageError` for two files of one place."""
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
    """Where it lies in the release; "" for what a skel's step has besides libraries."""
    name, path = output.name, output.path
    is_library = ".so" in path.suffixes
    if output.step.arch:
        # A skel is found by its bare name, so the tree below its prefix is flattened.
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
    raise StageError(
        f"two files want to be {place}",
        why=f"{other.path} and {output.path} differ",
        remedy="Its install() rules put one down, and 'artifacts' names another: leave one away."
        if other.step == output.step and output.step.artifacts
        else "Give one of them another name.",
        files=paths,
    )
