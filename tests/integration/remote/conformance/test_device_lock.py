"""One command at a time uses a device."""

from __future__ import annotations

import contextlib
import os
import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from buildtool.core.events import Event, Note
from buildtool.device.errors import DeviceError
from buildtool.device.sharing import (
    VARIABLE,
    DeviceInUseError,
    DeviceLock,
    held_device,
    holder_of,
)
from tests.integration.remote.conformance.conftest import (
    ANDROID,
    BUSYBOX,
    EMULATED,
    KINDS,
    LOCAL,
    NOISY,
    TOYBOX,
    short_on,
)
from tests.remote.remote import Remote

REAL = KINDS[1:]
assert EMULATED not in REAL  # it has no lock
WAYS = short_on(NOISY, ANDROID, LOCAL, of=REAL)
STATES = short_on(BUSYBOX, ANDROID, of=REAL)
"""For what the script of the lock decides."""
PLACES = "/run/lock /data/local/tmp"


def ignore(_: Event) -> None:
    pass


@pytest.fixture(autouse=True)
def shared(remote: Remote) -> Iterator[None]:
    """The lock is free at the end of each test."""
    yield
    assert place_of(remote) == ""


def place_of(remote: Remote) -> str:
    """The path of the lock on the device; "" when it is free."""
    script = f"""
        for place in {PLACES}; do
            place=$place/buildtool-lock/device
            [ ! -L "$place" ] && [ ! -e "$place" ] || echo "$place"
        done"""
    return remote.device.exec(script).stdout.decode().strip()


def put(remote: Remote, text: str) -> None:
    """Make a lock with a text on the device."""
    script = f"""
        for place in {PLACES}; do
            [ -d "$place" ] || continue
            mkdir -m 777 "$place/buildtool-lock" 2>/dev/null
            ln -s "$text" "$place/buildtool-lock/device" && exit
        done"""
    assert remote.device.exec(script, {"text": text}).status == 0


def lock_of(remote: Remote, purpose: str = "test", *, wait: float = 0) -> DeviceLock:
    return DeviceLock(remote.device, purpose, ignore, wait=wait)


@WAYS
def test_a_run_holds_the_lock_while_its_program_runs(remote: Remote, tmp_path: Path) -> None:
    release = remote.release(tmp_path / "1", {"n": b"1"})
    script = f'for place in {PLACES}; do readlink "$place"/buildtool-lock/device; done; :'
    for _ in range(2):  # with a push, and in one exchange
        with lock_of(remote, "bin/shell") as lock:
            ran = remote.shell(release, script, lock=lock)
        assert ran.stdout.decode().endswith(" bin/shell\n")
        assert place_of(remote) == ""


@short_on(NOISY, ANDROID, of=REAL)
def test_the_lock_is_released_however_a_run_ends(remote: Remote, tmp_path: Path) -> None:
    release = remote.release(tmp_path / "1", {"n": b"1"})
    remote.deploy(release)
    with lock_of(remote) as lock:
        assert remote.shell(release, "exit 3", lock=lock).status == 3
        assert place_of(remote) == ""
        assert remote.shell(release, "kill -9 $$", lock=lock).status == 137
        assert place_of(remote) == ""
        with pytest.raises(DeviceError):
            remote.shell(release, "sleep 20", lock=lock, timeout=0.5)
        assert place_of(remote) == ""
        with pytest.raises(DeviceError):
            remote.shell(release, ":", lock=lock, cwd="missing")


@STATES
def test_others_are_refused(remote: Remote, tmp_path: Path) -> None:
    release = remote.release(tmp_path / "1", {"n": b"1"})
    with held_device(remote.device, "demo --n 3", ignore):
        with lock_of(remote) as other, pytest.raises(DeviceInUseError) as error:
            other.hold()
        assert error.value.holder.purpose == "demo --n 3"
        assert error.value.holder.seconds in range(20)
        assert "devices unlock" in error.value.remedy
        with lock_of(remote) as other, pytest.raises(DeviceInUseError):
            remote.shell(release, ":", lock=other)
        assert not remote.outside("").exists()  # nothing was pushed
        remote.deploy(release)
        with lock_of(remote) as other, pytest.raises(DeviceInUseError):
            remote.shell(release, ":", lock=other)
        with DeviceLock(remote.device, "test", ignore, share=True) as other:
            assert remote.shell(release, "exit 4", lock=other).status == 4
        assert holder_of(remote.device)
    assert holder_of(remote.device) is None


