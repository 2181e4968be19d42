"""Damaged programs of the emulated device in the cache are detected and built again."""

from __future__ import annotations

import json
import os
import shutil
import threading
import time
from pathlib import Path

import pytest

from buildtool.cache.emulator_cache import INSTALL, Emulator, lock_of, state_of
from buildtool.core.events import Event, Note, StepFinished
from buildtool.core.files import read_checksummed, write_checksummed
from buildtool.core.lock import locked
from buildtool.device.emulated import emulator as emulator_module
from buildtool.device.emulated.emulator import (
    build_emulator,
    emulator_steps,
    is_whole,
    source_roots,
)
from buildtool.engine.record import read_record, record_file
from buildtool.engine.result import StepOutcome
from buildtool.sdk.packaged_tools import usable_zig
from tests.caches import share
from tests.command_line import Buildtool
from tests.integration.cache.remote_nginx import running

LISTS = """cmake_minimum_required(VERSION 3.22)
project(app C)
find_package(Buildtool REQUIRED)
add_executable(app app.c)
target_link_libraries(app PRIVATE Buildtool::cdsprpc)
install(TARGETS app)
"""
OUR_SOURCES = ("{project}", "{buildtool}", "{buildtool.dsp}", "{buildtool.host}")
MAIN = "#include <remote.h>\nint main(void) { return remote_handle64_close == 0; }\n"


@pytest.fixture
def emulator() -> Emulator:
    """The emulator's programs, in a cache in which tests may damage them."""
    build_emulator(print)
    shared = Path(os.environ["BUILDTOOL_CACHE"], "emulator")
    kept = shared.resolve()
    shared.unlink()
    shared.mkdir()
    for tree in kept.iterdir():
        if (tree / INSTALL).is_dir():
            shutil.copytree(tree / INSTALL, shared / tree.name / INSTALL, symlinks=True)
            shutil.copytree(state_of(tree), shared / state_of(tree).name)
            (shared / f"{tree.name}.lock").touch()
    return build_emulator(refuse)


@pytest.fixture
def app(tmp_path: Path) -> Path:
    """A project with a program that needs libcdsprpc to start."""
    root = tmp_path / "a project"
    (root / "host").mkdir(parents=True)
    (root / "buildtool.toml").write_text('[project]\nname = "p"\n[host.app]\nsource = "host"\n')
    (root / "host" / "CMakeLists.txt").write_text(LISTS)
    (root / "host" / "app.c").write_text(MAIN)
    return root


def refuse(event: object) -> None:
    raise AssertionError(f"the emulator was built again: {event}")


def test_what_another_one_has_built_meanwhile_is_not_built_again(
    emulator: Emulator, tmp_path: Path
) -> None:
    tree, events = emulator.shell.parents[1], list[Event]()
    aside = (tree / INSTALL).rename(tmp_path / "aside")
    with locked(lock_of(tree), lambda: None):
        waits = threading.Thread(target=build_emulator, args=(events.append,))
        waits.start()
        while Note("emulator/shell: waiting for another buildtool") not in events:
            time.sleep(0.01)
        aside.rename(tree / INSTALL)
    waits.join()
    assert {type(event) for event in events} == {Note}


def test_the_digest_of_the_sources_covers_what_is_compiled() -> None:
    build_emulator(print)
    for step in emulator_steps():
        record = read_record(record_file(state_of(step.tree), step))
        assert record is not None
        # The profile's digest covers the CMake modules and the toolchain's headers.
        ours = [name for name in record.inputs.paths.files if name.startswith(OUR_SOURCES)]
        paths = [Path(step.roots.path_of(name)) for name in ours]
        assert {"{project}/common/wire.c", "{buildtool.host}/include/fastrpc/AEEStdErr.h"} < {*ours}
        assert not [p for p in paths if not any(map(p.is_relative_to, source_roots()))]


def damage(emulator: Emulator) -> set[str]:
    """Damage both programs; returns their paths."""
    emulator.cdsprpc.write_bytes(b"")
    emulator.shell.write_bytes(emulator.shell.read_bytes()[:-1])
    return {str(emulator.cdsprpc.resolve()), str(emulator.shell)}


def test_damaged_programs_are_found(emulator: Emulator, app: Path, buildtool: Buildtool) -> None:
    trees = [program.parents[1] for program in (emulator.cdsprpc, emulator.shell)]
    assert all(map(is_whole, trees))

    wrong = damage(emulator)

    assert not any(map(is_whole, trees))
    verified = buildtool("cache", "verify", "--json", cwd=app)
    assert verified.returncode == 1
    assert set(json.loads(verified.stdout)["wrong"]) == wrong
    assert not any(map(is_whole, trees))


def test_programs_of_another_version_are_not_damaged(
    emulator: Emulator, app: Path, buildtool: Buildtool
) -> None:
    tree = emulator.shell.parents[1]
    (record,) = (state_of(tree) / "steps").glob("*.json")
    write_checksummed(record, {**read_checksummed(record), "version": 1})
    done = buildtool("cache", "verify", "--json", cwd=app)
    assert (done.returncode, json.loads(done.stdout)["wrong"]) == (0, [])
    assert emulator.shell.exists()


@pytest.mark.long
def test_a_new_machine_restores_the_programs_from_a_remote_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with running(tmp_path / "nginx") as server:
        monkeypatch.setenv("BUILDTOOL_REMOTE_CACHE", server.url)
        outcomes = []
        for name, mode in (("ci", "read-write"), ("new", "read")):
            monkeypatch.setenv("BUILDTOOL_REMOTE_CACHE_MODE", mode)
            with monkeypatch.context() as patch:
                patch.setenv("BUILDTOOL_CACHE", str(share(tmp_path / name)))
                events: list[Event] = []
                build_emulator(events.append)
                outcomes.append([e.outcome for e in events if isinstance(e, StepFinished)])
    assert outcomes == [[StepOutcome.BUILT] * 2, [StepOutcome.RESTORED] * 2]


@pytest.mark.long  # a new cache builds them in the same way
def test_emptied_programs_are_made_again(
    emulator: Emulator, app: Path, buildtool: Buildtool
) -> None:
    emulator.cdsprpc.write_bytes(b"")

    ran = buildtool("run", "sim", cwd=app)

    assert ran.returncode == 0, ran.stderr
    assert "building the emulated device" in ran.stderr
    assert emulator.cdsprpc.stat().st_size
    build_emulator(refuse)

    damage(emulator)
    assert buildtool("cache", "verify", cwd=app).returncode == 1
    assert buildtool("cache", "verify", cwd=app).returncode == 0
    ran = buildtool("run", "sim", cwd=app)
    assert ran.returncode == 0, ran.stderr
    assert buildtool("cache", "verify", cwd=app).stdout.endswith("all good\n")


def test_the_programs_are_the_same_with_the_zig_of_another_kind_of_machine(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    here = [step.tree.name for step in emulator_steps()]
    other = usable_zig()._replace(identity="as it is on ARM64")
    monkeypatch.setattr(emulator_module, "usable_zig", lambda: other)

    assert [step.tree.name for step in emulator_steps()] == here
