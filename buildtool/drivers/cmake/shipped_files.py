"""Checks what a step ships before it is used: the errors of a device hardly say what is wrong.

Before that, adds the libraries of the build tree that shipped files need, and removes directories
of the build machine from RUNPATHs.
"""

from __future__ import annotations

import posixpath
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from buildtool.contract.build_checks import check_dsp_files, check_host_files
from buildtool.contract.subject import directory_in_release
from buildtool.core.elf.read import is_elf, read_dynamic
from buildtool.drivers.cmake.file_api import CMakeTarget, read_build_tree
from buildtool.drivers.cmake.products import ArtifactError
from buildtool.drivers.cmake.tree_files import STL_FOLDER
from buildtool.plan.component_step import FilesStep
from buildtool.plan.plan import CMakeStep, Step
from buildtool.toolchains.profile import ALLOW
from buildtool.toolchains.system_libraries import SHARED_STL, system_libraries

if TYPE_CHECKING:
    from buildtool.drivers.conan.install import Dependencies
_SHARED_STL = "buildtool_cxx_library"
"""The CMake target of the C++ library: see cmake/compile_stl.cmake."""


def check_products(
    step: Step, files: Mapping[str, Path], warn: Callable[[str], None]
) -> dict[str, Path]:
    """Check the `files` that a step ships; returns the libraries that have to ship with them.

    These are libraries of the toolchain and of packages that something among `files` needs, and
    what the packages have for the DSP, by their paths in the release.  `warn` gets what may be
    wrong.  Raises `ArtifactError`, `ContractError` and `ElfError`.
    """
    packages = _packages(step)
    complete = _with_runtime(
        {name: path for name, path in files.items() if not path.is_dir()},
        {**(packages.runtime if packages else {}), **step.profile.runtime},
        step,
    )
    if step.arch:
        _check_skels(step, step.arch, complete, warn)
    elif step.profile.platform != "hexagon":  # the emulator's DSP shell is neither
        own = not isinstance(step, FilesStep) or bool(step.debian)
        check_host_files(complete, step.profile, own=own)
        if isinstance(step, FilesStep) and step.debian:
            _warn_about_cxx(step, files, warn)
    libraries = {name: path for name, path in complete.items() if name not in files}
    return {**libraries, **(packages.skels if packages else {})}


def _with_runtime(
    files: dict[str, Path], available: Mapping[str, Path], step: Step
) -> dict[str, Path]:
    """`files`, and those libraries of the toolchain and of packages that something among them
    needs: `available`, by SONAME, whatever the names of their files are."""
    complete = dict(files)
    waiting = list(files.values()) if available else []
    while waiting:
        path = waiting.pop()
        for name in read_dynamic(path).needed if is_elf(path) else ():
            if name in available and name not in {Path(n).name for n in complete}:
                complete[name if step.arch else f"lib/{name}"] = available[name]
                waiting.append(available[name])
    return complete


def _packages(step: Step) -> Dependencies | None:
    """The packages that are installed for the step."""
    if isinstance(step, FilesStep) or not step.conan:
        return None
    from buildtool.drivers.conan.install import installed  # noqa: PLC0415 - most steps have none

    return installed(step)


def _warn_about_cxx(
    step: FilesStep, files: Mapping[str, Path], warn: Callable[[str], None]
) -> None:
    """Debian's C++ libraries are compiled with libstdc++, and zig has libc++."""
    if "ZIG" not in step.profile.places:
        return
    found = [
        Path(name).name
        for name, path in files.items()
        if not path.is_symlink() and is_elf(path) and "libstdc++.so.6" in read_dynamic(path).needed
    ]
    if found:
        warn(
            f"{', '.join(sorted(found))}: compiled with libstdc++, and zig links libc++, so their"
            " C++ interfaces do not link. Their C interfaces do.\n"
            '  → For the C++ interfaces: toolchain = "gcc" in the target.'
        )


