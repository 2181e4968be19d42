"""The parts of a release besides the project's own code: packages and libraries of toolchains."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

from buildtool.core.value import Value
from buildtool.engine.result import StepResult
from buildtool.plan.component_step import OWNERS, FilesStep
from buildtool.plan.plan import CMakeStep, Step
from buildtool.toolchains.system_libraries import SHARED_STL

_LLVM = "Apache-2.0 WITH LLVM-exception"


class Part(Value):
    """A component of another project.

    `purl` is its package URL; `licences` are SPDX expressions or names; `files` are the paths in
    the release of the files that are copies of its own, none if its code is only linked into
    others; `revision` identifies its sources, "" if that is not known.
    """

    name: str
    version: str
    purl: str
    licences: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    revision: str = ""


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
        from buildtool.drivers.conan.packages import step_packages  # noqa: PLC0415 - most have none

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
