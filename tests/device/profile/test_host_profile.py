"""`run BOARD --profile` uses the profiler of the board, here a stand-in for perf."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.device.devices.emulated_board import emulated_board
from tests.json_documents import validate
from tests.project import Project
from tests.remote.sshd import SshServer

PERF = r"""
# A stand-in for perf: it starts the program, and prints two samples.
case $1 in
    record)
        shift
        while :; do
            case $1 in
                -g) shift ;;
                -F) shift 2 ;;
                -o) echo recorded >"$2" && shift 2 ;;
                *) break ;;
            esac
        done
        "$@"
        exit 0 ;;
    script)
        [ "$(cat "$3")" = recorded ] || exit 1
        printf 'my-project 23 1.5: 250000 cycles:u:\n'
        printf '\t 401a2c multiply+0x4c (/opt/bin/my-project)\n\t 401b10 main+0x20 (/opt/x)\n'
        printf '\n'
        printf 'my-project 23 1.6: 250000 cycles:u:\n\t 401b10 main+0x24 (/opt/x)\n\n' ;;
esac
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SshServer]:
    with emulated_board(tmp_path_factory.mktemp("board"), tools="busybox") as server:
        yield server


@pytest.fixture
def board(project: Project, server: SshServer) -> Iterator[SshServer]:
    """A board of the project, `board`, without a profiler."""
    project.variables = server.client.environment
    root = server.device.home / "root"
    project.write(
        "devices.toml",
        f'[device.board]\ntransport = "ssh"\naddress = "{server.client.host}"\nroot = "{root}"\n',
    )
    yield server
    project.variables = {}


def test_a_program_is_profiled(project: Project, board: SshServer, tmp_path: Path) -> None:
    board.device.put_tool("perf", PERF)
    done = project.run("run", "board", "--profile-dir", str(tmp_path), "--json")
    assert done.returncode == 0, done.stderr
    document: dict[str, Any] = json.loads(done.stdout)

    validate("run", document)
    rows = {row["name"]: row for row in document["profile"]["functions"]}
    assert {name: (row["self_samples"], row["total_samples"]) for name, row in rows.items()} == {
        "multiply": (1, 1),
        "main": (1, 2),
    }
    assert document["profile"]["tool"] == "perf"
    assert (tmp_path / "host.folded").read_text() == "main 1\nmain;multiply 1\n"
    assert "2 samples of perf" in done.stderr
    assert "verified against the CPU" in done.stderr
    assert not list(board.device.home.rglob("*.profile*"))


def test_the_exit_status_is_the_programs(project: Project, board: SshServer) -> None:
    board.device.put_tool("perf", PERF)
    done = project.run("run", "board", "--profile", "--env", "ADSP_LIBRARY_PATH=", "--", "run.sh")

    assert done.returncode == 1, done.stderr  # of QEMU: the script is no ARM64 program


def test_a_board_without_a_profiler(project: Project, board: SshServer) -> None:
    (Path(board.device.path) / "perf").unlink(missing_ok=True)
    done = project.run("run", "board", "--profile")

    assert done.returncode == 125
    assert "board has no profiler: neither simpleperf nor perf" in done.stderr
    assert "apt-get install linux-perf" in done.stderr
