"""Users of one device with accounts of their own share its lock."""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
from collections.abc import Iterator

import pytest

from buildtool.device.script import LOCK_SCRIPTS, assignments, script
from tests.remote.sshd import SshServer

ANN, BOB, ROOT = 1001, 1002, 0
FOLDER = "/run/lock/buildtool-lock"

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root can be several users")


@contextlib.contextmanager
def running(
    server: SshServer, account: int, name: str, **variables: str
) -> Iterator[subprocess.Popen[str]]:
    """A script of the lock, as a process of `account` on the device."""
    common = {"mark": "[report]", "report_to": "", "framed": "", "root": "/missing"}
    text = assignments({**common, **variables}) + script(*LOCK_SCRIPTS, name)
    become = ["setpriv", "--reuid", str(account), "--regid", str(account), "--clear-groups"]
    with subprocess.Popen(
        server.device.command(*become, "sh", "-c", text),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        yield process
        assert process.stdin
        process.stdin.close()


@contextlib.contextmanager
def holding(server: SshServer, user: int, patience: int = 0) -> Iterator[subprocess.Popen[str]]:
    """The script that holds the lock."""
    names = {"token": f"token{user}", "user": f"user{user}@host test"}
    with running(server, user, "hold", access="alone", patience=str(patience), **names) as process:
        yield process


def state(server: SshServer, user: int, *, remove: bool) -> str:
    """What the device reports about the lock, which `remove` removes."""
    with running(server, user, "lock_state", remove="1" if remove else "") as process:
        return report(process)


def answer(process: subprocess.Popen[str]) -> str:
    """The first word that it prints."""
    assert process.stdout
    return process.stdout.readline().partition(" ")[0]


def report(process: subprocess.Popen[str]) -> str:
    assert process.stderr
    return process.stderr.read()


@pytest.mark.parametrize(("first", "second"), [(ANN, BOB), (ROOT, ANN), (ANN, ROOT)])
def test_a_lock_is_for_all_accounts(ssh_server: SshServer, first: int, second: int) -> None:
    with holding(ssh_server, first) as one:
        assert answer(one) == "held"
        with holding(ssh_server, second) as other:
            assert answer(other) == ""
            assert f" user{first}@host test\n" in report(other)
    with holding(ssh_server, second) as other:
        assert answer(other) == "held"


@pytest.mark.parametrize(("first", "second"), [(ANN, BOB), (ROOT, ANN), (ANN, ROOT)])
def test_the_stale_lock_of_another_account_is_replaced(
    ssh_server: SshServer, first: int, second: int
) -> None:
    with holding(ssh_server, first) as one:
        assert answer(one) == "held"
        one.kill()
        one.wait()
    with holding(ssh_server, second) as other:
        assert answer(other) == "held"


def on_device(server: SshServer, *command: str) -> None:
    """Run a command of root on the device."""
    subprocess.run(server.device.command(*command), check=True)


def test_a_stale_lock_that_cannot_be_removed_is_an_error(ssh_server: SshServer) -> None:
    """Its directory is a sticky one: the other account is told whose lock it is."""
    with holding(ssh_server, ANN) as one:
        assert answer(one) == "held"
        on_device(ssh_server, "chmod", "1777", FOLDER)
        one.kill()
        one.wait()
    with holding(ssh_server, BOB) as other:
        assert answer(other) == ""
        assert re.search(
            rf"unlockable {FOLDER}/device: .*, left by user1001@host test\n", report(other)
        )
    assert f"unlockable {FOLDER}/device: " in state(ssh_server, BOB, remove=True)
    assert "free" in state(ssh_server, ANN, remove=True)
    with holding(ssh_server, ANN) as one:
        assert answer(one) == "held"
    on_device(ssh_server, "chmod", "777", FOLDER)


def test_a_directory_that_not_everybody_can_use_is_an_error(ssh_server: SshServer) -> None:
    """Who cannot use it does not take another lock."""
    on_device(ssh_server, "rm", "-rf", FOLDER)
    on_device(ssh_server, "install", "-d", "-m", "700", "-o", str(ANN), FOLDER)
    with holding(ssh_server, ROOT) as one:
        assert answer(one) == "held"
        with holding(ssh_server, BOB) as other:
            assert answer(other) == ""
            assert re.search(
                rf"unlockable {FOLDER}/device: .*drwx------ .* {FOLDER}\n", report(other)
            )
        with holding(ssh_server, ANN) as other:
            assert answer(other) == ""
            assert " user0@host test\n" in report(other)
        for remove in (False, True):
            assert f"unlockable {FOLDER}/device: " in state(ssh_server, BOB, remove=remove)
    on_device(ssh_server, "rm", "-rf", FOLDER)


def test_the_directory_can_be_a_link(ssh_server: SshServer) -> None:
    on_device(ssh_server, "rm", "-rf", FOLDER)
    on_device(ssh_server, "ln", "-s", "/tmp", FOLDER)
    with holding(ssh_server, ANN) as one:
        assert answer(one) == ""
        assert f"{FOLDER} -> /tmp" in report(one)
    on_device(ssh_server, "rm", "-f", FOLDER)


def test_nothing_waits_when_the_client_has_gone(ssh_server: SshServer) -> None:
    with holding(ssh_server, ANN) as one:
        assert answer(one) == "held"
        with holding(ssh_server, BOB, patience=1000) as other:
            assert other.stdin
            other.stdin.close()
            assert other.wait(10) != 0
        with holding(ssh_server, BOB, patience=1000) as other:
            assert one.stdin
            one.stdin.close()
            assert answer(other) == "held"
            assert other.stdin
            other.stdin.close()
            assert "released" in report(other)
