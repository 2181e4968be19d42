"""`Plan` → `Built`: carry out the steps and check what came out."""

from __future__ import annotations

import time
from collections.abc import Iterable
from pathlib import Path

from buildtool.build.built import Built, BuiltStep
from buildtool.build.cmake_driver import ArtifactError, carry_out, shipped_files
from buildtool.build.conan_driver import installed
from buildtool.build.plan import CMakeStep, Plan
from buildtool.core.elf import is_elf, read_elf
from buildtool.core.events import Listener
from buildtool.toolchains.cdsprpc import check_needs
from buildtool.toolchains.host import check_host
from buildtool.toolchains.skel import check_library, check_skel, is_skel


def run_plan(plan: Plan, listener: Listener) -> Built:
    """Carry out every step of `plan`, in order.

    Raises what a step raises: `ToolError`, `ArtifactError`, `HostError`, `SkelError`,
    `CdsprpcError`.
    """
    finished = []
    for step in plan.steps:
        started = time.monotonic()
        outcome = carry_out(step, listener)
        files = _with_runtime(shipped_files(step), step)
        if step.arch:
            _check_skels(step, step.arch, files)
        else:
            _check_host(step, files)
        finished.append(BuiltStep(step, outcome, time.monotonic() - started, files))
    _check_cdsprpc(finished)
    return Built(plan, tuple(finished))


def _with_runtime(files: dict[str, Path], step: CMakeStep) -> dict[str, Path]:
    """`files`, and the libraries of the toolchain and of packages that something among them needs.

    These get the name that is asked for, their SONAME, whatever their files are called.
    """
    packages = installed(step)
    offered = {**(packages.runtime if packages else {}), **step.profile.runtime}
    complete = dict(files)
    waiting = list(files.values()) if offered else []
    while waiting:
        path = waiting.pop()
        for name in read_elf(path).needed if is_elf(path) else ():
            if name in offered and name not in {Path(n).name for n in complete}:
                complete[name if step.arch else f"lib/{name}"] = offered[name]
                waiting.append(offered[name])
    return complete


def _check_host(step: CMakeStep, files: dict[str, Path]) -> None:
    """What the ARM64 side ships runs on the platform that it is built for."""
    for path in files.values():
        if is_elf(path):
            check_host(read_elf(path), step.profile)


def _check_cdsprpc(finished: Iterable[BuiltStep]) -> None:
    """What the ARM64 sides ship asks nothing of the device's libcdsprpc that it does not have."""
    hosts = [built for built in finished if built.step.profile.cdsprpc]
    elves = [read_elf(path) for built in hosts for path in built.files.values() if is_elf(path)]
    for cdsprpc in dict.fromkeys(b.step.profile.cdsprpc for b in hosts if b.step.profile.cdsprpc):
        check_needs(elves, cdsprpc)


def _check_skels(step: CMakeStep, arch: str, files: dict[str, Path]) -> None:
    """A skel step ships at least one skel, and nothing that the DSP would refuse."""
    skels = 0
    for name, path in files.items():
        if ".so" not in path.suffixes:
            continue
        if is_skel(read_elf(path)) or name.endswith("_skel.so"):
            check_skel(path, arch, files.values())
            skels += 1
        else:
            check_library(path, arch)
    if not skels:
        raise ArtifactError(
            f"{step.name} made no skel",
            why=f"it ships {', '.join(files)}, and none is a shared object with an entry"
            " NAME_skel_handle_invoke",
            remedy="Make it with add_library(… SHARED …), or buildtool_add_skel(…).",
        )
