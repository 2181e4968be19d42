"""Reading a bundle to repeat its run: what is accepted, and which harmed archives are refused."""

from __future__ import annotations

import hashlib
import io
import json
import tarfile
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import zstandard

from buildtool.cli import main
from buildtool.core.errors import BuildtoolError
from buildtool.release.slices import ReleaseFile, in_slices, release_id
from buildtool.run.bundle.replay import PREFIX, Replay, opened_replay

PROGRAM = b"#!/bin/sh\nexec true\n"
ROW = ReleaseFile("bin/app", 0o755, len(PROGRAM), hashlib.sha256(PROGRAM).hexdigest())
(HOST,) = in_slices([ROW], [], ())
ID = release_id({"host": HOST.id})
RELEASE: dict[str, Any] = {
    "schema": 1,
    "project": "demo",
    "version": "1.0",
    "target": {
        "name": "board",
        "platform": "ubuntu-aarch64",
        "archs": [],
        "glibc": "2.36",
        "api": None,
        "system_libraries": [],
    },
    "id": ID,
    "slices": {
        "host": {
            "id": HOST.id,
            "files": [
                {
                    "path": ROW.path,
                    "mode": "0755",
                    "size": ROW.size,
                    "sha256": ROW.sha256,
                    "step": None,
                }
            ],
        }
    },
    "steps": [],
}
REPLAY: dict[str, Any] = {
    "schema": 1,
    "project": "demo",
    "target": "board",
    "release": ID,
    "soc": "QCS6490",
    "command": ["bin/app", "-n", "a word\n"],
    "masked_arguments": [],
    "env": {"N": "4"},
    "masked_env": ["API_TOKEN"],
    "cwd": "",
    "timeout": 90.5,
    "farf": True,
    "dsp_may_crash": False,
    "strict": "back",
    "expect_dsp": False,
    "data": [],
}


def packed(files: dict[str, bytes], top: str = "demo-1.0-board/") -> bytes:
    tar = io.BytesIO()
    with tarfile.open(fileobj=tar, mode="w") as archive:
        for name, data in files.items():
            info = tarfile.TarInfo(top + name)
            info.size, info.mode = len(data), 0o755 if name.startswith("bin/") else 0o644
            archive.addfile(info, io.BytesIO(data))
    return zstandard.ZstdCompressor(write_checksum=True).compress(tar.getvalue())


def release_of(document: Any = RELEASE, **files: bytes) -> bytes:
    names = {"bin/app": PROGRAM, "release.json": json.dumps(document).encode(), **files}
    return packed(names)


def parts(replay: Any = REPLAY, release: bytes | None = None) -> dict[str, bytes]:
    text = replay if isinstance(replay, bytes) else json.dumps(replay).encode()
    release = release_of() if release is None else release
    return {"replay.json": text, "release.tar.zst": release}


def write(folder: Path, files: dict[str, bytes], top: str = "20260314-101530-4f2a9c/") -> Path:
    file = folder / "bundle.zip"
    with zipfile.ZipFile(file, "w") as archive:
        for name, data in files.items():
            archive.writestr(top + name, data)
    return file


def refused(file: Path) -> BuildtoolError:
    with pytest.raises(BuildtoolError) as raised, opened_replay(file):
        pass
    assert tempfile.gettempdir() + f"/{PREFIX}" not in raised.value.message
    assert not [*Path(tempfile.gettempdir()).glob(f"{PREFIX}*")]
    return raised.value


@pytest.fixture(autouse=True)
def _own_temporary_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))


def check(replay: Replay) -> None:
    assert replay.release
    assert replay.project
    assert (replay.project.name, replay.release.id) == ("demo", ID)
    assert replay.project.targets["board"].glibc == "2.36"
    assert (replay.release.directory / "bin/app").read_bytes() == PROGRAM
    run = replay.file.run
    assert (run.program, run.args) == ("bin/app", ("-n", "a word\n"))
    assert (run.env, run.timeout, run.farf) == ({"N": "4"}, "90.500s", True)
    assert replay.file.masked_env == ("API_TOKEN",)
    assert replay.file.strict == "back"


def test_an_archive_and_an_unpacked_one_are_the_same(tmp_path: Path) -> None:
    file = write(tmp_path, parts())
    with opened_replay(file) as replay:
        check(replay)
    with zipfile.ZipFile(file) as archive:
        archive.extractall(tmp_path / "unpacked")
    (place,) = (tmp_path / "unpacked").glob("*/replay.json")
    with opened_replay(place) as replay:
        check(replay)


def test_without_the_release_its_files_are_known(tmp_path: Path) -> None:
    file = write(
        tmp_path,
        {"replay.json": parts()["replay.json"], "release.json": json.dumps(RELEASE).encode()},
    )
    with opened_replay(file) as replay:
        assert replay.release is None
        assert replay.listed == {"bin/app": ROW.sha256}


