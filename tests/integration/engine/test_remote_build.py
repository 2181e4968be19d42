"""Machines that share a remote cache, a real nginx: one builds, the others restore."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.caches import empty
from tests.integration.cache.remote_buildgrid import buildgrid
from tests.integration.cache.remote_nginx import Nginx, free_port, running
from tests.integration.engine import pair
from tests.integration.engine.pair import HOST, SKEL
from tests.project import Project

BOTH = {HOST: "built", SKEL: "built"}
FROM_REMOTE = {HOST: "restored remote", SKEL: "restored remote"}
NewMachine = Callable[..., Project]


@pytest.fixture
def machine(tmp_path: Path) -> NewMachine:
    """Create a machine that has only the sources and uses the server at `url`."""

    def new(name: str, url: str, mode: str = "") -> Project:
        variables = {"BUILDTOOL_REMOTE_CACHE": url}
        if mode:
            variables["BUILDTOOL_REMOTE_CACHE_MODE"] = mode
        return pair.machine(tmp_path / name, **variables)

    return new


@pytest.fixture
def nginx(tmp_path: Path) -> Iterator[Nginx]:
    with running(tmp_path / "nginx") as server:
        yield server


def test_what_one_machine_built_the_others_restore(nginx: Nginx, machine: NewMachine) -> None:
    ci = machine("ci", nginx.url, "read-write")
    assert ci.build() == BOTH
    assert "remote cache" not in ci.messages
    asked = nginx.log()

    person = machine("a person", nginx.url)
    assert person.why() == (
        f"{HOST}: restored from the remote cache\n"
        "    it was not built here before\n"
        f"{SKEL}: restored from the remote cache\n"
        "    it was not built here before\n"
    )
    assert person.build() == FROM_REMOTE
    assert "remote cache" not in person.messages
    assert person.release_files() == ci.release_files()
    assert not list(person.root.glob(".buildtool/build/*/*/CMakeCache.txt"))
    assert f"{HOST}: restored from the remote cache\n" in person.why("--last")
    assert {line.split()[0] for line in nginx.log()[len(asked) :]} == {"GET"}

    # Now the machine has the outputs in its own cache, and sends no requests.
    before = nginx.log()
    assert person.build() == dict.fromkeys(BOTH, "up-to-date")
    shutil.rmtree(person.root / ".buildtool")
    assert person.build() == dict.fromkeys(BOTH, "restored local")
    assert nginx.log() == before

    # A machine in read mode stores nothing.
    person.edit("host/main.c", "return LEVEL", "return 7")
    assert person.build() == {HOST: "built", SKEL: "up-to-date"}
    assert puts(nginx.log()) == puts(asked)
    ci.edit("host/main.c", "return LEVEL", "return 7")
    assert ci.build() == {HOST: "built", SKEL: "up-to-date"}
    other = machine("another", nginx.url)
    other.edit("host/main.c", "return LEVEL", "return 7")
    assert other.build() == FROM_REMOTE


def puts(log: list[str]) -> list[str]:
    return [line for line in log if line.startswith("PUT")]


@pytest.mark.long
def test_a_server_of_the_remote_execution_api(machine: NewMachine, tmp_path: Path) -> None:
    with buildgrid(tmp_path / "buildgrid") as server:
        ci = machine("ci", server.url, "read-write")
        assert ci.build() == BOTH
        person = machine("a person", server.url)
        assert person.build() == FROM_REMOTE
        assert person.release_files() == ci.release_files()
        outcomes: dict[str, str] = {}
        for number in (1, 2):
            one = machine(f"runner {number}", server.url, "read-write")
            one.edit("host/main.c", "return LEVEL", "return 7")
            outcomes |= one.build("sim", "--shard", f"{number}/2")
        assert outcomes == {HOST: "built", SKEL: "restored remote"}
    assert "remote cache" not in ci.messages + person.messages


def test_a_dead_server_costs_one_warning(machine: NewMachine) -> None:
    here = machine("a", f"http://127.0.0.1:{free_port()}/builds", "read-write")

    assert here.build() == BOTH
    assert here.messages.count("remote cache") == 1
    assert "cannot be reached" in here.messages
    assert here.build() == dict.fromkeys(BOTH, "up-to-date")
    assert here.messages == "· 2 steps up to date\n"


def flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


def lie(nginx: Nginx) -> None:
    for path in nginx.stored("cas"):
        flip(path)


def swap(nginx: Nginx) -> None:
    """Exchange the contents of all documents."""
    stored = nginx.stored("ac")
    texts = [path.read_bytes() for path in stored]
    for path, text in zip(stored, [*texts[1:], texts[0]], strict=True):
        path.write_bytes(text)


def lose(nginx: Nginx) -> None:
    for path in nginx.stored("cas"):
        path.unlink()


def test_a_server_that_lies_makes_no_build_wrong(
    nginx: Nginx, machine: NewMachine, tmp_path: Path
) -> None:
    ci = machine("ci", nginx.url, "read-write")
    assert ci.build("alone") == {HOST: "built"}
    shutil.copytree(nginx.files, tmp_path / "filled")
    person = machine("a", nginx.url)
    for harm, warnings in ((lie, 1), (swap, 1), (lose, 0)):
        shutil.rmtree(nginx.files)
        shutil.copytree(tmp_path / "filled", nginx.files)
        harm(nginx)

        assert person.build("alone") == {HOST: "built"}, harm.__name__
        assert person.messages.count("remote cache") == warnings, harm.__name__
        assert person.release_files("alone") == ci.release_files("alone")
        assert person.build("alone") == {HOST: "up-to-date"}
        person.forget()
        empty(person.cache)
