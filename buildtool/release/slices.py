"""A release, its slices, and the paths of build outputs in it.

The ARM64 side is one slice, the skels of each DSP arch are another.

A device gets the slice `host` and the one of its own arch.

bin/ lib/ …        what the ARM64 side installs
dsp/<arch>/        the skels of one DSP arch, side by side, also those of Conan packages
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from buildtool.core.errors import BuildtoolError
from buildtool.core.files import file_digest, value_digest
from buildtool.core.value import Value

if TYPE_CHECKING:
    from buildtool.engine.result import BuildResult, StepResult
    from buildtool.plan.plan import Plan, Step

HOST = "host"


class ReleaseFile(Value):
    """A file of a release."""

    path: str  # in the release
    mode: int
    size: int  # in bytes
    sha256: str
    step: str = ""  # the name of the step that ships it, "" for `run.sh`
    build_id: str = ""  # of an ELF file, in hex

    @property
    def row(self) -> list[str]:
        """The file in the list of which the slice's id is the digest."""
        return [self.path, f"{self.mode:04o}", self.sha256]


class ReleaseLink(Value):
    """A symbolic link of a release; `target` is relative to its directory."""

    path: str
    target: str

    @property
    def row(self) -> list[str]:
        """The link in the list of which the slice's id is the digest."""
        return [self.path, "link", self.target]


class Slice(Value):
    """A part of a release: `host`, or a DSP arch."""

    name: str
    files: tuple[ReleaseFile, ...]
    links: tuple[ReleaseLink, ...]

    @cached_property
    def id(self) -> str:
        """The digest of the file list."""
        return file_list_digest(
            [*(file.row for file in self.files), *(link.row for link in self.links)]
        )


class Release(Value):
    """The files that a target ships, in `directory`, with their debug information in `debug`."""

    target: str
    directory: Path
    debug: Path
    slices: tuple[Slice, ...]

    @cached_property
    def id(self) -> str:
        """The digest of the ids of all slices."""
        return release_id({part.name: part.id for part in self.slices})

    @property
    def archs(self) -> tuple[str, ...]:
        """The DSP archs that it has skels for."""
        return tuple(part.name for part in self.slices if part.name != HOST)

    @property
    def files(self) -> tuple[ReleaseFile, ...]:
        return tuple(file for part in self.slices for file in part.files)

    @property
    def links(self) -> tuple[ReleaseLink, ...]:
        return tuple(link for part in self.slices for link in part.links)


def slices_from_json(rows: Any) -> tuple[Slice, ...]:
    """The slices that were written as JSON; raises `ValueError` and `TypeError`."""
    return tuple(
        Slice(
            str(name),
            tuple(ReleaseFile(*row) for row in files),
            tuple(ReleaseLink(*row) for row in links),
        )
        for name, files, links in rows
    )


def slice_of(path: str) -> str:
    """The name of the slice that the file at `path` in a release belongs to."""
    top, _, rest = path.partition("/")
    return rest.partition("/")[0] if top == "dsp" and "/" in rest else HOST


def file_list_digest(rows: Iterable[Sequence[str]]) -> str:
    """The id of a slice: the digest of its rows [path, mode, sha256] and [path, "link", target]."""
    return value_digest(sorted([*row] for row in rows))


def release_id(slices: dict[str, str]) -> str:
    """The id of a release with these slices: name → id."""
    return value_digest(slices)


def in_slices(
    files: Iterable[ReleaseFile], links: Iterable[ReleaseLink], archs: Iterable[str]
) -> tuple[Slice, ...]:
    """Divide the entries of a release into slices: `host`, then those of `archs`."""
    by_name: dict[str, tuple[list[ReleaseFile], list[ReleaseLink]]] = {
        name: ([], []) for name in (HOST, *archs)
    }
    for file in sorted(files):
        by_name.setdefault(slice_of(file.path), ([], []))[0].append(file)
    for link in sorted(links):
        by_name.setdefault(slice_of(link.path), ([], []))[1].append(link)
    return tuple(Slice(name, tuple(own), tuple(others)) for name, (own, others) in by_name.items())


LIBRARIES = "lib"
"""The directory in which run.sh lets the loader search."""


class ReleaseError(BuildtoolError):
    """The build outputs cannot form a release."""

    code = "release"


class ShippedOutput(Value):
    """One output of a step, a file or link."""

    step: Step
    name: str  # path in the step's output directory, or the name of a library that ships with it
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
    from buildtool.plan.plan import CMakeStep  # noqa: PLC0415 - a release that is there needs no plan

    raise ReleaseError(
        f"two files have the path {place} in the release",
        why=f"{other.path} and {output.path} differ",
        remedy="Its install() rules install one, and 'artifacts' matches another: remove one."
        if other.step == output.step and isinstance(output.step, CMakeStep)
        else "Give one of them another name.",
        files=paths,
    )
