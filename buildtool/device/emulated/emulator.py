"""The emulator's own binaries: an ARM64 libcdsprpc.so.1 and a Hexagon DSP shell.

They are built from the sources in this package, once, into the user's cache, and
never become part of a release.

`cache verify` checks them there, too.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from pathlib import Path

from buildtool import _data
from buildtool.cache.emulator_cache import INSTALL, Emulator, directory, lock_of, state_of, trees
from buildtool.cache.eviction import DiskUsage, disk_usage
from buildtool.core.events import Listener, Note
from buildtool.core.files import tree_digest, value_digest
from buildtool.core.lock import locked, try_lock
from buildtool.core.trees import remove_tree
from buildtool.core.value import Value
from buildtool.engine.record import (
    changed_outputs,
    is_of_another_version,
    read_record,
    record_file,
    write_record,
)
from buildtool.inputs.file_states import FileStates
from buildtool.plan.plan import CMakeStep
from buildtool.sdk.packaged_tools import CMake, find_cmake, usable_zig
from buildtool.toolchains.arm64 import ubuntu_aarch64
from buildtool.toolchains.hexagon import hexagon_musl
from buildtool.toolchains.hmx import TABLE
from buildtool.toolchains.profile import Profile
from buildtool.toolchains.system_libraries import EXPORTS

SOURCE_DIGESTS = "sources.digests"  # in the cache: digests of the sources by their stamps
GLIBC = "2.35"  # the emulated device's library runs on this and newer


def source_roots() -> tuple[Path, ...]:
    """The directories and the table that hold every source of the emulator."""
    headers = (_data.path(side) / "include" for side in ("host", "dsp"))
    return (_data.path("emulator"), *headers, EXPORTS, TABLE)


def emulator_steps() -> tuple[CMakeStep, CMakeStep]:
    """The two steps that build the emulator: the library and the DSP shell."""
    cmake = find_cmake()
    cdsprpc, shell = _parts()
    return _step(cdsprpc, cmake), _step(shell, cmake)


def build_emulator(listener: Listener) -> Emulator:
    """The emulator's binaries, built unless this version of them is undamaged in the cache, or in
    the installed wheel.  Building takes about a minute on two processors."""
    cdsprpc, shell = parts = _parts()
    missing = [p for p in reversed(parts) if not (is_whole(p.tree) or _unpacked(p))]
    if missing:
        listener(Note("building the emulated device, once: this takes about a minute"))
    for part in missing:
        _build(_step(part, find_cmake()), listener)
    return Emulator(
        cdsprpc.tree / INSTALL / "libcdsprpc.so.1", shell.tree / INSTALL / "fastrpc_shell"
    )


class _Part(Value):
    """One side of the emulator; the build tree is named by the digest of the sources."""

    name: str
    profile: Profile
    tree: Path


def _parts() -> tuple[_Part, _Part]:
    # Both sides speak one protocol, so a change of either rebuilds both.
    states = FileStates(directory() / SOURCE_DIGESTS)
    sources = tree_digest(source_roots(), states.state)
    states.save()

    def part(name: str, profile: Profile) -> _Part:
        key = value_digest({"sources": sources, "profile": profile.digest})[:16]
        return _Part(name, profile, directory() / key)

    # zig compiles the same on each kind of machine, so a wheel's programs are those of all of them.
    zig = usable_zig()
    zig = zig._replace(identity=zig.version)
    return part("cdsprpc", ubuntu_aarch64(GLIBC, zig)), part("shell", hexagon_musl(zig))


def _unpacked(part: _Part) -> bool:
    """Copy the programs of `part` from the installed wheel into the cache; False if the wheel does
    not have this version of them.  scripts/make_wheel.py puts them there."""
    from buildtool.cache.outputs import restore  # noqa: PLC0415 - it is copied once

    folder = _data.path("programs")
    record = read_record(folder / f"{part.tree.name}.json")
    if record is None:
        return False

    def fetch(digest: str, path: Path) -> bool:
        with contextlib.suppress(FileNotFoundError):
            shutil.copyfile(folder / digest, path)
        return path.exists()

    with locked(lock_of(part.tree), lambda: None):
        if restore(record.outputs, part.tree / INSTALL, fetch):
            write_record(record_file(state_of(part.tree), _step(part, find_cmake())), record)
    return is_whole(part.tree)


def _build(step: CMakeStep, listener: Listener) -> None:
    from buildtool.drivers.step_drivers import driver_of  # noqa: PLC0415 - it is built once
    from buildtool.engine.context import open_context  # noqa: PLC0415
    from buildtool.engine.decide import check_step  # noqa: PLC0415
    from buildtool.engine.execute_step import execute_step  # noqa: PLC0415

    # The emulator belongs to no project, so no project's lock covers it.
    waiting = Note(f"{step.name}: waiting for another buildtool")
    with (
        locked(lock_of(step.tree), lambda: listener(waiting)),
        open_context(state_of(step.tree), driver_of, listener) as context,
    ):
        # Another one, perhaps of another installation, may have built it meanwhile and use it now.
        if not is_whole(step.tree):
            execute_step(check_step(step, {}, context), context)


def _step(part: _Part, cmake: CMake) -> CMakeStep:
    root = _data.path("emulator")
    return CMakeStep(
        name=f"emulator/{part.name}",
        component=f"emulator {part.name}",
        arch=None,
        profile=part.profile,
        root=root,
        source=root / part.name,
        tree=part.tree,
        output=part.tree / INSTALL,
        cmake=cmake,
    )


def is_whole(tree: Path) -> bool:
    """Whether the programs built in `tree` are unchanged; keeps the digests for the next time."""
    file_states = FileStates(state_of(tree) / "digests")
    whole = not _wrong(tree, file_states)
    file_states.save()
    return whole


class Checked(Value):
    """How much `verify` has checked, and the paths of damaged files."""

    checked: DiskUsage
    wrong: tuple[Path, ...]


def verify(folder: Path) -> Checked:
    """Compare all files with their recorded digests; deletes damaged programs, which are rebuilt
    when they are needed."""
    files = size = 0
    wrong: list[Path] = []
    for tree in trees(folder):
        if not (state_of(tree).is_dir() and os.path.lexists(tree / INSTALL)):
            continue  # rebuilt when it is needed
        if any(map(is_of_another_version, (state_of(tree) / "steps").glob("*.json"))):
            continue  # that version checks it
        with try_lock(lock_of(tree)) as lock:
            if lock is None:
                continue  # it is being built
            found = _wrong(tree, FileStates())
            there = disk_usage(tree / INSTALL)
            files, size = files + there.files, size + there.bytes
            wrong += found
            if found:
                remove_tree(tree / INSTALL)
    return Checked(DiskUsage(files, size), tuple(wrong))


def _wrong(tree: Path, file_states: FileStates) -> list[Path]:
    """The damaged files; the whole output when there is no record of it."""
    output = tree / INSTALL
    records = [read_record(file) for file in (state_of(tree) / "steps").glob("*.json")]
    if not records or None in records:
        return [output]
    return [
        output / name
        for record in records
        if record
        for name, _ in changed_outputs(record.outputs, output, file_states)
    ]