CHANGES: list[tuple[str, Any, str]] = [
    ("schema", 2, "its schema is 2"),
    ("project", "../demo", "is not a name"),
    ("project", 7, "is not a text"),
    ("target", "", "is not a name"),
    ("release", "abc", "is not the id of a release"),
    ("command", "bin/app", "is not a list"),
    ("command", ["bin/app", "a\0b"], "NUL"),
    ("command", ["\ud800"], "surrogates not allowed"),
    ("env", {"A=B": "1"}, "is not the name of a variable"),
    ("env", [], "AttributeError"),
    ("masked_env", ["", "x"], "is not the name of a variable"),
    ("masked_arguments", [-1], "is not a number"),
    ("timeout", -1, "is not a number of seconds"),
    ("timeout", float("nan"), "is not a number of seconds"),
    ("timeout", "90s", "TypeError"),
    ("timeout", 1.08e9, "is not a number of seconds up to 1,800,000"),
    ("farf", "yes", "neither true nor false"),
    ("strict", "sideways", "is not a value of strict"),
    ("data", [{"path": "data/x"}], "KeyError"),
    ("data", [{"path": "x", "sha256": "0" * 64 + "\n", "size": 1}], "is not a sha256 in hex"),
]


@pytest.mark.parametrize(("key", "value", "why"), CHANGES)
def test_a_wrong_value_is_refused(tmp_path: Path, key: str, value: Any, why: str) -> None:
    error = refused(write(tmp_path, parts({**REPLAY, key: value})))
    assert error.code == "replay"
    assert error.message.endswith("bundle.zip is damaged, or of another version of buildtool")
    assert why in error.why


@pytest.mark.parametrize(
    "data", [b"", b"[]", b"null", b"{}", b"\xff", b"[" * 100_000, b" " * (5 << 20)]
)
def test_a_replay_file_that_is_none_is_refused(tmp_path: Path, data: bytes) -> None:
    assert "replay" in refused(write(tmp_path, parts(data))).code


def test_another_release_than_the_one_that_ran_is_refused(tmp_path: Path) -> None:
    error = refused(write(tmp_path, parts({**REPLAY, "release": "0" * 64})))
    assert "has another release than the one that ran" in error.message
    assert f"the id of its files is {ID}, replay.json names 000" in error.why


def flipped(data: bytes) -> bytes:
    return data[:-30] + bytes([data[-30] ^ 1]) + data[-29:]


HARMED: dict[str, Callable[[], bytes]] = {
    "archive-damaged": lambda: flipped(release_of()),
    "verify": lambda: release_of(**{"bin/app": PROGRAM.replace(b"true", b"evil")}),
    "archive-unsafe": lambda: packed({"../../evil": b""}),
}


@pytest.mark.parametrize("code", HARMED)
def test_a_harmed_release_is_refused(tmp_path: Path, code: str) -> None:
    error = refused(write(tmp_path, parts(release=HARMED[code]())))
    assert error.code == code
    assert error.message.startswith(f"{tmp_path}/bundle.zip/release.tar.zst")


def test_files_that_are_not_listed_are_refused(tmp_path: Path) -> None:
    more = release_of(**{"lib/evil.so": b"x"})
    assert "lib/evil.so is not listed" in refused(write(tmp_path, parts(release=more))).why
    document = json.dumps(RELEASE).encode()
    flat = packed({"bin/app": PROGRAM, "release.json": document}, top="")
    error = refused(write(tmp_path, parts(release=flat)))
    assert "does not have its files in one directory" in error.message


def test_a_flipped_byte_in_a_bundle_is_refused(tmp_path: Path) -> None:
    file = write(tmp_path, parts())
    file.write_bytes(file.read_bytes().replace(b"a word", b"a w0rd"))
    error = refused(file)
    assert error.code == "archive-damaged"
    assert error.message.startswith(f"{file}: ")


def test_paths_that_lead_out_of_a_bundle_are_refused(tmp_path: Path) -> None:
    error = refused(write(tmp_path, {**parts(), "../evil": b""}))
    assert error.code == "archive-unsafe"
    assert "leads out of the directory" in error.message


def test_what_is_no_bundle_is_refused(tmp_path: Path) -> None:
    assert "has no replay.json" in refused(write(tmp_path, {"README.txt": b""})).message
    assert "is not a file" in refused(tmp_path).message
    assert "is not a file" in refused(tmp_path / "absent.json").message
    (tmp_path / "x.zip").write_bytes(b"PK")
    assert refused(tmp_path / "x.zip").code == "archive-damaged"


def test_a_run_on_android_is_not_repeated_on_sim(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    target = {**RELEASE["target"], "platform": "android", "glibc": None, "api": 31}
    release = release_of({**RELEASE, "target": target})
    write(tmp_path, parts({**REPLAY, "masked_env": []}, release))
    assert main(["run", "sim", "--replay", "bundle.zip"]) == 125
    error = capsys.readouterr().err
    assert "was on android, which the emulated device is not" in error
    assert "→ Replay it on a phone: buildtool run PHONE --replay " in error


@pytest.mark.parametrize(
    ("words", "option"),
    [
        ("probe", "RUN"),
        ("--watch", "--watch"),
        ("--debug", "--debug"),
        ("--bundle", "--bundle"),
        ("--target other", "--target"),
        ("--build-type Debug", "--build-type"),
        ("--sanitize", "--sanitize"),
    ],
)
def test_options_about_what_the_bundle_says_are_refused(
    words: str,
    option: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path, parts())
    assert main(["run", "sim", *words.split(), "--replay", "bundle.zip"]) == 125
    assert f"error: --replay cannot be used with {option}\n" in capsys.readouterr().err
