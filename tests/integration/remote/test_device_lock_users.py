"""Users of one device with accounts of their own share its lock."""

from __future__ import annotations

import contextlib
import os
import subprocess
from collections.abc import Iterator

import pytest

from buildtool.deploy.script import LOCK_SCRIPTS, assignments, script
from tests.remote.sshd import SshServer

ANN, BOB, ROOT = 1001, 1002, 0

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root can be several users")


@contextlib.contextmanager
def holding(server: SshServer, user: int) -> Iterator[subprocess.Popen[str]]:
    """The script that holds the lock, as a process of `user` on the device."""
    variables = {
        **{"mark": "[report]", "report_to": "", "access": "alone", "patience": "0"},
        **{"token": f"token{user}", "user": f"user{user}@host test"},
    }
    text = assignments(variables) + script(*LOCK_SCRIPTS, "hold")
    account = ["setpriv", "--reuid", str(user), "--regid", str(user), "--clear-groups"]
    with subprocess.Popen(
        server.device.command(*account, "sh", "-c", text),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        yield process
        assert process.stdin
        process.stdin.close()


def answer(process: subprocess.Popen[str]) -> str:
    assert process.stdout
    return process.stdout.readline()


def report(process: subprocess.Popen[str]) -> str:
    assert process.stderr
    return process.stderr.read()


@pytest.mark.parametrize(("first", "second"), [(ANN, BOB), (ROOT, ANN), (ANN, ROOT)])
def test_a_lock_is_for_all_accounts(ssh_server: SshServer, first: int, second: int) -> None:
    with holding(ssh_server, first) as one:
        assert answer(one) == "held\n"
        with holding(ssh_server, second) as other:
            assert answer(other) == ""
            assert f" user{first}@host test\n" in report(other)
    with holding(ssh_server, second) as other:
        assert answer(other) == "held\n"


@pytest.mark.parametrize(("first", "second"), [(ANN, BOB), (ROOT, ANN), (ANN, ROOT)])
def test_the_stale_lock_of_another_account_is_replaced(
    ssh_server: SshServer, first: int, second: int
) -> None:
    with holding(ssh_server, first) as one:
        assert answer(one) == "held\n"
        one.kill()
        one.wait()
    with holding(ssh_server, second) as other:
        assert answer(other) == "held\n"
