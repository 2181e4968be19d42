"""Programs run on every device with their arguments, and end with their status."""

from __future__ import annotations

import os
import signal
from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from buildtool.core.errors import BuildtoolError
from buildtool.device.errors import DeviceError
from buildtool.release.slices import Release
from tests.conftest import LONG
from tests.integration.remote.conformance.conftest import (
    ANDROID,
    BUSYBOX,
    KINDS,
    PROGRAMS,
    TOOLS,
    TRANSPORTS,
    Kind,
    short_on,
)
from tests.remote.remote import SHELL, Remote

T = TypeVar("T")
NOT_DEADLY = {
    signal.SIGCHLD,
    signal.SIGCONT,
    signal.SIGSTOP,
    signal.SIGTSTP,
    signal.SIGTTIN,
    signal.SIGTTOU,
    signal.SIGURG,
    signal.SIGWINCH,
}
SIGNALS = sorted(set(signal.valid_signals()) - NOT_DEADLY)


@pytest.fixture
def release(remote: Remote, tmp_path: Path) -> Release:
    """A release that is current on the device."""
    release = remote.release(
        tmp_path / "release", {"file": b"content", "sub dir/$x/file": b"other"}
    )
    remote.deploy(release)
    return release


def share(values: Sequence[T], request: pytest.FixtureRequest) -> Sequence[T]:
    """With BUILDTOOL_LONG=1 all values, else a fifth, which differs between devices."""
    kind: Kind = request.node.callspec.params["remote"]
    return values if LONG else values[KINDS.index(kind) :: len(KINDS)]


@PROGRAMS
def test_exit_statuses(remote: Remote, release: Release, request: pytest.FixtureRequest) -> None:
    for status in {
        0,
        1,
        2,
        125,
        126,
        127,
        128,
        129,
        130,
        137,
        143,
        254,
        255,
        *share(range(256), request),
    }:
        assert remote.shell(release, f"exit {status}").status == status


@PROGRAMS
def test_deaths_by_signals(
    remote: Remote, release: Release, request: pytest.FixtureRequest
) -> None:
    for number in {
        signal.SIGINT,
        signal.SIGTERM,
        signal.SIGKILL,
        signal.SIGPIPE,
        signal.SIGSEGV,
        *share(SIGNALS, request),
    }:
        script = "ulimit -c 0; echo begun; (sleep 0.05; kill -$1 $$) & exec sleep 9"
        ran = remote.shell(release, script, str(int(number)))
        assert (ran.status, ran.stdout, ran.stderr) == (128 + number, b"begun\n", b""), number


@PROGRAMS
def test_a_program_that_cannot_start(remote: Remote, release: Release) -> None:
    with pytest.raises(DeviceError, match="there is no program 'bin/none'"):
        remote.run(release, "bin/none")
    (remote.outside("current") / SHELL).unlink()
    ran = remote.shell(release, "true")
    assert ran.status == 125
    assert b"bin/shell does not exist" in ran.stderr
    with pytest.raises(DeviceError, match="cannot_be_there"):
        remote.shell(release, "true", cwd="cannot_be_there")


TEXT = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=40)
NASTY = st.text(st.sampled_from(" \t\n\r'\"\\$`*?[]{}()<>|&;#~!%=-\x7fä\udcff"), max_size=12)
NAME = st.from_regex(r"V[A-Za-z0-9_]{0,8}", fullmatch=True)


@PROGRAMS
@settings(
    max_examples=500 if LONG else 10,
    suppress_health_check=[*HealthCheck],
)
@given(
    arguments=st.lists(TEXT | NASTY, max_size=12),
    env=st.dictionaries(NAME, TEXT | NASTY, max_size=6),
)
def test_arguments_and_variables_arrive(
    remote: Remote, release: Release, arguments: list[str], env: dict[str, str]
) -> None:
    ran = remote.shell(
        release,
        r"""for argument; do printf '%s\0' "$argument"; done; echo //; cat /proc/self/environ""",
        *arguments,
        env=env,
    )
    assert ran.status == 0
    printed, _, environment = ran.stdout.partition(b"//\n")
    assert printed == b"".join(os.fsencode(argument) + b"\0" for argument in arguments)
    found = dict(line.partition(b"=")[::2] for line in environment.split(b"\0"))
    for name, value in env.items():
        assert found[name.encode()] == os.fsencode(value)
    assert ran.stderr == b""


@TRANSPORTS
def test_arguments_that_are_too_long_are_refused(remote: Remote, release: Release) -> None:
    text = "x" * 20_000
    assert remote.shell(release, 'printf %s "$1"', text).stdout == text.encode()
    with pytest.raises(BuildtoolError) as error:
        remote.shell(release, 'printf %s "$1"', "x" * 200_000)
    assert "too long" in str(error.value)


@short_on(BUSYBOX, ANDROID)
def test_the_working_directory(remote: Remote, release: Release) -> None:
    directory = f"{remote.project}/releases"
    assert remote.shell(release, "pwd").stdout.decode().startswith(f"{directory}/")
    assert remote.shell(release, "cat file").stdout == b"content"
    assert remote.shell(release, "cat file", cwd="sub dir/$x").stdout == b"other"
    assert remote.shell(release, "pwd", cwd="/").stdout == b"/\n"


@PROGRAMS
def test_files_are_fetched(remote: Remote, release: Release, tmp_path: Path) -> None:
    data = os.urandom(1 << 20) + b"\r\n\x04\x1a"
    (remote.outside("current") / "made before").write_bytes(data)
    here = tmp_path / "a result"
    ran = remote.shell(
        release,
        'cat "../../made before" >"o $1"; exit 3',
        "'$*",
        cwd="sub dir/$x",
        pull={"o '$*": str(here)},
    )
    assert ran.status == 3
    assert here.read_bytes() == data
    with pytest.raises(DeviceError, match="cannot be fetched"):
        remote.shell(release, "true", pull={"not there": str(here)})
    assert here.read_bytes() == data
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    with pytest.raises(DeviceError, match="cannot be fetched"):
        remote.shell(release, "true", pull={"file": str(fifo)})
    assert fifo.is_fifo()


@PROGRAMS
def test_children_end_with_their_program(remote: Remote, release: Release) -> None:
    ran = remote.shell(release, "sleep 1000 & (sleep 1001 & sleep 1002 &) & echo $!; exit 4")
    assert ran.status == 4  # and nothing is left: the fixture looks for it
    assert ran.stdout.strip().isdigit()


@TOOLS
def test_logs_are_removed_with_time(remote: Remote, release: Release, tmp_path: Path) -> None:
    logs = remote.outside("logs")
    assert list(logs.iterdir()) == []
    for index in range(25):
        log = logs / f"20260314-1015{index:02}-4f2a9c"
        log.mkdir()
        (log / "dsp.log").write_text("x")
        os.utime(log, (1_000_000_000 - index,) * 2)  # the clock of the device has gone back
    remote.deploy(remote.release(tmp_path / "other", {"file": b"2"}))
    assert {log.name[13:15] for log in logs.iterdir()} == {f"{index:02}" for index in range(5, 25)}
