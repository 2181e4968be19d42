"""What programs read and write goes through every device unchanged."""

from __future__ import annotations

import os
import pty
import re
import select
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Self

import pytest

from buildtool.release.slices import Release
from buildtool.run.program import RunRequest
from tests.conftest import LONG
from tests.integration.remote.conformance.conftest import (
    ANDROID,
    KINDS,
    NOISY,
    PROGRAMS,
    TRANSPORTS,
    short_on,
)
from tests.remote.client import Task, start
from tests.remote.remote import SHELL, Remote

BINARY = bytes(range(256)) * 300 + os.urandom(100_000) + b"\r\n\x1a\x04\x00no line break at the end"


@pytest.fixture
def release(remote: Remote, tmp_path: Path) -> Release:
    """A release that is current on the device."""
    release = remote.release(tmp_path / "release", {"data": BINARY})
    remote.deploy(release)
    return release


@contextmanager
def pipe(write: Callable[[int], object]) -> Iterator[int]:
    """The read end of a pipe, to which a thread writes."""
    read, end = os.pipe()

    def run() -> None:
        try:
            write(end)
        except BrokenPipeError:
            pass
        finally:
            os.close(end)

    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield read
    finally:
        os.close(read)
        thread.join()


def write_all(end: int, data: bytes) -> None:
    while data:
        data = data[os.write(end, data) :]


@TRANSPORTS
def test_both_streams_are_kept_apart(remote: Remote, release: Release) -> None:
    ran = remote.shell(
        release,
        "for n in $(seq 50); do echo out $n; echo err $n >&2; done; printf out; printf err >&2",
    )
    lines = range(1, 51)
    assert ran.stdout == "".join([*(f"out {n}\n" for n in lines), "out"]).encode()
    assert ran.stderr == "".join([*(f"err {n}\n" for n in lines), "err"]).encode()


@TRANSPORTS
def test_binary_output(remote: Remote, release: Release) -> None:
    ran = remote.shell(release, "cat data; cat data >&2; exit 9")
    assert ran == (9, BINARY, BINARY)


@short_on(NOISY, ANDROID, of=KINDS[1:])  # on the emulated device the report goes to a file
def test_messages_that_resemble_the_end_of_a_run(remote: Remote, release: Release) -> None:
    """The program knows the mark: it prints all that the mark begins with."""
    script = r"""
        last=$1
        mark=
        pid=$$
        while [ -z "$mark" ] && [ "$pid" -gt 1 ]; do
            read -r stat <"/proc/$pid/stat"
            set -- ${stat##*) }
            pid=$2
            mark=$(xargs -0 printf '%s\n' <"/proc/$pid/cmdline" |
                grep -o '\[[0-9a-f]\{32\}\]' | head -n 1)
        done
        [ "${#mark}" = 34 ] || exit 99
        while [ -n "$mark" ]; do
            mark=${mark%?}
            printf '%s' "$mark" >&2
            sleep 0.005
            printf '%s\n%s' "$mark" "$mark" >&2
        done
        printf '%s' "$last" >&2
        exit 5
    """
    ran = remote.shell(release, script, "[")
    assert ran.status == 5
    assert ran.stderr.count(b"[") == 3 * 33 + 1
    assert ran.stderr.endswith(b"[")


