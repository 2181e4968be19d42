"""`run --bundle` on a board and a phone: what it has when a program fails, and what it has not.

The device is a stand-in: see `bundle_board`.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from buildtool.core.escape import is_control
from tests.integration.remote.bundles import (
    BUILDTOOL,
    CMAKE,
    FILE,
    PASSWORD,
    Board,
    bundle_board,
    bundles_in,
    read_bundle,
)
from tests.json_documents import validate

RUN = "run", "board", "--bundle"


@pytest.fixture(params=["ssh", pytest.param("adb", marks=pytest.mark.long)])
def board(
    request: pytest.FixtureRequest, runtime_directory: Path, tmp_path: Path
) -> Iterator[Board]:
    with bundle_board(request.param, runtime_directory, tmp_path) as board:
        yield board


def test_what_is_in_a_bundle(board: Board) -> None:
    script = 'echo out; printf "err \\033[31mred\\n" >&2; kill -6 $$'
    board.project.succeeds("build", "board")
    command = (*RUN, "--env", "N=4", "--timeout", "1m", "--", "bin/program", script)
    done = board.fails(*command, status=134)
    assert done.stdout == "out\n"
    assert done.stderr == f"err \x1b[31mred\nbundle of this failure: {board.last}\n"

    bundle = read_bundle(board.last)
    assert bundle.files["stdout.txt"] == b"out\n"
    assert bundle.files["stderr.txt"] == b"err \x1b[31mred\n"
    run = bundle.run
    assert run["command_line"] == ["buildtool", *command]
    assert (run["status"], run["signal"], run["error"]) == (134, "SIGABRT", None)
    assert (run["device"], run["command"]) == ("board", ["bin/program", script])
    assert run["environment"]["program"] == {"N": "4"}
    assert run["directory"] == str(board.project.root)
    assert 0 < run["seconds"] < 60
    assert {"buildtool", "cmake", "python", "compiler of host/scripts"} <= set(run["versions"])
    release = json.loads(bundle.files["release.json"])
    assert release["id"] == run["release"]
    assert [file["path"] for file in release["slices"]["host"]["files"]] == [
        "bin/program",
        "run.sh",
    ]
    assert json.loads(bundle.files["device.json"])["glibc"] == "2.36"
    secrets = re.compile(r"from the .*file|f0reign-password|of a .*run|first-part[^\"]*")
    assert bundle.files["buildtool.toml"].decode() == secrets.sub("***", FILE)
    assert b"fastrpc: the DSP crashed" in bundle.files["kernel.log"]
    assert b"long before the run" not in bundle.files["kernel.log"]
    assert ("logcat.log" in bundle.files) == ("adb" in run["address"])
    if "logcat.log" in bundle.files:
        first, second = bundle.files["logcat.log"].decode().splitlines()
        assert first.startswith("-d -v threadtime -t ")
        assert second == "I/adsprpc: of the phone"
    assert bundle.summary.startswith("scripts on board: exit status 134 (SIGABRT), after ")
    assert "  err \\x1b[31mred\n" in bundle.summary
    assert "\x1b" not in bundle.summary
    for name in bundle.files.keys() - {"README.txt"}:
        assert f"  {name} " in bundle.summary


def test_runs_that_leave_no_bundle(board: Board) -> None:
    program = ("--", "bin/program")
    board.project.succeeds(*RUN, *program, "exit 0")
    board.fails("run", "board", *program, "exit 3", status=3)
    board.project.variables["CI"] = "false"
    board.fails("run", "board", *program, "exit 3", status=3)
    board.project.variables["CI"] = "true"
    board.fails("run", "board", "--no-bundle", *program, "exit 3", status=3)
    board.project.succeeds("run", "board", *program, "exit 0")
    assert bundles_in(board.project.root) == []

    board.fails("run", "board", *program, "exit 3", status=3)
    assert read_bundle(board.last).run["status"] == 3
    done = board.fails("run", "board", "--json", "named", status=3)
    document = json.loads(done.stdout)
    validate("run", document)
    assert document["bundle"] == str(board.last)
    assert document["run"] == board.last.stem


def test_secrets_are_in_no_byte(board: Board) -> None:
    board.project.variables |= {
        "API_TOKEN": "t0ken-of-this-machine",
        "PIN_CODE": "90210",
        "SSH_KEY": "line-one-of-a-key\nline-two-of-a-key",
        "BUILDTOOL_REMOTE_CACHE": "",
        "CI_PROXY": "http://me:pr0xy-password@proxy",
        "GITHUB_PAT": "p4t-of-this-machine",
    }
    board.project.edit("host/program", "eval", "# board\neval")
    script = (
        'echo "$DEVICE_SECRET $1"; echo t0ken-of-this-machine at https://u:unkn0wn@host/x >&2;'
        " echo 90210; echo line-two-of-a-key; echo pr0xy-password;"
        " printf 'first-part\\n   s3cond-part!\\n'; echo Authorization: Bearer 0ther;"
        " printf p4t-of-this-machine | base64; exit 1"
    )
    env = ("--env", "DEVICE_SECRET=s3cret of a program", "--env", "SHELL_KEY=k3y-of-the-shell")
    board.fails(*RUN, *env, "--", "bin/program", script, "--password", "arg0-password", status=1)

    bundle = read_bundle(board.last)
    for secret in (
        *("t0ken-of-this-machine", "s3cret of a program", "90210", "line-one-of-a-key"),
        *("line-two-of-a-key", "pr0xy-password", "arg0-password", "k3y-of-the-shell", "unkn0wn"),
        *('from the "project" file', PASSWORD, "p4t-of", "cDR0LW9mLXRoaXMtbWFjaGlu", "0ther"),
        *("f0reign", "t3st", "s3cond", "first-part"),
    ):
        assert secret.encode() not in bundle.every_byte, secret
    assert bundle.files["stdout.txt"].startswith(b"*** ")
    assert b"https://***@host/x\n" in bundle.files["stderr.txt"]
    assert b'UPLOAD_PASSWORD = "***"' in bundle.files["buildtool.toml"]
    assert b"the DSP crashed, key ***\n" in bundle.files["kernel.log"]
    assert bundle.run["environment"]["program"] == {"DEVICE_SECRET": "***", "SHELL_KEY": "***"}


def test_the_log_of_the_dsp(board: Board) -> None:
    board.fails(*RUN, "--farf", "--", "bin/program", "sleep 0.3; exit 1", status=1)
    bundle = read_bundle(board.last)
    assert (b"of the DSP" if "ssh" in bundle.run["address"] else b"of the phone") in (
        bundle.files["dsp.log"]
    )
    assert bundle.run["farf"] is True


COUNTED = """#!/bin/sh
for word; do
    case $word in
        shell | --) echo >>"{count}" && break ;;
    esac
