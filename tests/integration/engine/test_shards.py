"""Runners that share nothing but a remote cache, a real nginx, build a target together."""

from __future__ import annotations

import json
import signal
import subprocess
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.caches import share
from tests.integration.cache.remote_nginx import Nginx, free_port, running
from tests.integration.engine import pair, processes
from tests.project import Outcomes, Project

ARCHS = ("v68", "v73")
SKELS = ("dsp", "other")
FILES = {
    "buildtool.toml": f"""
[project]
name = "shared"

[host.base]
source = "base"
install = false

[host.app]
source = "app"
needs = ["base"]

[host.tool]
source = "tool"
needs = ["base"]

[skel.dsp]
source = "dsp"

[skel.other]
source = "other"

[target.sim]
platform = "ubuntu-aarch64"
archs = {json.dumps(ARCHS)}

[target.hosts]
platform = "ubuntu-aarch64"
archs = []
""",
    "base/CMakeLists.txt": """
cmake_minimum_required(VERSION 3.22)
project(base C)
add_library(base STATIC base.c)
install(TARGETS base EXPORT base ARCHIVE DESTINATION lib)
install(EXPORT base FILE base-config.cmake DESTINATION lib/cmake/base)
""",
    "base/base.c": "int base(void) { return 0; }\n",
}
for app in ("app", "tool"):
    FILES[f"{app}/main.c"] = "int base(void);\nint main(void) { return base(); }\n"
    FILES[f"{app}/CMakeLists.txt"] = f"""
cmake_minimum_required(VERSION 3.22)
project({app} C)
find_package(base CONFIG REQUIRED)
add_executable({app} main.c)
target_link_libraries({app} PRIVATE base)
install(TARGETS {app} RUNTIME DESTINATION bin)
"""
for skel in SKELS:
    for file in ("CMakeLists.txt", "entry.c"):
        FILES[f"{skel}/{file}"] = pair.FILES[f"dsp/{file}"].replace("b_skel", f"{skel}_skel")
# Without records each step counts the same: two steps for three runners, one for the last.
PARTS = {
    1: {"host/base", "host/app"},
    2: {"host/tool"},
    3: {"skel/dsp/v68", "skel/other/v68"},
    4: {"skel/dsp/v73", "skel/other/v73"},
}
STEPS = set().union(*PARTS.values())
HOSTS = PARTS[1] | PARTS[2]
NewRunner = Callable[..., Project]


@pytest.fixture
def nginx(tmp_path: Path) -> Iterator[Nginx]:
    with running(tmp_path / "nginx") as server:
        yield server


@pytest.fixture
def runner(tmp_path: Path, nginx: Nginx) -> NewRunner:
    """Create a runner that has only the sources, and may write to the server."""

    def new(name: str, **variables: str) -> Project:
        server = {
            "BUILDTOOL_REMOTE_CACHE": nginx.url,
            "BUILDTOOL_REMOTE_CACHE_MODE": "read-write",
        }
        folder = tmp_path / name
        made = Project(folder / "clone", share(folder / "cache"), server | variables)
        made.lay_out(FILES)
        return made

    return new


def start(runner: Project, *words: str) -> subprocess.Popen[str]:
    return processes.start(runner.root, *words, **runner.environment)


def outcomes(process: subprocess.Popen[str]) -> Outcomes:
    output, messages = process.communicate()
    assert process.returncode == 0, messages
    steps = json.loads(output)["steps"]
    return {s["name"]: f"{s['outcome']} {s['origin'] or ''}".strip() for s in steps}


def built(found: Outcomes) -> set[str]:
    return {name for name, outcome in found.items() if outcome == "built"}


