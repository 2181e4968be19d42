"""Processes: their output and time limits; none is left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from buildtool.core.processes.process import ToolError, capture
from tests.integration.engine.processes import ends_with_its_caller

ENVIRONMENT = {"PATH": os.environ["PATH"]}


def test_output_of_both_streams_is_kept_in_order_and_seen_as_it_comes() -> None:
    seen: list[str] = []
    done = capture(
        ["sh", "-c", "echo a; echo b >&2; echo c; exit 3"], env=ENVIRONMENT, on_line=seen.append
    )

    assert (done.status, done.output, seen) == (3, "a\nb\nc", ["a", "b", "c"])


def test_the_environment_is_what_was_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LEAK", "1")

    assert capture(["/usr/bin/env"], env={"A": "b"}).output == "A=b"


def test_a_program_that_is_not_there_is_an_error_with_its_name() -> None:
    with pytest.raises(ToolError, match="/nowhere/tool could not be started"):
        capture(["/nowhere/tool"], env=ENVIRONMENT)


def test_a_time_limit_ends_the_whole_group(tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    started = time.monotonic()
    with pytest.raises(ToolError, match=r"did not finish in 0\.5 s"):
        capture(["sh", "-c", f"sleep 60 & echo $! > '{pid}'; wait"], env=ENVIRONMENT, timeout=0.5)

    assert time.monotonic() - started < 30
    assert gone(int(pid.read_text()))


def test_a_tool_that_does_nothing_is_ended_with_its_last_output() -> None:
    with pytest.raises(ToolError, match="sh did nothing for 1 s") as caught:
        capture(["sh", "-c", "echo waiting; sleep 1000"], env=ENVIRONMENT, idle_limit=1)

    assert caught.value.why.endswith("\nwaiting")


def test_a_tool_whose_child_uses_processor_time_is_not() -> None:
    busy = "import time\nwhile time.process_time() < 3: pass"
    command = ["sh", "-c", f"'{sys.executable}' -c '{busy}'; exit 3"]

    assert capture(command, env=ENVIRONMENT, idle_limit=2).status == 3


HOLDER = """
import fcntl, sys, time
with open(sys.argv[1], "w") as file:
    fcntl.flock(file, fcntl.LOCK_EX)
    print("locked", flush=True)
    while time.process_time() < 3: pass
"""


def test_a_tool_that_waits_for_the_lock_of_a_busy_process_is_not(tmp_path: Path) -> None:
    """As zig does while another zig compiles its libraries."""
    lock = tmp_path / "lock"
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, lock], stdout=subprocess.PIPE, start_new_session=True
    )
    with holder:
        assert holder.stdout
        assert holder.stdout.readline() == b"locked\n"

        assert capture(["flock", str(lock), "true"], env=ENVIRONMENT, idle_limit=2).status == 0


def test_what_a_tool_leaves_running_is_ended_with_it(tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    started = time.monotonic()
    done = capture(["sh", "-c", f"sleep 60 & echo $! > '{pid}'; echo done"], env=ENVIRONMENT)

    assert (done.status, done.output) == (0, "done")
    assert time.monotonic() - started < 30
    assert gone(int(pid.read_text()))


WAITS = """
import select, signal
from buildtool.__main__ import let_signals_end_waits
let_signals_end_waits()
# The other thread gets the signal, so it does not interrupt the call: as if it came just before it.
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
try:
    print("waits", flush=True)
    select.select([], [], [], 60)
except KeyboardInterrupt:
    print("interrupted")
"""


def test_ctrl_c_just_before_a_wait_ends_it() -> None:
    with subprocess.Popen([sys.executable, "-c", WAITS], stdout=subprocess.PIPE, text=True) as run:
        assert run.stdout
        assert run.stdout.readline() == "waits\n"
        started = time.monotonic()
        run.send_signal(signal.SIGINT)

        assert run.stdout.read() == "interrupted\n"
    assert time.monotonic() - started < 30


ENDS = """
import atexit, sys
from buildtool import __main__ as main
def status(words, real=main._status):
    atexit.register(lambda: print("at exit"))
    return real(words)
