"""Releases on every device: going back, several users, several projects, old ones."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from buildtool.core.events import Note
from buildtool.deploy.contents import deployment
from buildtool.deploy.site import make_current, rollback
from buildtool.device.emulated.device import Emulated
from buildtool.device.errors import DeviceError
from tests.integration.remote.conformance.conftest import (
    BUSYBOX,
    SHELLS,
    TOOLS,
    TOYBOX,
    short_on,
)
from tests.remote.client import Task, start
from tests.remote.places import emulated_place
from tests.remote.remote import Remote


@SHELLS
def test_going_back_twice_and_on_again(remote: Remote, tmp_path: Path) -> None:
    with pytest.raises(DeviceError, match="there is no earlier release"):
        rollback(remote.site())
    releases = [remote.release(tmp_path / f"{n}", {"n": b"%d" % n}) for n in range(3)]
    ids = [deployment(release, "").id for release in releases]
    for number, release in enumerate(releases):
        remote.deploy(release)
        os.utime(remote.outside("current"), (2_000_000_000 + number,) * 2)  # one after the other
    assert rollback(remote.site()) == (ids[2], ids[1])
    remote.assert_current(releases[1])
    assert rollback(remote.site()) == (ids[1], ids[0])
    remote.assert_current(releases[0])
    with pytest.raises(DeviceError, match="there is no earlier release"):
        rollback(remote.site())
    remote.assert_current(releases[0])
    # A run uses the newest release again: the one of the project.
    assert remote.shell(releases[2], "cat n").stdout == b"2"
    remote.assert_current(releases[2])
    remote.assert_whole(*releases)


@short_on(BUSYBOX, TOYBOX)
def test_old_releases_are_removed(remote: Remote, tmp_path: Path) -> None:
    releases = [remote.release(tmp_path / f"{n}", {"n": b"%d" % n}) for n in range(6)]
    for release in releases:
        remote.deploy(release)
    assert len(remote.releases) == remote.device.keep == 3
    assert deployment(releases[-1], "").id in remote.releases
    remote.assert_whole(*releases)
    remote.assert_current(releases[-1])

    fewer = remote._replace(device=remote.device._replace(keep=1))
    time.sleep(1)  # busybox sorts by seconds
    fewer.deploy(releases[0])
    assert remote.releases == {deployment(releases[0], "").id}


def test_a_release_whose_program_starts_while_it_is_removed_stays(
    tmp_path: Path, arm64_shell: Path
) -> None:
    place = emulated_place(tmp_path / "device", arm64_shell)
    tools = tmp_path / "tools"
    tools.mkdir()
    start = Path("/proc/self/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[19]
    (tools / "mv").write_text(
        f"""#!/bin/sh
        case $2 in *.removed) echo "${{1##*/}} {os.getpid()} {start}" >logs/a.running ;; esac
        exec {shutil.which("mv")} "$@"
        """
    )
    (tools / "mv").chmod(0o755)
    first, second = (place.release(tmp_path / n, {"n": n.encode()}) for n in ("1", "2"))
    place.deploy(first)
    place.outside("logs").mkdir(exist_ok=True)
    environment = place.device.transport.environment
    variables = {**environment, "PATH": f"{tools}:{environment['PATH']}"}
    transport = Emulated(place.device.root, variables)
    fewer = place._replace(device=place.device._replace(keep=1, transport=transport))

    fewer.deploy(second)

    assert place.releases == {deployment(each, "").id for each in (first, second)}
    place.assert_whole(first, second)


@SHELLS
def test_two_projects_on_one_device(remote: Remote, tmp_path: Path) -> None:
    other = remote._replace(project=f"{remote.project} too", state=tmp_path / "other state")
    one = remote.release(tmp_path / "1", {"n": b"1"})
    two = remote.release(tmp_path / "2", {"n": b"2"})
    remote.deploy(one)
    other.deploy(two)
    assert remote.shell(one, "cat n").stdout == b"1"
    assert other.shell(two, "cat n").stdout == b"2"
    for place, release in ((remote, one), (other, two)):
        place.assert_current(release)
        assert len(place.releases) == 1


@TOOLS
def test_several_users_push_at_once(remote: Remote, tmp_path: Path) -> None:
    """Each has two releases, which they push in turn, and remembers what it has pushed."""
    releases = [
        remote.release(
            tmp_path / f"{n}", {f"{n} {i}": os.urandom(1000) for i in range(20)} | {"same": b""}
        )
        for n in range(6)
    ]
    users = [
        start(
            Task(
                remote._replace(state=tmp_path / f"user {index}"),
                [*releases[2 * index : 2 * index + 2]] * 2,
            ),
            tmp_path / f"task {index}",
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        for index in range(3)
    ]
    for user in users:
        messages = user.communicate(timeout=100)[1]
        assert user.returncode == 0, messages
    assert remote.assert_whole(*releases)
    assert not any(name.endswith(".partial") for name in remote.releases)


@short_on(BUSYBOX, TOYBOX)
def test_what_programs_write_is_not_taken_over(remote: Remote, tmp_path: Path) -> None:
    """A new release has only its own files, with their own content, whatever a program did to the
    release before.

    A file that the program changes in place, rather than replaces, is the same file in other
    releases that have it: their copies change with it, until they are verified.
    """
    files = {"replaced": b"1", "changed": b"1", "removed": b"1", "dir/kept": b"1"}
    first = remote.release(tmp_path / "1", {**files, "n": b"1"})
    second = remote.release(tmp_path / "2", {**files, "n": b"2"})
    third = remote.release(tmp_path / "3", {**files, "n": b"3"})
    remote.deploy(first)
    remote.deploy(second)
    script = """
        umask 077
        echo new >"result of
