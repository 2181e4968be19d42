"""`buildtool capture sim`, and `run --replay` of what it leaves where there is no project."""

from __future__ import annotations

import json
import shutil
import zipfile
from pathlib import Path

import pytest

from buildtool.release.unpack import unpack
from buildtool.run.recorded.recording import Recording
from tests.command_line import run_buildtool
from tests.device.strict.conftest import SOURCES
from tests.integration.remote.bundles import Bundle, read_bundle
from tests.json_documents import validate
from tests.project import Project

FAULT = ("--", "bin/faults", "fill", "1024", "1025")
"""Writes past the end of a buffer, which only --strict notices."""
SUM = ("--", "bin/faults", "sum", "8", "0", "8")


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    root = tmp_path_factory.mktemp("captured") / "project"
    shutil.copytree(SOURCES, root)
    return Project(root)


@pytest.fixture(scope="module")
def crash(project: Project) -> Bundle:
    """The capture of a program whose kernel writes past the end of a buffer."""
    done = project.run("capture", "sim", "--strict", "--soc", "SM8550", "-o", "crash.zip", *FAULT)
    bundle = read_bundle(project.root / "crash.zip")
    assert done.returncode == bundle.run["status"] != 0
    return bundle


def test_the_archive_says_what_happened(crash: Bundle) -> None:
    assert {"release.tar.zst", "debug.tar.zst", "replay.json", "device.json"} <= crash.files.keys()
    device = json.loads(crash.files["device.json"])
    assert len(device["cdsprpc"]["sha256"]) == len(device["shell"]["sha256"]) == 64
    assert {"buildtool", "cmake", "qemu"} <= crash.run["versions"].keys()
    assert "the DSP process crashed: " in crash.summary
    assert "to repeat it   buildtool run sim --replay crash.zip\n" in crash.summary
    assert json.loads(crash.files["replay.json"])["strict"] == "back"


def test_debug_files_have_the_names_of_the_skels(crash: Bundle, tmp_path: Path) -> None:
    archive = tmp_path / "debug.tar.zst"
    archive.write_bytes(crash.files["debug.tar.zst"])
    unpack(archive, tmp_path / "files")
    (named,) = (tmp_path / "files").glob("debug/dsp/v68/libfaults_skel.so.debug")
    assert named.resolve().read_bytes().startswith(b"\x7fELF")


def test_a_crash_is_repeated_with_its_names_and_lines(
    project: Project, crash: Bundle, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    with zipfile.ZipFile(project.root / "crash.zip") as archive:
        archive.extractall(tmp_path)
    (replay,) = tmp_path.glob("*/replay.json")

    done = run_buildtool("run", "sim", "--replay", str(replay), "--json", cwd=tmp_path)

    document = json.loads(done.stdout)
    validate("run", document)
    assert done.returncode == document["status"] == crash.run["status"]
    assert document["release"] == crash.run["release"]
    assert document["soc"] == crash.run["soc"] == "SM8550"
    before = crash.files["messages.txt"].decode().splitlines()
    assert next(line for line in before if line.startswith("  at ")) in done.stderr
    assert document["dsp_crash"] == crash.run["dsp_crash"]
    assert sorted(path.name for path in tmp_path.iterdir()) == [replay.parent.name]


def test_the_program_can_be_another_one_of_the_release(
    project: Project, crash: Bundle, tmp_path: Path
) -> None:
    del crash
    words = ("--replay", str(project.root / "crash.zip"), "--soc", "SM8550")
    done = run_buildtool(
        "run", "sim", *words, "--", "bin/faults", "sum", "8", "0", "8", cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr


def test_the_calls_of_the_dsp_are_in_the_archive(project: Project) -> None:
    project.succeeds("capture", "sim", "--record-calls", "x.calls", "-o", "calls.zip", *SUM)
    file = project.root / "x.calls"
    assert read_bundle(project.root / "calls.zip").files["run.calls"] == file.read_bytes()
    assert len(Recording(file).asked) == 1


def test_the_document_lists_what_is_in_the_archive(project: Project) -> None:
    done = project.run("capture", "sim", "--json", "-o", "ok.zip", *SUM)
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    validate("capture", document)
    bundle = read_bundle(Path(document["capture"]))
    assert {row["path"]: row["size"] for row in document["files"]} == {
        name: len(data) for name, data in bundle.files.items()
    }


def test_a_place_that_cannot_be_written_is_an_error(project: Project, tmp_path: Path) -> None:
    done = project.run("capture", "sim", "-o", str(tmp_path), *FAULT)
    assert done.returncode == 125
    assert f"error: --output {tmp_path}: it is not a file" in done.stderr
