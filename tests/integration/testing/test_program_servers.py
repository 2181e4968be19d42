"""Programs in forks of a process: host/dsp-program/serve.c, compiled for this machine."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from buildtool.run.program import RUNNER_PATH, RunRequest
from buildtool.run.run import Streams
from buildtool.sdk.packaged_tools import usable_zig
from buildtool.testing.program_servers import ProgramServers
from tests.command_line import REPOSITORY

SOURCES = REPOSITORY / "host/dsp-program"
MAIN = r"""
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "serve.h"

static int changed; /* by programs: each begins with 0 */

static int run(int argc, char **argv)
{
    char line[4096] = "";
    const char *what = argv[1];
    if (strcmp(what, "exit") == 0) return atoi(argv[2]);
    if (strcmp(what, "raise") == 0) raise(atoi(argv[2]));
    if (strcmp(what, "hang") == 0) { signal(SIGTERM, SIG_IGN); puts("hangs"); fflush(stdout); }
    while (strcmp(what, "hang") == 0) pause();
    if (strcmp(what, "end") == 0) { kill(getppid(), SIGKILL); pause(); }
    if (strcmp(what, "parent") == 0) printf("%d\n", (int)getppid());
    if (strcmp(what, "change") == 0) { chdir("/"); setenv("FIRST", "other", 1); changed = 1; }
    if (strcmp(what, "show") == 0) {
        printf("%s, %s, %d, %d\n", getcwd(line, sizeof line), getenv("FIRST"), changed, argc);
        fprintf(stderr, "[%s]\n", argv[2]);
    }
    if (strcmp(what, "read") == 0 && fgets(line, sizeof line, stdin)) fputs(line, stdout);
    return 0;
}

int main(void) { return serve(run); }
"""
Run = Callable[..., tuple[int | None, str, str]]


class OnEvent:
    """A stop that wants a signal once `write` is written to."""

    def __init__(self, word: str) -> None:
        self.word = word
        self.read, self.write = os.pipe()

    def fileno(self) -> int:
        return self.read

    def wanted(self) -> str:
        os.read(self.read, 1)
        return self.word


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("serve")
    (folder / "main.c").write_text(MAIN)
    sources = [folder / "main.c", SOURCES / "serve.c"]
    compiler = [str(usable_zig().where), "cc", "-std=gnu11", "-Wall", "-I", str(SOURCES)]
    subprocess.run([*compiler, "-o", folder / "serve", *sources], check=True)
    return folder / "serve"


@pytest.fixture
def run(program: Path, tmp_path: Path) -> Iterator[Run]:
    """Runs a program; returns its status and output."""

    def start(command: tuple[str, ...], streams: Streams) -> None:
        assert command == (RUNNER_PATH, "--serve")
        assert streams.stdin is not None
        subprocess.run([program], stdin=streams.stdin, check=False)

    (tmp_path / "work").mkdir()
    servers = ProgramServers(tmp_path, start)

    def run(*words: str, given: str = "", **fields: object) -> tuple[int | None, str, str]:
        request = RunRequest(command=(RUNNER_PATH, *words))._replace(**fields)
        names = [tmp_path / name for name in ("in", "out", "err")]
        names[0].write_text(given)
        with names[0].open() as stdin, names[1].open("w") as out, names[2].open("w") as err:
            streams = Streams(stdin.fileno(), out.fileno(), err.fileno())
            status = servers.run(request, streams)
        return status, names[1].read_text(), names[2].read_text()

    yield run
    servers.close()


@pytest.mark.parametrize(
    ("words", "status"),
    [
        (("exit", "0"), 0),
        (("exit", "3"), 3),
        (("raise", str(int(signal.SIGSEGV))), 139),
        (("raise", str(int(signal.SIGKILL))), 137),
    ],
)
def test_how_a_program_ends(run: Run, words: tuple[str, ...], status: int) -> None:
    assert run(*words) == (status, "", "")


def test_a_program_gets_what_is_its_own(run: Run, tmp_path: Path) -> None:
    place = {"cwd": "work", "env": {"FIRST": "1=2"}}
    shown = (0, f"{tmp_path}/work, 1=2, 0, 3\n", "[two words]\n")
    assert run("show", "two words", **place) == shown
    assert run("change")[0] == 0
    assert run("show", "two words", **place) == shown
    assert run("read", given="a line\n") == (0, "a line\n", "")
    assert run("read", given="a line\n", input=False) == (0, "", "")


def test_a_process_serves_one_program_after_the_other(run: Run) -> None:
    parents = {run("parent")[1], run("raise", "11")[1] or run("parent")[1], run("parent")[1]}
    assert len(parents) == 1


def test_a_program_that_does_not_end_is_killed(run: Run, tmp_path: Path) -> None:
    before = run("parent")[1]
    stop = OnEvent("KILL")
    begun = threading.Thread(target=lambda: _when(tmp_path / "out", "hangs\n", stop.write))
    begun.start()
    assert run("hang", stop=stop) == (137, "hangs\n", "")
    begun.join()
    assert run("parent")[1] != before  # a signal that comes too late meets no other program


def _when(file: Path, text: str, descriptor: int) -> None:
    pause = threading.Event()
    while not file.exists() or file.read_text(encoding="utf-8") != text:
        pause.wait(0.01)
    os.write(descriptor, b"x")


def test_a_process_that_has_ended_is_replaced(run: Run) -> None:
    assert run("end")[0] is None
    assert run("exit", "3")[0] == 3


def test_what_counts_when_a_process_starts_needs_a_new_one(run: Run) -> None:
    assert run("exit", "3", env={"ADSP_LIBRARY_PATH": "/x"})[0] is None
    assert run("exit", "3", env={"BUILDTOOL_SIM_COUNTS": "/x"})[0] == 3
    assert run("exit", "3", cwd="missing")[0] is None