main._status = status
sys.argv = ["buildtool", *sys.argv[1:]]
sys.exit(main.program())
"""


@pytest.mark.parametrize(("words", "status"), [(["--version"], 0), (["no-command"], 2)])
def test_a_process_ends_without_freeing_its_modules(words: list[str], status: int) -> None:
    verbose = [sys.executable, "-v", "-c", ENDS, *words]
    done = subprocess.run(verbose, capture_output=True, text=True, check=False)
    assert done.returncode == status
    assert done.stdout.endswith("at exit\n")
    assert "# destroy buildtool" not in done.stderr


def test_what_cannot_be_written_at_the_end_is_reported() -> None:
    with Path("/dev/full").open("wb") as full:
        words = [sys.executable, "-c", ENDS, "--version"]
        done = subprocess.run(words, stdout=full, stderr=subprocess.PIPE, check=False)
    assert done.returncode
    assert b"No space left on device" in done.stderr


RUN = (
    "from buildtool.core.processes.process import running\n"
    "def run(*argv):\n"
    f"    own = dict(env={ENVIRONMENT!r}, stdin=None, stdout=None, stderr=None)\n"
    "    with running(argv, **own) as process:\n"
    "        process.wait()\n"
)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_killed_caller_leaves_no_program(tmp_path: Path, number: int) -> None:
    pid = tmp_path / "pid"
    code = f"{RUN}run('sh', '-c', 'echo $$ > \"{pid}\"; exec sleep 60')"
    with subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.DEVNULL) as caller:
        try:
            wait_for(pid)
            caller.send_signal(number)
            caller.wait(20)
        finally:
            caller.kill()

    assert gone(int(pid.read_text()))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_killed_build_leaves_no_job_of_ninja(tmp_path: Path, number: int) -> None:
    pid = tmp_path / "pid"
    (tmp_path / "build.ninja").write_text(
        f"rule slow\n  command = echo $$$$ > '{pid}'; exec sleep 60\nbuild x: slow\n"
    )
    code = (
        "from buildtool.core.processes.process import capture\n"
        "from buildtool.sdk.packaged_tools import find_cmake\n"
        f"capture([find_cmake().ninja, '-C', {str(tmp_path)!r}], env={ENVIRONMENT!r})"
    )
    with subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.DEVNULL) as caller:
        try:
            wait_for(pid)
            caller.send_signal(number)
            caller.wait(20)
        finally:
            caller.kill()

    assert gone(int(pid.read_text()))


def test_a_killed_caller_leaves_nothing_of_the_group_of_a_tool(tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    code = (
        "from buildtool.core.processes.process import capture\n"
        f"capture(['sh', '-c', 'sleep 60 & echo $! > \"{pid}\"; wait'], env={ENVIRONMENT!r})"
    )
    with subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.DEVNULL) as caller:
        try:
            wait_for(pid)
        finally:
            caller.kill()

    assert gone(int(pid.read_text()))


def test_no_python_runs_between_fork_and_exec() -> None:
    """Python code could wait forever for a lock that another thread of the parent holds."""
    code = (
        "import os\nfrom buildtool.core.processes.process import capture\n"
        f"{RUN}os.register_at_fork(after_in_child=lambda: os.write(1, b'Python'))\n"
        f"capture(['true'], env={ENVIRONMENT!r})\nrun('true')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert done.stdout == b""


def wait_for(pid: Path) -> None:
    """Wait until a program has written its process ID to `pid`, and ends with its caller."""
    while not (pid.exists() and (text := pid.read_text(encoding="utf-8").strip())):
        time.sleep(0.02)
    while not ends_with_its_caller(int(text)):
        time.sleep(0.02)


def gone(pid: int) -> bool:
    """Whether the process ends within a few seconds; a zombie counts as ended."""
    for _ in range(100):
        try:
            state = (
                Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
            )
        except OSError:
            return True
        if state == "Z":
            return True
        time.sleep(0.05)
    return False
