"""What the DSP logs is shown and kept; stand-ins for the journal and Android's logcat log it."""

from __future__ import annotations

import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from buildtool.core.events import BackendPrinted, Event, Note, ProgramTraced
from buildtool.deploy.contents import deployment
from buildtool.deploy.ready import DeviceChoice
from buildtool.project.model import Header, Project
from buildtool.run.attended import ProgramRun, run_attended
from buildtool.run.on_device import run_on_device
from buildtool.run.program import RunRequest
from buildtool.run.trace.perfetto import log_lines
from tests.integration.contract.binaries import SKEL, Linker
from tests.remote.adbd import AdbServer
from tests.remote.places import adb_place, ssh_place
from tests.remote.remote import SHELL, Remote, processes_with
from tests.remote.sshd import SshServer
from tests.remote.streams import redirected
from tests.unit.diagnose.device_crashes import NEW, crash_lines

KERNEL = """
__attribute__((noinline)) int demo_run(volatile int *at) { return *at; }
int demo_skel_handle_invoke(int *at) { return demo_run(at) + 1; }
"""
LOGGED = "/data/local/tmp/logged"
SAID = "/data/local/tmp/said"
LOG = f"""
echo "$@"
while :; do
    echo "CDSP0: message"
    [ ! -e {SAID} ] || {{ cat {SAID}; rm {SAID}; }}
    echo >>{LOGGED}
    sleep 0.1
done
"""
PROGRAM = f"""
cat "${{ADSP_LIBRARY_PATH##*;}}/shell.farf"
cat
until {{ read -r first && read -r second; }} 2>/dev/null <{LOGGED}; do sleep 0.02; done
echo error >&2
exit 3
"""


@pytest.fixture(params=["journalctl", "logcat"])
def remote(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Remote]:
    """A board over ssh, or a phone over adb, with a stand-in for what prints its log."""
    state = tmp_path / "state"
    if request.param == "journalctl":
        with SshServer(tmp_path / "ssh", tools="busybox") as ssh:
            ssh.device.put_tool("journalctl", LOG)
            monkeypatch.setenv("PATH", ssh.client.environment["PATH"])
            yield ssh_place(ssh, ssh.client, state, "busybox")
    else:
        with AdbServer(tmp_path / "adb", tools="android") as adb:
            adb.device.put_tool("logcat", LOG)
            for name, value in adb.environment.items():
                monkeypatch.setenv(name, value)
            yield adb_place(adb, adb.serial, state, "android")


def test_the_log_of_the_dsp_is_shown_and_kept(remote: Remote, tmp_path: Path) -> None:
    release = remote.release(tmp_path / "release", {})

    ran = remote.shell(release, PROGRAM, farf="0x1f001f", stdin=b"input\n")

    assert (ran.status, ran.stdout) == (3, b"0x1f001f\ninput\n")
    assert ran.stderr.count(b"CDSP0: message\n") > 1
    assert b"error\n" in ran.stderr
    (log,) = remote.outside("logs").iterdir()
    kept = (log / "dsp.log").read_text()
    assert kept.splitlines()[0].split()[-1] == "shell"  # it shows messages of the program
    assert kept.count("CDSP0: message\n") > 1
    assert (log / "release").read_text().strip() == deployment(release, "").id
    end = time.monotonic() + 20
    while left := processes_with(remote.token, "CDSP0"):
        assert time.monotonic() < end, left
        time.sleep(0.02)


@pytest.mark.parametrize(
    ("name", "crashed"), [("shell", True), pytest.param("my-shell", False, marks=pytest.mark.long)]
)
def test_a_crash_in_the_log_is_one_of_the_program(
    remote: Remote, tmp_path: Path, name: str, crashed: bool
) -> None:
    release = remote.release(tmp_path / "release", {})
    ready = remote.ready(release)
    line = f'V/adsprpc( 7): b8:b8: CDSP0:[R]: Process "/frpc/f05afd00 {name}" crashed in thread "t"'
    script = f"""
        echo '{line} due to precise exception occurrence' >{SAID}
        until [ ! -e {SAID} ]; do sleep 0.02; done
    """
    request = RunRequest((SHELL, script), farf="0x1f001f")

    with redirected(None):
        ran = run_on_device(ready, request)

    how = 'the DSP process crashed: in thread "t" due to precise exception occurrence'
    assert (ran.status, ran.dsp_crash) == (0, how if crashed else "")