done
exec "{program}" "$@"
"""


@pytest.mark.long
def test_one_more_exchange_fetches_everything(board: Board, tmp_path: Path) -> None:
    """Each exchange is a process of ssh or adb, which a program in their place counts."""
    count = tmp_path / "count"
    path = board.project.variables["PATH"]
    for name in ("ssh", "adb"):
        program = tmp_path / "counted" / name
        program.parent.mkdir(exist_ok=True)
        program.write_text(COUNTED.format(count=count, program=shutil.which(name, path=path)))
        program.chmod(0o755)
    board.project.variables["PATH"] = f"{program.parent}:{path}"
    program_exits = ("--", "bin/program", "exit 1")
    board.fails("run", "board", *program_exits, status=1)

    exchanges = []
    for option in ("--no-bundle", "--bundle"):
        count.write_text("")
        board.fails("run", "board", option, *program_exits, status=1)
        exchanges.append(count.read_text().count("\n"))
    assert exchanges == [1, 2]


def test_ctrl_c_leaves_no_bundle(board: Board) -> None:
    board.project.succeeds("build", "board")
    board.interrupt(*RUN, "--", "bin/program", "echo begun; sleep 600")
    assert bundles_in(board.project.root) == []


def test_a_device_that_is_lost(board: Board, tmp_path: Path) -> None:
    board.project.succeeds("run", "board", "--", "bin/program", "true")
    file = tmp_path / "lost.zip"
    command = (
        "run",
        "board",
        f"--bundle-file={file}",
        "--",
        "bin/program",
        "echo begun; sleep 600",
    )
    with subprocess.Popen(
        [*BUILDTOOL, *command],
        cwd=board.project.root,
        env={**os.environ, **board.project.environment},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout
        assert process.stdout.readline() == "begun\n"
        board.proxy.stop()
        _, messages = process.communicate(timeout=90)
    assert process.returncode == 125
    assert f"bundle of this failure: {file}\n" in messages
    bundle = read_bundle(file)
    assert bundle.run["status"] is None
    assert bundle.run["error"]["code"] == "connection"
    assert bundle.files["stdout.txt"] == b"begun\n"
    assert "kernel.log" not in bundle.files
    assert "\n  logs of the device: " in bundle.summary
    assert "release.json" in bundle.files


def test_large_and_hostile_output(board: Board) -> None:
    script = (
        "echo first; yes \"$(printf '\\377\\033[31m')\" | head -c 5000000;"
        " printf '\\n\\033]0;title\\007\\302'; echo last; exit 1"
    )
    place = board.project.root / "large.zip"
    done = subprocess.run(
        [*BUILDTOOL, "run", "board", f"--bundle-file={place}", "--", "bin/program", script],
        cwd=board.project.root,
        env={**os.environ, **board.project.environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 1
    assert len(done.stdout) == len(b"first\nlast\n") + 5_000_000 + 12
    bundle = read_bundle(place)
    kept = bundle.files["stdout.txt"]
    middle = f"\n[... {len(done.stdout) - (2 << 20):,} bytes are omitted here ...]\n".encode()
    head, found, tail = kept.partition(middle)
    assert found
    assert done.stdout.startswith(head)
    assert done.stdout.endswith(tail)
    assert len(head) > (1 << 20) - 100
    assert len(tail) > (1 << 20) - 100
    assert not any(map(is_control, bundle.summary.replace("\n", "")))
    assert bundle.summary.count("\\x1b]0;title\\x07") == 1


def test_errors_of_buildtool(board: Board) -> None:
    done = board.fails(*RUN, "--", "bin/absent", status=125)
    assert "there is no program 'bin/absent'" in done.stderr
    bundle = read_bundle(board.last)
    assert "error: there is no program 'bin/absent'" in bundle.summary
    assert bundle.run["release"]

    board.project.write("host/CMakeLists.txt", f"{CMAKE}\nmessage(FATAL_ERROR stop)\n")
    board.fails(*RUN, status=125)
    bundle = read_bundle(board.last)
    (step,) = json.loads(bundle.files["build.json"])["steps"]
    assert step["outcome"] == "failed"
    assert "stop" in bundle.summary
    assert "  logs of the device: the run did not get that far\n" in bundle.summary


@pytest.mark.long
def test_a_place_that_cannot_be_written_hides_nothing(board: Board) -> None:
    command = ("run", "board", "--bundle-file=/proc/x.zip", "--", "bin/program", "exit 5")
    done = board.fails(*command, status=5)
    said = "no bundle of this failure was written: /proc/x.zip: No such file or directory\n"
    assert said in done.stderr
