"""The licence files that travel with a release, and components that may not be distributed.

A Hexagon SDK is proprietary.  Which of its files may be distributed, if any, is a matter of the
agreement that its user has with Qualcomm, so the project has to name them.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

from buildtool.core.errors import BuildtoolError
from buildtool.core.escape import is_control
from buildtool.core.files import file_digest
from buildtool.core.value import Value
from buildtool.engine.result import StepResult
from buildtool.plan.component_step import FilesStep
from buildtool.plan.plan import CMakeStep, Step
from buildtool.project.model import Project

FOLDER = "licenses"
"""The directory of a release that has the licence files of each component in a directory."""
MAX_SIZE = 4 << 20
"""Bytes of a licence file; the NOTICE of an Android NDK has 1 MB."""
_NAME = re.compile(r"(LICEN[CS]E|COPYING|COPYRIGHT|NOTICE)(S|[-._].*)?", re.IGNORECASE)
_FOLDERS = ("LICENSES", "licenses")
"""Directories with licence files: REUSE's, and that of a Conan package."""
_CODE = (".c", ".cc", ".cmake", ".cpp", ".h", ".hpp", ".idl", ".in", ".py", ".sh")
_ZIG_CXX = ("lib/libcxx", "lib/libcxxabi", "lib/libunwind")
"""The directories of zig with the licences of the libraries that it links into C++."""
_CXX = (".C", ".c++", ".cc", ".cp", ".cpp", ".cxx", ".hh", ".hpp", ".hxx", ".inl", ".ipp")
_SDK = "HEXAGON_SDK_ROOT"
_PROPRIETARY = re.compile(
    r"proprietary|confidential|unlicensed|(non|not|no)[- ]?(re)?distribut", re.IGNORECASE
)


class RedistributionError(BuildtoolError):
    """A release has a component whose terms forbid distribution."""

    code = "redistribution"


class LicenceFile(Value):
    """A licence file: its path in the release, and the file."""

    path: str
    source: Path


def licence_files(project: Project, results: Iterable[StepResult]) -> tuple[LicenceFile, ...]:
    """The licence files of the project, of the components' sources, of their packages and of the
    toolchain's libraries in them.  Raises `ToolError` for an unexpected graph of Conan."""
    found: dict[str, Path] = {}
    folders = [(project.name, project.root)]
    for result in results:
        step = result.step
        folders.append((step.component, step.source))
        folders += _package_folders(step)
        for name, path in _toolchain_files(result):
            found.setdefault(name, path)
    for component, folder in folders:
        for name, path in _in_folder(folder):
            found.setdefault(f"{FOLDER}/{component}/{name}", path)
    return tuple(LicenceFile(name, path) for name, path in sorted(found.items()))


def check_redistribution(project: Project, results: Iterable[StepResult]) -> None:
    """Raise `RedistributionError` for what may not be distributed, unless the project's key
    `redistributable` names it."""
    allowed = set(project.header.redistributable)
    for result in results:
        _check_sdk_files(result, allowed)
        if isinstance(result.step, CMakeStep) and result.step.conan:
            _check_packages(result.step, allowed)


def _check_sdk_files(result: StepResult, allowed: Collection[str]) -> None:
    own = "SDK_ROOT" in result.step.profile.places  # nothing in that root is the vendor's
    root = "" if own else result.step.profile.variables.get(_SDK, "")
    root = root or os.environ.get(_SDK, "")
    if not root:
        return
    for name, path in result.files.items():
        if not result.step.ships_output(name):
            continue
        original = _sdk_file(path, Path(root), result.step)
        if original and not {path.name, Path(name).name} & {*allowed}:
            raise RedistributionError(
                f"{result.step.name} ships {Path(name).name}, which is a file of the Hexagon SDK",
                why=f"the SDK's terms restrict its distribution ({original})",
                remedy="If your agreement with Qualcomm lets you distribute it:"
                f' redistributable = ["{Path(name).name}"] in [project]. Otherwise do not ship it;'
                " C++ without exceptions and RTTI needs no library of the SDK.",
                files=[path],
            )