def test_a_crash_is_named_by_the_debug_files_of_the_release(remote: Remote, tmp_path: Path) -> None:
    release = remote.release(tmp_path / "release", {})
    debug = release.debug / "dsp/v68/libdemo_skel.so.debug"
    debug.parent.mkdir(parents=True)
    shutil.copy(Linker(tmp_path).link(KERNEL, (*SKEL, "-g"), stripped=False), debug)
    symbols = subprocess.run(["llvm-nm", debug], capture_output=True, text=True, check=True).stdout
    offset = int(re.findall(r"^(\w+) T demo_run$", symbols, re.MULTILINE)[0], 16)
    load = 0x20010000
    call = (load + offset, "demo_run+0x0", "./libdemo_skel.so")
    lines = crash_lines(NEW, "libdemo_skel.so", load, {"Fault PC": call[0]}, [call])
    text = "\n".join(lines).replace("my-program-with", "shell")
    script = f"""
        cat >{SAID}.new && mv {SAID}.new {SAID}
        until [ ! -e {SAID} ]; do sleep 0.02; done
        exit 7
    """
    request = RunRequest((SHELL, script), farf="0x1f001f", input=True)
    notes: list[Event] = []
    project = Project(tmp_path, Header(name="p"), {}, {}, {})

    with redirected(text.encode()):
        ready = remote.ready(release)
        ran = run_attended(ProgramRun(project, ready, request, notes.append, DeviceChoice()))

    assert ran.status == 7
    assert ran.dsp_crash.startswith("the DSP process crashed: in thread")
    (note,) = (event.text for event in notes if isinstance(event, Note))
    assert "\n  at demo_run (source.c:2)\n" in note
    assert "\n  process shell" in note


def test_a_traced_run_has_the_log_with_times_and_lines_of_backends(
    remote: Remote, tmp_path: Path
) -> None:
    release = remote.release(tmp_path / "release", {})
    operator = "ggml-hex: HTP0 profile-op ADD|a x b -> c|1 -> 1|f32|1|-|usec 5 cycles 99 start 7"
    script = f"""
        echo "$(date +%s).250000 board shell[7]: a line" >{SAID}.new && mv {SAID}.new {SAID}
        until [ ! -e {SAID} ]; do sleep 0.02; done
        echo '0.1 D {operator} mhz 19.8' >&2
    """
    events: list[Event] = []
    before = int(time.time())

    with redirected(None) as streams:
        request = RunRequest((SHELL, script), farf="0x1f001f", trace=True)
        run_on_device(remote.ready(release, events), request)

    (traced,) = (event for event in events if isinstance(event, ProgramTraced))
    (line,) = (event for event in events if isinstance(event, BackendPrinted))
    ((seconds, text),) = (
        (slice_.start // 10**9, slice_.name) for slice_ in log_lines(traced.log, shift=0)
    )
    first = traced.log.decode().partition("\n")[0]
    assert "-v time -v epoch -s" in first or "-o short-unix -t" in first
    assert (before <= seconds <= time.time() + 1, text) == (True, "a line")
    assert operator in line.text
    assert traced.started < line.at < traced.ended
    assert operator.encode() in streams.stderr


@pytest.mark.long
def test_runs_without_farf_keep_no_log(remote: Remote, tmp_path: Path) -> None:
    release = remote.release(tmp_path / "release", {})

    assert remote.shell(release, "echo $ADSP_LIBRARY_PATH").stdout == b"\n"

    assert [*remote.outside("logs").iterdir()] == []
