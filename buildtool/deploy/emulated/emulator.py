"""The emulator's own binaries: an ARM64 libcdsprpc.so.1 and a Hexagon DSP shell.

They are built from the sources in this package, once, into the user's cache, and
never become part of a release.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from buildtool import _data
from buildtool.cache.emulator_cache import INSTALL, directory, lock_of, note_use, state_of
from buildtool.core.events import Listener, Note
from buildtool.core.files import tree_digest, value_digest
from buildtool.core.lock import locked
from buildtool.deploy.emulated.verify import is_whole
from buildtool.engine.context import open_context
from buildtool.engine.decide import check_step
from buildtool.engine.execute_step import execute_step
from buildtool.plan.plan import CMakeStep
from buildtool.sdk.cmake import find_cmake
from buildtool.toolchains.hexagon import hexagon_musl
from buildtool.toolchains.profile import Profile
from buildtool.toolchains.ubuntu_aarch64 import ubuntu_aarch64

GLIBC = "2.35"  # the emulated device's library runs on this and newer


@dataclass(frozen=True, slots=True)
class Emulator:
    """Where the built binaries are."""

    cdsprpc: Path
    shell: Path


def source_roots() -> tuple[Path, ...]:
    """The directories that hold every source of the emulator."""
    headers = (_data.path(side) / "include" for side in ("host", "dsp"))
    return (_data.path("emulator"), *headers)


def emulator_steps() -> tuple[CMakeStep, CMakeStep]:
    """The two steps that build the emulator; their trees are named by their sources."""
    # Both sides speak one protocol, so a change of either rebuilds both.
    sources = tree_digest(source_roots())
    return (
        _step("cdsprpc", ubuntu_aarch64(GLIBC), sources),
        _step("shell", hexagon_musl(), sources),
    )


def build_emulator(listener: Listener) -> Emulator:
    """The emulator's binaries, built if this version of them is not in the cache as it was built.

    The first time takes a minute or two, most of it zig building a C library for Hexagon.
    """
    cdsprpc, shell = emulator_steps()
    missing = [step for step in (shell, cdsprpc) if not is_whole(step.tree)]
    if missing:
        listener(Note("building the emulated device, once; the first time takes a minute or two"))
    for step in missing:
        _build(step, listener)
    for step in (shell, cdsprpc):
        note_use(step.tree)
    return Emulator(cdsprpc.output / "libcdsprpc.so.1", shell.output / "fastrpc_shell")


def _build(step: CMakeStep, listener: Listener) -> None:
    # The emulator belongs to no project, so no project's lock covers it.
    waiting = Note(f"{step.name}: waiting for another buildtool")
    with (
        locked(lock_of(step.tree), lambda: listener(waiting)),
        open_context(state_of(step.tree), listener) as context,
    ):
        execute_step(check_step(step, {}, context), context)


def _step(name: str, profile: Profile, sources: str) -> CMakeStep:
    root = _data.path("emulator")
    key = value_digest({"sources": sources, "profile": profile.digest})[:16]
    return CMakeStep(
        name=f"emulator/{name}",
        component=f"emulator {name}",
        arch=None,
        profile=profile,
        root=root,
        source=root / name,
        tree=directory() / key,
        output=directory() / key / INSTALL,
        cmake=find_cmake(),
    )
