"""`run sim --watch`: which changes let a program run again, and what is printed."""

from __future__ import annotations

import contextlib
import os
import pty
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.command_line import run_buildtool
from tests.conftest import LONG
from tests.device.cli.test_run import processes_in

from .watched import CMAKE, EXTRA, Watched, say

WAITS = "waiting for changes"
PARTS = 60 if LONG else 12
"""Sources that change at once."""


def test_an_edit_is_built_and_runs(app: Path) -> None:
    with Watched(app) as watched:
        watched.prints("says one alone")
        assert watched.prints("exit status").startswith("bin/app: exit status 0 after ")
        say(app, "two")
        line = watched.prints("changed")
        assert line.startswith("host/src/word.h changed: built host/app, ")
        assert line.endswith(" s")
        watched.prints("says two alone")
        watched.prints(WAITS)


def test_a_file_that_is_saved_without_a_change_starts_nothing(app: Path) -> None:
    with Watched(app) as watched:
        watched.prints(WAITS)
        for name in ("main.c", "word.h"):
            (app / "host/src" / name).write_bytes((app / "host/src" / name).read_bytes())
        (app / "host/src/.main.c.swp").write_text("")
        (app / "host/notes").write_text("no step reads this")
        (app / ".buildtool/own").write_text("")
        say(app, "two")
        watched.prints(WAITS)
        assert watched.count("says") == 2


@pytest.mark.parametrize(
    ("name", "says"), [("sleep", "interrupted"), pytest.param("ignore", "", marks=pytest.mark.long)]
)
def test_an_edit_ends_the_program_and_starts_it_again(app: Path, name: str, says: str) -> None:
    with Watched(app, "sim", name) as watched:
        watched.prints("says one")
        say(app, "two")
        if says:
            watched.prints(says)
        watched.prints("host/src/word.h changed")
        watched.prints("says two")
        assert len([p for p in processes_in(app) if b"qemu-aarch64" in command(p)]) == 1


def test_a_failing_build_is_shown_and_mended(app: Path) -> None:
    with Watched(app) as watched:
        watched.prints(WAITS)
        source = app / "host/src/main.c"
        text = source.read_text()
        source.write_text(text + "syntax error;\n")
        watched.prints("error: building app")
        watched.prints(WAITS)
        source.write_text(text.replace("says", "said"))
        assert watched.prints("changed").startswith("host/src/main.c changed: built host/app")
        watched.prints("said one")


def test_an_edit_during_a_build_is_built_before_the_program_starts(app: Path) -> None:
    slow = app / "slow"
    (app / "host/CMakeLists.txt").write_text(
        CMAKE + "add_custom_command(OUTPUT made.c DEPENDS data VERBATIM COMMAND sh -c\n"
        f'  "touch \\"$0\\"; sleep 2; cp \\"$1\\" made.c" "{slow}"\n'
        "  ${CMAKE_CURRENT_SOURCE_DIR}/data)\n"
        "target_sources(app PRIVATE made.c)\n"
    )
    (app / "host/data").write_text("int made = 1;\n")
    with Watched(app) as watched:
        watched.prints("says one")
        watched.prints(WAITS)
        slow.unlink()
        (app / "host/data").write_text("int made = 2;\n")
        while not slow.exists():
            time.sleep(0.01)
        say(app, "two")
        watched.prints("host/src/word.h changed")
        watched.prints("says two")
        watched.prints(WAITS)
        assert watched.count("says") == 2


def test_a_file_that_a_command_writes_as_it_was_is_no_edit(app: Path) -> None:
    done = app / "done"
    done.touch()
    (app / "host/CMakeLists.txt").write_text(
        CMAKE + "add_custom_command(OUTPUT made.c VERBATIM COMMAND sh -c\n"
        f'  "touch \\"$0\\"; echo >made.c" "{done}")\n'
        "target_sources(app PRIVATE made.c)\n"
    )
    with Watched(app) as watched:
        watched.prints("says one")
        watched.prints(WAITS)
        assert watched.count(" changed: ") == 0


@pytest.mark.long
def test_an_editor_that_pauses_while_it_saves_starts_one_turn(app: Path) -> None:
    header = app / "host/src/word.h"
    with Watched(app) as watched:
        watched.prints(WAITS)
        text = header.read_text()
        header.rename(header.with_name("word.h~"))
        time.sleep(0.05)
        with header.open("w") as file:
            time.sleep(0.05)
            file.write(text.replace("one", "two"))
        header.with_name("word.h~").unlink()
        watched.prints("says two")
        watched.prints(WAITS)
        assert watched.count("error") == 0
        assert watched.count("says") == 2


@pytest.mark.long
def test_a_failing_build_that_writes_sources_is_not_repeated_for_ever(app: Path) -> None:
    (app / "host/CMakeLists.txt").write_text(
        "string(TIMESTAMP now %f)\nfile(WRITE ${CMAKE_CURRENT_SOURCE_DIR}/now ${now})\n"
        "message(FATAL_ERROR broken)\n"
    )
    with Watched(app) as watched:
        for _ in range(1 + 3):
            watched.prints("error: ")
        watched.prints(WAITS)
        time.sleep(1)
        assert watched.count("error: ") == 4
        (app / "host/CMakeLists.txt").write_text(CMAKE)
        watched.prints("says one")


