"""`capture` on a board and a phone, and `run --replay` of it on another machine.

The device is a stand-in: see `bundle_board`.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.command_line import run_buildtool
from tests.integration.remote.bundles import CMAKE, FILE, Board, Bundle, bundle_board, read_bundle
from tests.json_documents import validate

SCRIPT = 'shift; echo "N=$N $*"; exit "${STATUS:-3}"'
PROGRAM = ("--", "bin/program", SCRIPT)


@pytest.fixture(params=["ssh", pytest.param("adb", marks=pytest.mark.long)])
def board(
    request: pytest.FixtureRequest, runtime_directory: Path, tmp_path: Path
) -> Iterator[Board]:
    with bundle_board(request.param, runtime_directory, tmp_path) as board:
        yield board


class Elsewhere:
    """Another machine, which has neither the project nor its builds, and the same device."""

    def __init__(self, board: Board, folder: Path) -> None:
        self.folder = folder
        self.capture = folder / "bug.zip"
        (folder / "config" / "buildtool").mkdir(parents=True)
        shutil.move(board.project.root / "devices.toml", folder / "config" / "buildtool")
        shutil.move(board.project.root / "bug.zip", self.capture)
        self.variables = {
            **board.project.variables,
            "XDG_CONFIG_HOME": str(folder / "config"),
            "BUILDTOOL_CACHE": str(folder / "cache"),
        }

    def replay(self, *arguments: str, status: int) -> subprocess.CompletedProcess[str]:
        done = run_buildtool(
            *("run", "board", "--replay", "bug.zip", *arguments),
            cwd=self.folder,
            environment=self.variables,
        )
        assert "Traceback" not in done.stderr
        assert done.returncode == status, done.stderr
        return done


def captured(board: Board, *arguments: str, status: int = 3) -> Bundle:
    board.fails("capture", "board", "-o", "bug.zip", *arguments, status=status)
    return read_bundle(board.project.root / "bug.zip")


def test_a_run_is_captured_and_repeated_elsewhere(board: Board, tmp_path: Path) -> None:
    bundle = captured(board, "--env", "N=4", *PROGRAM, "a word")
    messages = board.project.messages
    listing, _, last = messages.rpartition("capture of this run: ")
    assert last == f"{board.project.root}/bug.zip\n"
    for name, data in bundle.files.items():
        assert f"  {name:<15} {len(data):>12,} bytes  " in listing
    assert "It does not contain:\n  card.json: the device was not probed; " in listing
    assert bundle.run["status"] == 3
    assert bundle.run["farf"] is True
    assert "to repeat it   buildtool run sim --replay bug.zip\n" in bundle.summary
    assert "fastrpc: the DSP crashed" in bundle.files["kernel.log"].decode()

    elsewhere = Elsewhere(board, tmp_path / "elsewhere")
    shutil.rmtree(board.project.root)
    shutil.rmtree(board.device.home / "root")
    done = elsewhere.replay(status=3)
    assert done.stdout == bundle.files["stdout.txt"].decode() == "N=4 a word\n"
    again = elsewhere.replay("--env", "N=5", "--json", status=3)
    document = json.loads(again.stdout)
    validate("run", document)
    assert document["release"] == bundle.run["release"]
    assert "N=5 a word\n" in again.stderr
    other = elsewhere.replay("--", "bin/program", "exit 9", status=9)
    assert other.stdout == ""
    # What the device has of the project itself stays as it is.
    folder = board.device.home / "root"
    assert [path.name for path in folder.iterdir()] == ["scripts+replay"]


def test_secrets_are_replaced_and_asked_for(board: Board, tmp_path: Path) -> None:
    board.project.variables["SESSION_KEY"] = "k3y-of-this-machine"
    board.project.edit("host/program", "eval", "# https://example.org\neval")
    env = ("--env", "API_TOKEN=t0ken-of-the-run", "--env", "N=k3y-of-this-machine")
    bundle = captured(board, *env, *PROGRAM, "--password", "arg0-password")
    for secret in ("t0ken-of-the-run", "k3y-of-this-machine", "arg0-password"):
        assert secret.encode() not in bundle.every_byte, secret
    assert b"example.org" in bundle.every_byte

    elsewhere = Elsewhere(board, tmp_path / "elsewhere")
    asked = elsewhere.replay(status=125).stderr
    assert "the values of API_TOKEN, N are not in " in asked
    assert "--env API_TOKEN=VALUE --env N=VALUE" in asked
    own = ("--env", "API_TOKEN=other", "--env", "N=1")
    assert "arguments of the program" in elsewhere.replay(*own, status=125).stderr
    done = elsewhere.replay(*own, *PROGRAM, "own", status=3)
    assert done.stdout == "N=1 own\n"


def test_a_release_with_a_secret_is_left_out_unless_it_is_asked_for(board: Board) -> None:
    board.project.variables["SESSION_KEY"] = "k3y-in-the-program"
    board.project.edit("host/program", "eval", "# k3y-in-the-program\neval")
    bundle = captured(board, *PROGRAM)
    assert "release.tar.zst" not in bundle.files
    assert "release.tar.zst: bin/program contains the value of a secret; " in board.project.messages
    assert b"k3y-in-the-program" not in bundle.every_byte
    asked = captured(board, "--release", *PROGRAM)
    assert b"k3y-in-the-program" in asked.every_byte
    assert b"k3y-in-the-program" not in asked.data


def test_a_large_release_is_left_out_unless_it_is_asked_for(board: Board) -> None:
    board.project.write("host/model.bin", "")
    os.truncate(board.project.root / "host/model.bin", 65 << 20)
    text = f"{CMAKE}install(FILES model.bin DESTINATION share)\n"
    board.project.write("host/CMakeLists.txt", text)
    assert "release.tar.zst" not in captured(board, *PROGRAM).files
    assert "more than 64 MiB; buildtool capture --release includes it" in board.project.messages
    assert "release.tar.zst" in captured(board, "--release", *PROGRAM).files


def test_a_build_that_fails_leaves_a_capture(board: Board, tmp_path: Path) -> None:
    board.project.write("host/CMakeLists.txt", f"{CMAKE}\nmessage(FATAL_ERROR stop)\n")
    bundle = captured(board, *PROGRAM, status=125)
    assert json.loads(bundle.files["build.json"])["steps"][0]["outcome"] == "failed"
    assert "to repeat it" not in bundle.summary
    refused = Elsewhere(board, tmp_path / "elsewhere").replay(status=125).stderr
    assert "has no replay.json" in refused


def test_without_the_release_it_is_built_and_compared(board: Board, tmp_path: Path) -> None:
    bundle = captured(board, "--no-release", *PROGRAM, "x")
    assert "release.tar.zst" not in bundle.files
    assert "release.tar.zst: --no-release" in bundle.summary
    sources = tmp_path / "sources"
    board.project.copy_sources(sources)
    (sources / "bug.zip").unlink()
    elsewhere = Elsewhere(board, tmp_path / "elsewhere")
    alone = elsewhere.replay(status=125).stderr
    assert "does not contain the release that ran" in alone
    assert "Replay it in the project scripts, at the revision" in alone

    elsewhere.folder = sources
    shutil.move(elsewhere.capture, sources)
    assert elsewhere.replay(status=3).stdout == "N= x\n"
    (sources / "host/program").write_text("#!/bin/sh\nexit 0\n")
    other = elsewhere.replay(status=125).stderr
    assert "the release that was built here is not that of " in other
    assert "bin/program differs" in other
    assert "run.sh differs" not in other


def test_data_is_named_and_taken_from_a_project_that_has_it(board: Board, tmp_path: Path) -> None:
    text = FILE + '\n[data.model]\nfiles = ["models/*.bin"]\n'
    board.project.write("buildtool.toml", text)
    board.project.write("models/weights.bin", "the weights")
    script = ("--", "bin/program", "cat data/model/weights.bin; exit 3")
    bundle = captured(board, *script)
    assert b"the weights" not in bundle.every_byte.replace(bundle.files["stdout.txt"], b"")
    (row,) = json.loads(bundle.files["replay.json"])["data"]
    assert (row["path"], row["size"]) == ("data/model/weights.bin", 11)
    elsewhere = Elsewhere(board, tmp_path / "elsewhere")
    refused = elsewhere.replay(status=125).stderr
    assert "needs data that no bundle contains" in refused
    assert f"data/model/weights.bin: 11 bytes, sha256 {row['sha256']}" in refused

    board.project.copy_sources(tmp_path / "sources")
    elsewhere.folder = tmp_path / "sources"
    shutil.move(elsewhere.capture, elsewhere.folder)
    assert elsewhere.replay(status=3).stdout == "the weights"


def test_an_error_and_ctrl_c_leave_a_capture(board: Board) -> None:
    bundle = captured(board, "--", "bin/absent", status=125)
    assert "error: there is no program 'bin/absent'" in bundle.summary
    board.interrupt(
        "capture", "board", "-o", "hang.zip", "--", "bin/program", "echo begun; sleep 99"
    )
    bundle = read_bundle(board.project.root / "hang.zip")
    assert "error: the run was interrupted by Ctrl-C\n" in bundle.summary
    assert bundle.files["stdout.txt"] == b"begun\n"
    assert "kernel.log" in bundle.files


def test_a_bundle_of_a_failed_run_can_be_replayed_too(board: Board, tmp_path: Path) -> None:
    place = f"--bundle-file={board.project.root}/bug.zip"
    board.fails("run", "board", place, *PROGRAM, "again", status=3)
    elsewhere = Elsewhere(board, tmp_path / "elsewhere")
    assert elsewhere.replay(status=3).stdout == "N= again\n"


def test_a_harmed_release_reaches_no_device(board: Board, tmp_path: Path) -> None:
    captured(board, *PROGRAM)
    elsewhere = Elsewhere(board, tmp_path / "elsewhere")
    shutil.rmtree(board.device.home / "root")
    with zipfile.ZipFile(elsewhere.capture) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(elsewhere.capture, "w") as archive:
        for name, data in files.items():
            changed = name.endswith("release.tar.zst")
            archive.writestr(name, data[:-30] + b"x" + data[-29:] if changed else data)
    refused = elsewhere.replay(status=125).stderr
    assert f"error: {elsewhere.capture}/release.tar.zst: " in refused
    assert not (board.device.home / "root").exists()
