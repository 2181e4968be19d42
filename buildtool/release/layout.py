"""Paths of build outputs in a release.

bin/ lib/ …        what the ARM64 side installs
dsp/<arch>/        the skels of one DSP arch, side by side, also those of Conan packages
"""

from __future__ import annotations

from pathlib import Path

from buildtool.core.errors import BuildtoolError
from buildtool.core.files import file_digest
from buildtool.core.value import Value
from buildtool.engine.result import BuildResult, StepResult
from buildtool.plan.plan import CMakeStep, Plan, Step

LIBRARIES = "lib"
"""The directory in which run.sh lets the loader search."""


class ReleaseError(BuildtoolError):
    """The build outputs cannot form a release."""

    code = "release"


class ShippedOutput(Value):
    """One output of a step, a file or link.

    `name` is its path in the step's output directory, or the name of a library that ships with it.
    """

    step: Step
    name: str
    path: Path


class Layout(Value):
    """Outputs that ship, by path in the release, and `spare` outputs, which exist only for other
    components, by the path that they would have as libraries."""

    ships: dict[str, ShippedOutput]
    spare: dict[str, ShippedOutput]


def lay_out(build: BuildResult) -> Layout:
    """Assign a path to every output.

    Raises `ReleaseError` for two files with the same path, and for skels of a package that are not
    built for each arch of the target.
    """
    layout = Layout({}, {})
    for finished in build.steps:
        step = finished.step
        for name, path in finished.files.items():
            output = ShippedOutput(step, name, path)
            if _is_of_package(finished, name):
                if name.split("/")[1] in build.plan.archs:
                    _check_alone(layout.ships.get(name), output, name)
                    layout.ships[name] = output
            elif not step.ships_output(name):
                folder = f"dsp/{step.arch}" if step.arch else LIBRARIES
                layout.spare.setdefault(f"{folder}/{path.name}", output)
            elif place := _place(output):
                _check_alone(layout.ships.get(place), output, place)
                layout.ships[place] = output
    for finished in build.steps:
        _check_archs(finished, build.plan)
    return layout


def _is_of_package(result: StepResult, name: str) -> bool:
    """Whether an output is for the DSP and of a package of the ARM64 side."""
    runtime = result.record.runtime if result.record else {}
    is_skel = name.startswith("dsp/") and name.count("/") == 2
    return is_skel and name in runtime and not result.step.arch


def _check_archs(result: StepResult, plan: Plan) -> None:
    names = [name for name in result.files if _is_of_package(result, name)]
    for name in names:
        skel = name.rpartition("/")[2]
        for arch in plan.archs:
            if f"dsp/{arch}/{skel}" not in names:
                raise ReleaseError(
                    f"a package of {result.step.component} has {skel}, but not for {arch}",
                    why=f"the target {plan.target!r} is for {', '.join(plan.archs)}"
                    f" ({result.files[name]})",
                    remedy=f"Require a package with skels for {arch}, or remove it from the archs"
                    f" of [target.{plan.target}].",
                )


def _place(output: ShippedOutput) -> str:
    """The path in the release; "" for outputs of a skel's step that are not libraries."""
    name, path = output.name, output.path
    is_library = ".so" in path.suffixes
    if output.step.arch:
        # The DSP finds skels by file name only, so directories are dropped.
        return f"dsp/{output.step.arch}/{path.name}" if is_library else ""
    if "/" in name or path.is_dir():
        return name
    return f"{LIBRARIES}/{path.name}" if is_library else f"bin/{path.name}"


def _check_alone(other: ShippedOutput | None, output: ShippedOutput, place: str) -> None:
    if other is None:
        return
    paths = (other.path, output.path)
    if all(path.is_file() for path in paths) and len({*map(file_digest, paths)}) == 1:
        return
    raise ReleaseError(
        f"two files have the path {place} in the release",
        why=f"{other.path} and {output.path} differ",
        remedy="Its install() rules install one, and 'artifacts' matches another: remove one."
        if other.step == output.step and isinstance(output.step, CMakeStep)
        else "Give one of them another name.",
        files=paths,
    )
