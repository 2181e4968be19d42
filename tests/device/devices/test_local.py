"""`local`: buildtool runs on a board, which others reach over ssh; its DSP is an emulated one."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.command_line import REPOSITORY
from tests.device.devices.emulated_board import emulated_board
from tests.device.devices.lab import PROGRAM, SECONDS, User, wait_until
from tests.device.docs.test_docs import blocks
from tests.json_documents import validate
from tests.remote.boards import end_connections
from tests.remote.noisy import QUIET
from tests.remote.remote import processes_with
from tests.remote.sshd import SshServer, free_port

DOC = REPOSITORY / "docs" / "on-the-board.md"
VERIFIED = "lab: scale_add of 1024 and 1001 elements verified against the CPU\n"


class Owner(User):
    """The user who works on the board itself."""

    def command(self, *arguments: str) -> list[str]:
        return [*self.prefix, *super().command(*arguments)]


@pytest.fixture(scope="module")
def board(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SshServer]:
    with emulated_board(tmp_path_factory.mktemp("board")) as server:
        yield server


def owner_of(board: SshServer, root: Path) -> Owner:
    """A user with a project in the new directory `root`."""
    root.mkdir(parents=True)
    names = {"USER": "ann", "LOGNAME": "ann", "XDG_CONFIG_HOME": str(root.parent)}
    user = Owner(root, variables={**board.variables, **QUIET, **names})
    user.prefix = board.device.command("/usr/bin/env", "-C", root)
    user.succeeds("init", "--template", "hvx")
    return user


@pytest.fixture(scope="module")
def ann(board: SshServer, tmp_path_factory: pytest.TempPathFactory) -> Owner:
    user = owner_of(board, tmp_path_factory.mktemp("ann") / "lab")
    user.edit("host/src/main.c", "int main(void)\n{\n", PROGRAM)
    document = json.loads(user.succeeds("devices", "add", "--local", "--json"))
    validate("devices-add", document)
    device, facts = document["device"], document["facts"]
    assert (device["name"], device["transport"], device["address"]) == ("local", "local", "")
    assert (facts["arch"], facts["root"]) == ("v68", f"{board.device.home}/.local/share/buildtool")
    assert user.succeeds("devices", "list").splitlines()[1] == "local  local, target sim"
    assert user.succeeds("run", "local") == VERIFIED
    return user


@pytest.fixture(scope="module")
def bob(board: SshServer, ann: Owner, tmp_path_factory: pytest.TempPathFactory) -> Iterator[User]:
    """The user of another machine, with the same project."""
    home = tmp_path_factory.mktemp("bob")
    user = User(home / "lab")
    ann.copy_sources(user.root)
    user.write("devices.toml", '[device.q6a]\ntransport = "ssh"\naddress = "board"\n')
    with tempfile.TemporaryDirectory(prefix="ssh-") as sockets:
        names = {"USER": "bob", "LOGNAME": "bob", "XDG_CONFIG_HOME": str(home)}
        path = board.client.environment["PATH"]
        user.variables = {**names, "PATH": path, "XDG_RUNTIME_DIR": sockets}
        assert user.succeeds("run", "q6a") == VERIFIED
        yield user
        end_connections(Path(sockets))


def refused(user: User, *arguments: str) -> str:
    done = user.run(*arguments)
    assert done.returncode == 125, done.stderr
    return done.stderr


def test_who_works_on_the_board_and_who_comes_over_ssh_share_its_lock(
    ann: Owner, bob: User, tmp_path: Path
) -> None:
    with ann.holding("local", tmp_path / "1"):
        assert "error: q6a is in use by ann@" in refused(bob, "run", "q6a")
        waiting = bob.start("run", "q6a", "--wait", "forever")
        assert waiting.stderr
        assert "waiting for q6a, in use by ann@" in waiting.stderr.readline()
        (tmp_path / "1").touch()
        assert waiting.communicate(timeout=SECONDS)[0] == VERIFIED
    with bob.holding("q6a", tmp_path / "2"):
        assert "error: local is in use by bob@" in refused(ann, "run", "local")
        assert "in use by bob@" in ann.run("devices", "check", "local").stdout
        assert ann.succeeds("run", "local", "--share") == VERIFIED
        assert ann.succeeds("run", "sim") == VERIFIED


def test_a_program_ends_with_the_command_that_is_killed(ann: Owner, tmp_path: Path) -> None:
    with ann.holding("local", tmp_path / "never") as process:
        process.kill()
        process.wait()
        assert ann.succeeds("run", "local", "--wait=20s") == VERIFIED
    wait_until(lambda: not processes_with(f"{tmp_path}/never"))


def test_a_program_on_a_terminal_that_is_closed_ends_with_its_lock(
    ann: Owner, tmp_path: Path
) -> None:
    ours, theirs = os.openpty()
    program = ("bin/lab", "wait", f"{tmp_path}/never")
    process = subprocess.Popen(
        ["setsid", "--ctty", *ann.command("run", "local", "--tty", "--", *program)],
        cwd=ann.root,
        env={**os.environ, **ann.environment},
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
    )
    os.close(theirs)
    shown = b""
    while b"waiting" not in shown:
        shown += os.read(ours, 4096)
    assert "in use by ann@" in refused(ann, "run", "local")
    os.close(ours)
    assert ann.succeeds("run", "local", "--wait=20s") == VERIFIED
    process.wait(SECONDS)
    wait_until(lambda: not processes_with(f"{tmp_path}/never"))


def test_a_port_of_the_board_is_its_own(ann: Owner) -> None:
    port = free_port()
    assert ann.succeeds("run", "local", "--forward", str(port)) == VERIFIED
    assert f"port {port} of local is this machine's own\n" in ann.messages


def test_a_bench_runs_on_the_board(ann: Owner) -> None:
    bench = '[bench.size]\nprogram = "bin/lab"\nmetrics = ["size"]\nrepeat = 3\n'
    metric = "[metric.size]\nmatch = 'of ([0-9]+) and'\nexact = true\n"
    ann.write("buildtool.toml", f"{(ann.root / 'buildtool.toml').read_text()}\n{bench}{metric}")
    document = json.loads(ann.succeeds("bench", "local", "size", "--json"))
    validate("bench", document)
    assert (document["ok"], document["device"]) == (True, "local")
    assert set(document["metrics"][0]["values"]) == {1024.0}


def test_a_lock_from_before_a_reboot_is_stale(board: SshServer, ann: Owner, tmp_path: Path) -> None:
    with ann.holding("local", tmp_path / "never"):
        board.reboot()
        assert ann.succeeds("run", "local") == VERIFIED


def test_a_board_without_a_dsp_says_so(ann: Owner, tmp_path: Path) -> None:
    (tmp_path / "lib").symlink_to("/usr/aarch64-linux-gnu/lib")
    ann.write("devices.toml", f'[device.bare]\ntransport = "local"\nroot = "{tmp_path}/root"\n')
    whole = ann.variables
    try:
        ann.variables = {**whole, "QEMU_LD_PREFIX": str(tmp_path)}
        error = refused(ann, "run", "bare")
        ann.variables = whole  # as if they were installed: the device is asked again
        assert ann.succeeds("run", "bare") == VERIFIED
    finally:
        ann.variables = whole
        (ann.root / "devices.toml").unlink()
    assert "error: the target 'sim' has skels (v68), and no DSP is known on the device" in error
    assert "install the FastRPC packages of the board" in error


def test_the_commands_of_the_page_work(board: SshServer, tmp_path: Path) -> None:
    user = owner_of(board, tmp_path / "my-project")
    for command in "".join(blocks(DOC.read_text(encoding="utf-8"), "shell")).splitlines():
        printed = user.succeeds(*command.removeprefix("buildtool ").split())
        if command == "buildtool devices add --local":
            table = '[device.local]\ntransport = "local"\ntarget = "sim"\n'
            assert table in DOC.read_text(encoding="utf-8")
            assert table in printed.replace("\n  ", "\n")
    assert "is current again, instead of" in printed