def _check_skels(
    step: Step, arch: str, files: dict[str, Path], warn: Callable[[str], None]
) -> None:
    """Check that a skel step ships at least one skel, and nothing that the DSP would reject."""
    libraries = {Path(name).name: path for name, path in files.items() if ".so" in path.suffixes}
    own = not isinstance(step, FilesStep)
    allow = tuple(step.profile.settings.get(ALLOW, "").split())
    subject = check_dsp_files(
        libraries, arch, device=step.profile.shell, warn=warn, own=own, allow=allow
    )
    if own and not any(subject.skels()):
        if isinstance(step, CMakeStep) and step.programs:
            raise ArtifactError(
                f"{step.name} made no program",
                why=f"it ships {', '.join(files) or 'nothing'}, and none of them exports main",
                remedy="Build one with add_executable(…); 'artifacts' says what ships.",
            )
        raise ArtifactError(
            f"{step.name} made no skel",
            why=f"it ships {', '.join(files)}, and none of them is a shared object that exports"
            " NAME_skel_handle_invoke",
            remedy="Build it with add_library(… SHARED …), or buildtool_add_skel(…).",
        )


def runpath_script(step: CMakeStep, installed: Path, copied: Path) -> str:
    """A CMake script that removes directories of the build machine from RUNPATHs; "" if there are
    none.

    From the files below `copied`, which are as in the build tree, it removes all directories that
    are not in the release; from those below `installed`, whose RUNPATHs CMake has set for the
    device, those in the project and in the step's directories.  Raises `ElfError`.
    """
    own = (step.root, step.tree, step.output)
    lines = []
    for folder in (installed, copied):
        for file in elf_files(step, folder):
            entries = read_dynamic(file).runpath
            directory = posixpath.dirname(file.relative_to(folder).as_posix()) or "lib"
            kept = [
                entry
                for entry in entries
                if directory_in_release(entry, directory)
                or (folder == installed and not any(Path(entry).is_relative_to(p) for p in own))
            ]
            if kept != list(entries):
                lines.append(_command(file, ":".join(entries), ":".join(kept)))
    return "".join(lines)


def elf_files(step: CMakeStep, folder: Path) -> Iterator[Path]:
    """The ELF files below `folder`, without symlinks; for a skel step only shared libraries."""
    for file in sorted(folder.rglob("*.so*" if step.arch else "*")):
        if not file.is_symlink() and file.is_file() and is_elf(file):
            yield file


def _command(file: Path, old: str, new: str) -> str:
    """The command that CMake's install scripts use."""
    if not new:
        return f"file(RPATH_REMOVE FILE {_quoted(str(file))})\n"
    values = f"OLD_RPATH {_quoted(old)} NEW_RPATH {_quoted(new)}"
    return f"file(RPATH_CHANGE FILE {_quoted(str(file))} {values})\n"


def _quoted(text: str) -> str:
    """`text` as a bracket argument of CMake, in which no character is special."""
    level = "="
    while f"]{level}]" in text + "]":
        level += "="
    return f"[{level}[{text}]{level}]"


def add_needed(step: CMakeStep, shipped: Sequence[Path], into: Path) -> None:
    """Copy the libraries that files below the directories `shipped` need, and that are missing
    there, into `into`, under the needed names; and the libraries that these need.

    Only libraries that a CMake target of the step's build tree makes: often install() rules or
    `artifacts` name only the program, and none names the shared C++ library.  Raises `ElfError` and
    `FileApiError`.
    """
    present = (path.name for folder in shipped for path in folder.rglob("*"))
    known = {*system_libraries(step.profile), *step.profile.runtime, *present}
    waiting = [path for folder in shipped for path in elf_files(step, folder)]
    targets: tuple[CMakeTarget, ...] | None = None
    while waiting:
        file = read_dynamic(waiting.pop())
        for name in file.needed:
            if name in known or "/" in name:
                continue
            known.add(name)
            if targets is None:
                targets = read_build_tree(step.tree).targets
            # Of several libraries with the name, prefer the one that the file was linked with.
            found = built(name, targets)
            for library in sorted(found, key=lambda p: str(p.parent) not in file.runpath)[:1]:
                copy = into / (name if step.arch else f"lib/{name}")
                copy.parent.mkdir(parents=True, exist_ok=True)
                copy.parent.chmod(0o755)  # whatever the umask is
                shutil.copy(library, copy)
                waiting.append(copy)


def built(name: str, targets: Iterable[CMakeTarget]) -> Iterator[Path]:
    """The paths with this `name` of libraries that `targets` make.

    The File API reports `libx.so`; its SONAME `libx.so.1` is a symlink to the same file.
    """
    for target in targets:
        artifacts = target.artifacts if target.kind == "SHARED_LIBRARY" else ()
        if target.name == _SHARED_STL:
            artifacts = (target.build / STL_FOLDER / SHARED_STL,)
        for artifact in artifacts:
            path = artifact.with_name(name)
            if path.is_file() and path.resolve() == artifact.resolve():
                yield path