run" 2>/dev/null
        echo new >new; mkdir -p made/deep; echo >made/deep/new; mkdir empty; mkfifo fifo
        ln -s /etc link; chmod 644 new
        echo 2 >replaced.new; mv -f replaced.new replaced; rm -rf removed; chmod 600 dir/kept
        printf 2 >>changed
    """
    if remote.store:
        # There most files are links into the store, where all releases share them.
        script = script.replace("printf 2 >>changed", "").replace("chmod 600 dir/kept", "")
    remote.shell(second, script.replace('"result of\nrun"', "'result of run'"))
    remote.deploy(third)
    remote.assert_current(third)
    if not remote.store:
        assert (
            remote.outside("releases") / deployment(first, "").id / "changed"
        ).read_bytes() == b"12"
    repaired = remote.deploy(first, verify=True).repaired
    assert set(repaired) == (set() if remote.store else {"changed", "dir/kept"})
    remote.assert_current(first)


@TOOLS
def test_names_that_a_scan_cannot_list(remote: Remote, tmp_path: Path) -> None:
    """A program wrote a file whose name has a line break into its release."""
    first = remote.release(tmp_path / "1", {"n": b"1"})
    second = remote.release(tmp_path / "2", {"n": b"2"})
    remote.deploy(first)
    (remote.outside("current") / "a\nb").write_bytes(b"")
    (remote.outside("current") / "c\nd").symlink_to("x\ny")
    remote.deploy(second)
    remote.assert_current(second)


@SHELLS
def test_locks(remote: Remote, tmp_path: Path) -> None:
    """The lock of a process that has ended is taken over, that of a living one is waited for."""
    notes: list[object] = []
    lock = remote.outside("lock")
    lock.parent.mkdir(parents=True)
    boot = remote.device.exec("cat /proc/sys/kernel/random/boot_id").stdout.decode().strip()
    ended = subprocess.Popen(["true"])
    ended.wait()
    stat = Path(f"/proc/{os.getpid()}/stat").read_text(encoding="utf-8")
    begun = stat.rpartition(") ")[2].split()[19]
    for index, text in enumerate(
        (
            f"{ended.pid} 1 {boot} somebody",
            f"{os.getpid()} {int(begun) + 1} {boot} somebody",
            f"{os.getpid()} {begun} 00000000-0000-0000-0000-000000000000 somebody",
            "",
            "* nonsense",
        )
    ):
        if text:
            lock.symlink_to(text)
        release = remote.release(tmp_path / f"{index}", {"n": b"%d" % index})
        make_current(remote.site(), deployment(release, ""))
        remote.assert_current(release)
        assert not lock.is_symlink()
    lock.symlink_to(f"{os.getpid()} {begun} {boot} me@here, process 1")
    release = remote.release(tmp_path / "last", {"n": b"last"})

    def listen(note: object) -> None:
        if isinstance(note, Note):
            notes.append(note)
            lock.unlink()

    make_current(remote.site()._replace(listener=listen), deployment(release, ""))
    remote.assert_current(release)
    (note,) = notes
    assert isinstance(note, Note)
    assert "waiting for another push" in note.text
    assert "me@here, process 1" in note.text