def _sdk_file(path: Path, root: Path, step: Step) -> Path | None:
    """The file of the SDK that `path` is, or is a copy of; None if it is none.

    A copy is recognised by name and content.
    """
    if not path.is_file():
        return None
    target = path.resolve()
    if target.is_relative_to(root.resolve()):
        return target
    folders = [file.parent for file in step.profile.runtime.values()]
    folders += sorted((root / "ipc" / "fastrpc" / "remote" / "ship").glob("*"))
    for folder in folders:
        other = folder / path.name
        same_size = other.is_file() and other.stat().st_size == path.stat().st_size
        if same_size and file_digest(other) == file_digest(path):
            return other
    return None


def _check_packages(step: CMakeStep, allowed: Collection[str]) -> None:
    from buildtool.drivers.conan.install import step_packages  # noqa: PLC0415 - most have none

    for package in step_packages(step):
        forbidden = next(filter(_PROPRIETARY.search, package.licences), "")
        if forbidden and package.name not in allowed:
            raise RedistributionError(
                f"{step.component} needs the package {package.name}/{package.version}, which is"
                " proprietary",
                why=f"its recipe has the licence {forbidden!r}",
                remedy=f'If you may distribute it: redistributable = ["{package.name}"] in'
                " [project].",
            )


def _package_folders(step: Step) -> list[tuple[str, Path]]:
    if isinstance(step, FilesStep):
        doc = step.output / "share/doc"
        return [(package.name, doc / package.name) for package in step.debian]
    if not step.conan:
        return []
    from buildtool.drivers.conan.install import step_packages  # noqa: PLC0415 - most have none

    return [(package.name, package.folder) for package in step_packages(step)]


def _toolchain_files(result: StepResult) -> Iterator[tuple[str, Path]]:
    """The licences of the toolchain's libraries, which are linked into what it compiles."""
    step = result.step
    places = step.profile.places if isinstance(step, CMakeStep) else {}
    if "ZIG" in places:
        zig = Path(places["ZIG"]).parent
        for file in _licences(zig) or _licences_of_package():
            yield f"{FOLDER}/ziglang/{file.name}", file
        for name in _ZIG_CXX if _may_have_cxx(result) else ():
            for file in _licences(zig / name):
                yield f"{FOLDER}/ziglang/{file.relative_to(zig).as_posix()}", file
    if "NDK" in places:
        for file in _licences(Path(places["NDK"])):
            yield f"{FOLDER}/android-ndk/{file.name}", file


def _licences_of_package() -> list[Path]:
    """The licences in the package ziglang, of which the copy in the cache has programs and library
    only."""
    from buildtool.sdk.program import python_package  # noqa: PLC0415 - only packaging

    package = python_package("ziglang")
    return _licences(package.record.parents[1] / "ziglang") if package else []


def _may_have_cxx(result: StepResult) -> bool:
    """Whether the step may have code in C++: its own sources, or those of packages."""
    step = result.step
    packages = isinstance(step, CMakeStep) and (step.conan or step.needs)
    files = result.record.inputs.paths.files if result.record else ()
    return bool(packages) or any(name.endswith(_CXX) for name in files)


def _in_folder(folder: Path) -> Iterator[tuple[str, Path]]:
    """The licence files in a directory, and in its directories for such files, by relative path."""
    for file in _licences(folder):
        yield file.name, file
    for name in _FOLDERS:
        for inside, folders, names in os.walk(folder / name):
            folders.sort()
            for file in (Path(inside, each) for each in sorted(names)):
                if _is_text_file(file):
                    yield file.relative_to(folder / name).as_posix(), file


def _licences(folder: Path) -> list[Path]:
    if not folder.is_dir():
        return []
    return [
        file
        for file in sorted(folder.iterdir())
        if _NAME.fullmatch(file.name) and _is_text_file(file)
    ]


def _is_text_file(file: Path) -> bool:
    """Whether it is a small file whose name can be that of a file in an archive."""
    safe = not any(is_control(character) or character == "\\" for character in file.name)
    return (
        safe
        and file.suffix.lower() not in _CODE
        and file.is_file()
        and 0 < file.stat().st_size <= MAX_SIZE
    )