def test_ctrl_c_on_a_terminal(app: Path) -> None:
    child, terminal = pty.fork()
    if not child:
        os.chdir(app)
        command = ["-P", "-m", "buildtool", "run", "sim", "sleep", "--watch"]
        os.execv(sys.executable, [sys.executable, *command])
    seen = b""
    with contextlib.suppress(OSError):  # EIO at the end
        while data := os.read(terminal, 4096):
            before, seen = seen, seen + data
            if b"says one" in seen and b"says one" not in before:
                say(app, "two")
            if b"says two" in seen and b"says two" not in before:
                os.write(terminal, b"\x03")
    os.close(terminal)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 130, seen
    assert seen.count(b"interrupted") == 2
    assert b"word.h changed: built host/app" in seen


@pytest.mark.long
def test_a_file_that_the_compiler_misses_is_noticed(app: Path) -> None:
    """No step has read it before, and at first no step has a record."""
    (app / "host/src/word.h").unlink()
    with Watched(app) as watched:
        watched.prints("error: building app")
        watched.prints(WAITS)
        say(app, "found")
        watched.prints("says found")
        (app / "host/src/word.h").unlink()
        watched.prints("error: building app")
        watched.prints(WAITS)
        say(app, "again")
        watched.prints("says again")


def test_a_header_that_hides_another_one_is_noticed(app: Path) -> None:
    (app / "host/last").mkdir()
    (app / "host/src/word.h").rename(app / "host/last/word.h")
    (app / "host/CMakeLists.txt").write_text(
        CMAKE + "target_include_directories(app PRIVATE first last)\n"
    )
    with Watched(app) as watched:
        watched.prints("says one")
        watched.prints(WAITS)
        (app / "host/first").mkdir()
        (app / "host/first/word.h").write_text('#define WORD "first"\n')
        watched.prints("says first")


def test_globs_see_new_and_removed_files(app: Path) -> None:
    with Watched(app) as watched:
        watched.prints("says one alone")
        watched.prints(WAITS)
        (app / "host/src/extra.c").write_text(EXTRA)
        watched.prints("host/src/extra.c changed: built host/app")
        watched.prints("says one together")
        watched.prints(WAITS)
        (app / "host/src/extra.c").unlink()
        watched.prints("host/src/extra.c changed: restored host/app")
        watched.prints("says one alone")


@pytest.mark.long
def test_a_burst_of_changes_is_one(app: Path) -> None:
    for number in range(PARTS):
        (app / f"host/src/part{number}.c").write_text(f"int part{number} = 0;\n")
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}

    def git(*arguments: str) -> None:
        identity = ["-c", "user.name=t", "-c", "user.email=t@localhost"]
        subprocess.run(["git", *identity, *arguments], cwd=app, env=environment, check=True)

    git("init", "-q")
    git("add", "-A")
    git("commit", "-qm", "before")
    git("checkout", "-qb", "other")
    for number in range(PARTS):
        (app / f"host/src/part{number}.c").write_text(f"int part{number} = 1;\n")
    say(app, "two")
    git("commit", "-qam", "after")
    git("checkout", "-q", "-")
    with Watched(app) as watched:
        watched.prints("says one")
        watched.prints(WAITS)
        with watched.stopped():  # on a busy machine, git could be slower than a burst
            git("checkout", "-q", "other")
        assert f" and {PARTS - 2} more changed: built host/app" in watched.prints("changed")
        watched.prints("says two")
        watched.prints(WAITS)
        assert watched.count("says") == 2


def test_the_project_file_is_read_again(app: Path) -> None:
    file = app / "buildtool.toml"
    with Watched(app, "sim", "sleep") as watched:
        watched.prints("says one")
        text = file.read_text()
        file.write_text(text + "[run.sleep\n")
        watched.prints("error: ")
        watched.prints(WAITS)
        file.write_text(text.replace('args = ["sleep"]', 'args = ["3"]'))
        watched.prints("buildtool.toml changed: nothing to build")
        watched.prints("bin/app: exit status 3 after")


def test_ctrl_c_ends_all(app: Path) -> None:
    with Watched(app) as watched:
        watched.prints(WAITS)
        assert watched.interrupt() == 130
    with Watched(app, "sim", "sleep") as watched:
        watched.prints("says one")
        assert watched.interrupt() == 130
        watched.prints("interrupted")
    assert processes_in(app) == []


@pytest.mark.long
@pytest.mark.parametrize("limit", [pytest.param("instances", marks=pytest.mark.long), "watches"])
def test_changes_are_seen_beyond_the_limits_of_inotify(app: Path, limit: str) -> None:
    lower = f'echo 0 >/proc/sys/user/max_inotify_{limit} && exec "$@"'
    prefix = ["unshare", "-Ur", "sh", "-c", lower, "sh"]
    if subprocess.run([*prefix, "true"], check=False, capture_output=True).returncode:
        pytest.skip("user namespaces are not allowed here")
    with Watched(app, prefix=prefix) as watched:
        watched.prints(f"the system's limit of inotify {limit} is reached")
        watched.prints("says one")
        watched.prints(WAITS)
        say(app, "two")
        watched.prints("says two")


@pytest.mark.parametrize("option", ["--json", "--tty", "--debug"])
def test_options_of_single_runs_are_refused(app: Path, option: str) -> None:
    done = run_buildtool("run", "sim", "--watch", option, cwd=app)
    assert done.returncode == 125
    assert f"--watch cannot be used with {option}" in done.stderr


def test_mistakes_in_the_command_line_end_it(app: Path) -> None:
    for words in (["nowhere"], ["sim", "unknown"]):
        done = run_buildtool("run", *words, "--watch", cwd=app)
        assert done.returncode == 125, done.stderr


def command(process: int) -> bytes:
    return Path(f"/proc/{process}/cmdline").read_bytes()