def test_each_step_is_built_once_by_one_of_four_shards(nginx: Nginx, runner: NewRunner) -> None:
    runners = {number: runner(f"runner {number}") for number in PARTS}
    shards = {
        number: start(one, "sim", "--shard", f"{number}/{len(PARTS)}", "--json")
        for number, one in runners.items()
    }
    found = {number: outcomes(shard) for number, shard in shards.items()}

    assert {number: built(steps) for number, steps in found.items()} == PARTS
    assert found[2]["host/base"] == "restored remote"
    assert not (runners[1].root / ".buildtool/release").exists()
    stored = Counter(line for line in nginx.log() if line.startswith("PUT /builds/ac/"))
    assert set(stored.values()) == {1}

    requests = len(nginx.log())
    last = runner("the last job")
    assert last.build() == dict.fromkeys(STEPS, "restored remote")
    # What building took: the next shards are divided by that.
    assert sum(line.startswith("PUT /builds/ac/") for line in nginx.log()[requests:]) == 1


def test_the_last_job_builds_what_a_killed_shard_did_not(runner: NewRunner, tmp_path: Path) -> None:
    launcher, reached = tmp_path / "launcher", tmp_path / "reached"
    launcher.write_text(f"#!/bin/sh\necho here >'{reached}'\nexec sleep 600\n")
    launcher.chmod(0o755)
    killed = start(runner("killed"), "hosts", "--shard", "1/2", "--launcher", str(launcher))
    processes.wait_for(reached, killed)
    killed.kill()
    killed.communicate()

    done = runner("waiting").run("build", "hosts", "--shard", "2/2", "--wait", "1s")
    assert done.returncode == 1
    assert "waiting for host/base: --shard 1/2 builds it" in done.stderr
    assert (
        "error: host/base is not in the remote cache\n"
        "  --shard 1/2 builds it; it did not appear within 1 s\n"
        "  → A build without --shard makes it, and all that needs it.\n"
    ) in done.stderr
    assert runner("the last job").build("hosts") == dict.fromkeys(HOSTS, "built")


def test_a_shard_stores_what_it_had_built_before(runner: NewRunner) -> None:
    here = runner("here", BUILDTOOL_REMOTE_CACHE_MODE="off")
    here.build("hosts")
    here.variables["BUILDTOOL_REMOTE_CACHE_MODE"] = "read-write"
    summary = here.succeeds("build", "hosts", "--shard", "1/2")  # its steps are up to date
    assert summary.startswith("shard 1/2: stored 2 of 3 steps in http://")
    here.forget()
    assert here.build("hosts", "--shard", "2/2")["host/tool"] == "restored local"
    assert runner("another").build("hosts") == dict.fromkeys(HOSTS, "restored remote")


def test_a_shard_that_waits_ends_with_ctrl_c(runner: NewRunner) -> None:
    waiting = start(runner("waiting"), "hosts", "--shard", "2/2", "--wait", "forever")
    assert waiting.stderr is not None
    while "waiting for host/base" not in waiting.stderr.readline():
        assert waiting.poll() is None
    waiting.send_signal(signal.SIGINT)
    waiting.communicate()
    assert waiting.returncode == 130


@pytest.mark.parametrize(
    ("words", "mode", "said"),
    [
        (("--shard", "1/4"), "off", "none is configured"),
        (("--shard", "1/4"), "read", "is only read"),
        (("--shard", "1/4", "--no-cache"), "read-write", "--no-cache"),
        (("--shard", "1/4", "--plan"), "read-write", "--plan"),
        (("--shard", "5/4"), "read-write", "'5/4' is not a part of the steps"),
        (("--wait", "1m"), "read-write", "--wait is for --shard"),
    ],
)
def test_wrong_command_lines(
    runner: NewRunner, words: tuple[str, ...], mode: str, said: str
) -> None:
    done = runner("wrong", BUILDTOOL_REMOTE_CACHE_MODE=mode).run("build", *words)
    assert (done.returncode, said in done.stderr) == (2, True), done.stderr


def test_without_the_server_a_shard_builds_nothing(runner: NewRunner) -> None:
    alone = runner("alone", BUILDTOOL_REMOTE_CACHE=f"http://127.0.0.1:{free_port()}")
    error = alone.fails("build", "--shard", "1/4")
    assert "what this shard builds would be lost" in error
    assert not (alone.root / ".buildtool/out").exists()
