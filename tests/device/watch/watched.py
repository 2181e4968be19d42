"""`buildtool run --watch` in its own process, and a small project for it."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

CMAKE = """\
cmake_minimum_required(VERSION 3.22)
project(app C)
file(GLOB sources CONFIGURE_DEPENDS src/*.c)
add_executable(app ${sources})
install(TARGETS app)
"""
MAIN = """\
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "word.h"
/* With puts() it would wait for ever if the signal comes while printf() unlocks stdout. */
static void end(int number) { (void)number; _exit(write(1, "interrupted\\n", 12) == 12 ? 7 : 8); }
__attribute__((weak)) const char *extra(void) { return "alone"; }
int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "0";
    if (strcmp(how, "sleep") == 0) signal(SIGINT, end);
    if (strcmp(how, "ignore") == 0) signal(SIGINT, SIG_IGN);
    printf("says %s %s\\n", WORD, extra());
    fflush(stdout);
    while (how[0] > '9') pause();
    return how[0] - '0';
}
"""
EXTRA = 'const char *extra(void) { return "together"; }\n'
SECONDS = 90
"""How long a test waits for what has to come."""


def make_app(root: Path) -> None:
    """Write a project whose program prints `says WORD EXTRA`: WORD is in a header, EXTRA is `alone`
    unless another source that the glob finds says otherwise."""
    (root / "host" / "src").mkdir(parents=True)
    (root / "buildtool.toml").write_text(
        '[project]\nname = "p"\n[host.app]\nsource = "host"\n[run.sleep]\nprogram = "bin/app"\n'
        'args = ["sleep"]\n[run.ignore]\nprogram = "bin/app"\nargs = ["ignore"]\n'
    )
    (root / "host" / "CMakeLists.txt").write_text(CMAKE)
    (root / "host" / "src" / "main.c").write_text(MAIN)
    say(root, "one")


def say(root: Path, word: str) -> None:
    """Change the word that the program prints."""
    (root / "host" / "src" / "word.h").write_text(f'#define WORD "{word}"\n')


class Watched:
    """`buildtool run ARGUMENTS... --watch` in the directory `root`; a context manager.

    `lines` are what it and its programs have printed, on both streams.
    """

    def __init__(
        self,
        root: Path,
        *arguments: str,
        environment: Mapping[str, str] | None = None,
        prefix: Sequence[str] = (),
    ) -> None:
        self.lines: list[str] = []
        self._seen = 0
        self._changed = threading.Condition()
        self._process = subprocess.Popen(
            [*prefix, sys.executable, "-P", "-m", "buildtool", "run", *arguments, "--watch"],
            cwd=root,
            env={**os.environ, "COLUMNS": "80", **(environment or {})},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def __enter__(self) -> Watched:
        return self

    def __exit__(self, *_: object) -> None:
        if self._process.poll() is None:
            self._process.terminate()
            self._process.wait(SECONDS)
        self._reader.join()
        assert "Traceback" not in "".join(self.lines), self.lines

    def prints(self, text: str) -> str:
        """Wait for the next line that contains `text`; returns it."""
        with self._changed:
            found = self._changed.wait_for(lambda: self._find(text), SECONDS)
            assert found, f"{text!r} is not in\n{''.join(self.lines[self._seen :])}"
            line = self.lines[self._seen - 1]
            return line.rstrip("\n")

    @contextlib.contextmanager
    def stopped(self) -> Iterator[None]:
        """Stop the process for the block, after which it sees at once what has changed."""
        self._process.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, self._process.pid, os.WSTOPPED)
        yield
        self._process.send_signal(signal.SIGCONT)

    def interrupt(self) -> int:
        """Send SIGINT, as Ctrl-C does; returns the exit status."""
        self._process.send_signal(signal.SIGINT)
        return self._process.wait(SECONDS)

    def count(self, text: str) -> int:
        """The number of lines that contain `text`, so far."""
        with self._changed:
            return sum(text in line for line in self.lines)

    def _find(self, text: str) -> bool:
        for at in range(self._seen, len(self.lines)):
            if text in self.lines[at]:
                self._seen = at + 1
                return True
        return False

    def _read(self) -> None:
        assert self._process.stdout
        for line in self._process.stdout:
            with self._changed:
                self.lines.append(line)
                self._changed.notify_all()
        self._process.stdout.close()
