"""Check what a step ships before it is used: the errors of a device hardly say what is wrong."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from buildtool.contract.build_checks import check_dsp_files, check_host_files
from buildtool.core.elf.read import is_elf, read_dynamic
from buildtool.drivers.cmake.products import ArtifactError
from buildtool.plan.component_step import FilesStep
from buildtool.plan.plan import CMakeStep, Step
from buildtool.toolchains.profile import ALLOW

if TYPE_CHECKING:
    from buildtool.drivers.conan.install import Dependencies


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