@STATES
def test_the_lock_is_for_the_commands_that_its_holder_starts(
    remote: Remote, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    release = remote.release(tmp_path / "1", {"n": b"1"})
    with held_device(remote.device, "make check", ignore) as variables:
        monkeypatch.setenv(VARIABLE, variables[VARIABLE])
        with lock_of(remote) as inner:
            assert remote.shell(release, "exit 5", lock=inner).status == 5
            assert remote.shell(release, "exit 6", lock=inner).status == 6
        assert holder_of(remote.device)  # it was not theirs to release
        monkeypatch.setenv(VARIABLE, "0123456789abcdef")
        with lock_of(remote) as other, pytest.raises(DeviceInUseError):
            other.hold()


@STATES
def test_waiting(remote: Remote, tmp_path: Path) -> None:
    release = remote.release(tmp_path / "1", {"n": b"1"})
    remote.deploy(release)
    notes: list[Event] = []
    with DeviceLock(remote.device, "first", ignore) as first:
        first.hold()
        with lock_of(remote, wait=1) as other, pytest.raises(DeviceInUseError) as error:
            other.hold()
        assert "not released in 1 s" in error.value.why

        def released(event: Event) -> None:
            notes.append(event)
            first.release()

        with DeviceLock(remote.device, "second", released, wait=60) as second:
            assert remote.shell(release, "exit 7", lock=second).status == 7
    (note,) = notes
    assert isinstance(note, Note)
    assert note.text.startswith(f"waiting for {remote.device.name}, in use by ")
    assert note.text.endswith("first")


@short_on(BUSYBOX, TOYBOX, of=REAL)
def test_stale_locks_are_replaced(remote: Remote) -> None:
    """Those of a process that has ended, and of another boot."""
    boot = remote.device.exec("cat /proc/sys/kernel/random/boot_id").stdout.decode().strip()
    ended = subprocess.Popen(["true"])
    ended.wait()
    stat = Path(f"/proc/{os.getpid()}/stat").read_text(encoding="utf-8")
    begun = stat.rpartition(") ")[2].split()[19]
    for text in (
        f"{ended.pid} 1 {boot} token 1 ann@laptop demo",
        f"{os.getpid()} {int(begun) + 1} {boot} token 1 ann@laptop demo",
        f"{os.getpid()} {begun} 00000000-0000-0000-0000-000000000000 token 1 ann@laptop demo",
        "* nonsense",
        "/tmp",
    ):
        put(remote, text)
        assert holder_of(remote.device) is None, text
        with lock_of(remote) as lock:
            lock.hold()
            assert holder_of(remote.device)


@STATES
@pytest.mark.parametrize(
    ("rest", "shown"),
    [
        ("token 1 \x1b[31meve@there \x1b]0;title\x07demo", r"\x1b[31meve@there"),
        ("token 999999999999 x@y " + "long " * 300, "somebody"),
        ("token 1 x@y\nerror: forged\r\n* * *", r"x@y"),
        ("token 1 x@y " + "long " * 300, "x@y"),
        ("token - x@y $(reboot) `reboot` * ;", "x@y: $(reboot) `reboot` * ;"),
        ("", "somebody"),
        ("*", "somebody"),
    ],
)
def test_what_others_write_into_the_lock(remote: Remote, rest: str, shown: str) -> None:
    boot = remote.device.exec("cat /proc/sys/kernel/random/boot_id").stdout.decode().strip()
    stat = Path(f"/proc/{os.getpid()}/stat").read_text(encoding="utf-8")
    begun = stat.rpartition(") ")[2].split()[19]
    put(remote, f"{os.getpid()} {begun} {boot} {rest}")
    with lock_of(remote) as lock, pytest.raises(DeviceInUseError) as error:
        lock.hold()
    assert error.value.message.isprintable()
    assert len(error.value.message) < 600
    assert shown in error.value.message
    assert holder_of(remote.device, remove=True)


@short_on(BUSYBOX, TOYBOX, of=REAL)
@pytest.mark.parametrize(
    "make",
    [
        pytest.param("mkdir {}", marks=pytest.mark.long),
        pytest.param("mkdir {0}; touch {0}/x", marks=pytest.mark.long),
        "touch {}",
    ],
)
def test_something_else_in_the_place_of_the_lock(remote: Remote, make: str) -> None:
    with lock_of(remote) as lock:
        lock.hold()
        place = place_of(remote)
    assert remote.device.exec(make.format(shlex.quote(place))).status == 0
    with lock_of(remote) as lock, pytest.raises(DeviceError, match="cannot be locked") as error:
        lock.hold()
    assert "devices unlock" in error.value.remedy
    with DeviceLock(remote.device, "test", ignore, share=True) as lock:
        lock.hold()
    assert holder_of(remote.device, remove=True)
    with lock_of(remote) as lock:
        lock.hold()


@WAYS
def test_a_lock_that_is_lost_is_reported(remote: Remote) -> None:
    notes: list[Event] = []
    with DeviceLock(remote.device, "test", notes.append) as lock:
        lock.hold()
        script = f"kill -9 $(set -- $(readlink {place_of(remote)}) && echo $1)"
        assert remote.device.exec(script).status == 0
        assert lock._held
        lock._held.process.wait(20)
        assert holder_of(remote.device) is None
    (note,) = notes
    assert isinstance(note, Note)
    assert note.text == f"the lock of {remote.device.name} was lost with a connection to it"
    with lock_of(remote) as lock:
        lock.hold()


@STATES
def test_a_lock_that_was_removed_is_not_released_again(remote: Remote) -> None:
    with contextlib.ExitStack() as stack:
        stack.enter_context(lock_of(remote, "first")).hold()
        holder = holder_of(remote.device, remove=True)
        assert holder
        assert holder.purpose == "first"
        with lock_of(remote, "second") as second:
            second.hold()
            stack.close()
            holder = holder_of(remote.device)
            assert holder
            assert holder.purpose == "second"