@TRANSPORTS
def test_output_arrives_while_the_program_runs(
    remote: Remote, release: Release, tmp_path: Path
) -> None:
    request = RunRequest((SHELL, "echo begun; echo begun >&2; read -r line; echo $line"))
    process = start(
        Task(remote, [release], request),
        tmp_path / "task",
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    with process:
        assert process.stdin
        assert process.stdout
        assert process.stderr
        assert process.stdout.readline() == b"begun\n"
        assert process.stderr.readline() == b"begun\n"
        process.stdin.write(b"answer\n")
        process.stdin.flush()
        assert process.stdout.readline() == b"answer\n"
        assert process.wait(20) == 0


@TRANSPORTS
def test_memory_does_not_grow_with_output(remote: Remote, release: Release, tmp_path: Path) -> None:
    sizes = []
    size = (100 if LONG else 20) << 20
    for index, count in enumerate((1 << 20, size)):
        memory = tmp_path / f"memory{index}"
        script = f"head -c {count} /dev/zero; head -c {count // 10} /dev/zero >&2"
        task = Task(remote, [release], RunRequest((SHELL, script)), memory=memory)
        read: dict[IO[bytes], int] = {}
        with start(
            task, tmp_path / "task", stdout=subprocess.PIPE, stderr=subprocess.PIPE
        ) as process:
            streams = {stream for stream in (process.stdout, process.stderr) if stream}
            while streams:
                for stream in select.select(list(streams), [], [])[0]:
                    data = os.read(stream.fileno(), 1 << 20)
                    read[stream] = read.get(stream, 0) + len(data)
                    if not data:
                        streams.remove(stream)
            assert [*read.values()] in ([count, count // 10], [count // 10, count])
            assert process.wait(20) == 0
        sizes.append(int(memory.read_text()))
    small, large = sizes
    assert large < small + (4 << 20)


@PROGRAMS
@pytest.mark.parametrize("stdin", ["file", "pipe", "slow pipe"])
def test_standard_input(remote: Remote, release: Release, stdin: str) -> None:
    script = "cat; echo end"
    if stdin == "file":
        ran = remote.shell(release, script, stdin=BINARY)
    else:
        parts = [BINARY] if stdin == "pipe" else [BINARY[:10], BINARY[10:2000], BINARY[2000:]]

        def write(end: int) -> None:
            for part in parts:
                time.sleep(0 if len(parts) == 1 else 0.2)
                write_all(end, part)

        with pipe(write) as read:
            ran = remote.shell(release, script, stdin=read)
    assert ran.stdout == BINARY + b"end\n"
    assert ran.status == 0


@PROGRAMS
@pytest.mark.parametrize("content", [b"", b"line"])
def test_little_or_no_standard_input(remote: Remote, release: Release, content: bytes) -> None:
    for stdin in (content, None):
        ran = remote.shell(release, "cat; exit 3", stdin=stdin)
        assert ran == (3, stdin or b"", b"")
    with pipe(lambda end: write_all(end, content)) as read:
        assert remote.shell(release, "cat; exit 3", stdin=read) == (3, content, b"")


@PROGRAMS
def test_standard_input_that_is_not_read(remote: Remote, release: Release) -> None:
    large = bytes(3 << 20)
    assert remote.shell(release, "exit 3", stdin=large).status == 3
    assert remote.shell(release, "head -c 5; exit 4", stdin=large) == (4, bytes(5), b"")
    with pipe(lambda end: write_all(end, large)) as read:
        assert remote.shell(release, "exec 0<&-; sleep 0.3; exit 5", stdin=read).status == 5
    # The writer writes nothing, and does not end.
    done = threading.Event()
    with pipe(lambda _: done.wait(20)) as read:
        begun = time.monotonic()
        assert remote.shell(release, "exit 6", stdin=read).status == 6
        assert time.monotonic() - begun < 10
        done.set()


@TRANSPORTS
def test_closed_standard_input(remote: Remote, release: Release, tmp_path: Path) -> None:
    request = RunRequest((SHELL, "cat; echo status $?"))
    task = Task(remote, [release], request, closed=True)
    closed = start(task, tmp_path / "task", stdout=subprocess.PIPE)
    assert closed.communicate(timeout=20)[0] == b"status 0\n"
    assert closed.returncode == 0


class Terminal:
    """A process with a terminal of its own."""

    def __init__(self, task: Task, file: Path) -> None:
        self.master, slave = pty.openpty()
        subprocess.run(["stty", "rows", "33", "columns", "99"], stdin=slave, check=True)
        self.process = start(task, file, stdin=slave, stdout=slave, stderr=slave)
        os.close(slave)
        self.output = b""

    def read(self, until: bytes | None = None) -> None:
        """Read the output until it contains a text, or ends."""
        end = time.monotonic() + 20
        while until is None or until not in self.output:
            left = max(end - time.monotonic(), 0)
            assert select.select([self.master], [], [], left)[0], self.output
            try:
                data = os.read(self.master, 1 << 16)
            except OSError:  # the other end is closed
                data = b""
            # The terminal may be back in its normal mode before the last output arrives.
            self.output = re.sub(rb"\r+\n", b"\n", self.output + data)
            if not data:
                break

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self.master)
        self.process.kill()
        self.process.wait()


@TRANSPORTS
def test_a_terminal(remote: Remote, release: Release, tmp_path: Path) -> None:
    script = """
        [ -t 0 ] && [ -t 1 ] && [ -t 2 ] && echo terminal
        if command -v stty >/dev/null; then stty size; else echo 33 99; fi
        read -r line
        echo got $line
        exit 7
    """
    request = RunRequest((SHELL, script), terminal=True)
    with Terminal(Task(remote, [release], request, terminal=True), tmp_path / "task") as terminal:
        terminal.read(b"terminal\n33 99\n")
        os.write(terminal.master, b"typed\n")
        terminal.read()
        assert b"got typed\n" in terminal.output
        assert terminal.process.wait(20) == 7, terminal.output


@PROGRAMS
def test_ctrl_c_in_a_terminal(remote: Remote, release: Release, tmp_path: Path) -> None:
    script = (
        "trap 'sleep 0.1; echo interrupted; exit 8' INT; echo begun; while :; do sleep 0.05; done"
    )
    request = RunRequest((SHELL, script), terminal=True)
    with Terminal(Task(remote, [release], request, terminal=True), tmp_path / "task") as terminal:
        terminal.read(b"begun")
        os.write(terminal.master, b"\x03")
        terminal.read(b"interrupted")
        terminal.read()
        assert terminal.process.wait(20) in (8, 130), terminal.output


@TRANSPORTS
def test_standard_input_is_not_lost_when_the_release_is_missing(
    remote: Remote, tmp_path: Path
) -> None:
    release = remote.release(tmp_path / "release", {})

    ran = remote.shell(release, "cat", stdin=b"input\n")

    assert (ran.status, ran.stdout) == (0, b"input\n")
