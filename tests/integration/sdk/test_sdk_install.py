"""`sdk install` downloads, checks and unpacks an archive.

The servers are on loopback; the archive is that of a stand-in for an Android NDK.
"""

from __future__ import annotations

import hashlib
import json
import re
import stat
import subprocess
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from buildtool.sdk import download as download_module
from buildtool.sdk.download import DownloadError, download
from tests.command_line import Buildtool
from tests.json_documents import validate
from tests.standins.fixtures import MakeNdk

from .file_server import serving

Install = Callable[..., subprocess.CompletedProcess[str]]
REVISION = "27.2.12479018"


def make_zip(directory: Path, file: Path, top: str) -> str:
    """An archive of `directory`, as the directory `top`; returns its sha256."""
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(directory.rglob("*")):
            name = f"{top}/{path.relative_to(directory)}"
            if path.is_symlink():
                entry = zipfile.ZipInfo(name)
                entry.external_attr = (stat.S_IFLNK | 0o777) << 16
                archive.writestr(entry, str(path.readlink()))
            else:
                archive.write(path, name)
    return hashlib.sha256(file.read_bytes()).hexdigest()


@pytest.fixture
def ndk(stand_in_ndk: MakeNdk, tmp_path: Path) -> tuple[Path, str]:
    """The archive of a stand-in for NDK r27c, and its sha256."""
    root = stand_in_ndk("r27")
    return tmp_path / "ndk.zip", make_zip(root, tmp_path / "ndk.zip", "android-ndk-r27c")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = tmp_path / "a home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    for variable in ("ANDROID_NDK_ROOT", "ANDROID_NDK_HOME", "ANDROID_NDK", "ANDROID_HOME"):
        monkeypatch.delenv(variable, raising=False)
    return home


@pytest.fixture
def install(home: Path, buildtool: Buildtool, tmp_path: Path) -> Install:
    """Runs `buildtool sdk install`, with a home directory of its own."""
    assert home.is_dir()
    return lambda *arguments: buildtool("sdk", "install", *arguments, cwd=tmp_path)


def test_a_stand_in_is_downloaded_installed_and_found(
    ndk: tuple[Path, str], home: Path, install: Install, buildtool: Buildtool, tmp_path: Path
) -> None:
    file, digest = ndk
    place = home / "Android/Sdk/ndk" / REVISION
    options = ("--accept-licence", "--sha256", digest, "--json")
    with serving(file.read_bytes(), cuts=2) as server:
        done = install("ndk", "r27c", "--from", server.url, *options)
        asked = server.asked
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["directory"] == str(place)
    validate("sdk-install", json.loads(done.stdout))
    assert len(asked) == 3  # each continues after the last byte that arrived
    assert asked[0] == ""
    assert all(re.fullmatch(r"bytes=\d+-", each) for each in asked[1:])
    assert "https://developer.android.com/studio/terms" in done.stderr
    assert "installed" in done.stderr

    clang = place / "toolchains/llvm/prebuilt/linux-x86_64/bin/clang"
    assert clang.stat().st_mode & 0o100
    found = json.loads(buildtool("doctor", "--json", cwd=tmp_path).stdout)
    assert str(place) in json.dumps(found)
    again = install("ndk", "r27c", "--from", str(file), *options)
    assert again.returncode == 2
    assert f"{place} exists" in again.stderr


def test_a_download_of_a_stand_in_continues_in_the_next_command(
    ndk: tuple[Path, str], home: Path, install: Install
) -> None:
    file, digest = ndk
    options = ("--accept-licence", "--sha256", digest)
    data = file.read_bytes()
    with serving(data, cuts=1, status=503) as server:
        first = install("ndk", "r27c", "--from", server.url, *options)
    assert first.returncode == 1
    assert "the server answers 503" in first.stderr
    assert not (home / "Android").exists()
    with serving(data) as server:
        second = install("ndk", "r27c", "--from", server.url, *options)
        assert server.asked == [f"bytes={len(data) // 2}-"]
    assert second.returncode == 0, second.stderr


@pytest.mark.long
def test_a_server_without_ranges_sends_a_stand_in_again(
    ndk: tuple[Path, str], home: Path, install: Install
) -> None:
    file, digest = ndk
    options = ("--accept-licence", "--sha256", digest)
    with serving(file.read_bytes(), cuts=1, ranges=False) as server:
        done = install("ndk", "r27c", "--from", server.url, *options)
    assert done.returncode == 0, done.stderr
    assert (home / "Android/Sdk/ndk" / REVISION / "source.properties").is_file()


def test_an_archive_that_nothing_pins_is_named_by_its_digest(
    ndk: tuple[Path, str], home: Path, install: Install
) -> None:
    file, digest = ndk
    command = ("hexagon", "6.6.0.0", "--from", str(file), "--accept-licence")
    done = install(*command)
    assert done.returncode == 1
    assert f"--sha256 {digest}" in done.stderr
    assert install(*command, "--sha256", digest).returncode == 0
    assert (home / "Hexagon_SDK/6.6.0.0/source.properties").is_file()


def test_a_stand_in_with_another_digest_is_refused(
    ndk: tuple[Path, str], home: Path, install: Install
) -> None:
    file, digest = ndk
    done = install("ndk", "r27c", "--from", str(file), "--accept-licence")
    assert done.returncode == 1
    assert f"its sha256 is {digest}, not 59c2f6dc" in done.stderr
    assert not (home / "Android").exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("java", "8"), "'java' is not an SDK"),
        (("ndk",), "known versions: r26d, r27c"),
        (("java",), "'java' is not an SDK"),
        (("ndk", "../x"), "is not a version of the Android NDK"),
        (("ndk", "r27c"), "the vendor's licence is not accepted"),
        (("ndk", "r27c", "--accept-licence", "--sha256", "x"), "is not a sha256"),
        (("ndk", "r27c", "--accept-licence", "--from", "nowhere"), "nowhere is not a file"),
        (("ndk", "r27c", "--accept-licence", "--from", "ftp://h/x"), "not an address of http"),
    ],
)
def test_what_is_refused_before_anything_is_done(
    home: Path, install: Install, arguments: tuple[str, ...], said: str
) -> None:
    done = install(*arguments)
    assert done.returncode == 2
    assert said in done.stderr
    assert [*home.iterdir()] == []


def test_an_answer_that_is_no_file(home: Path, install: Install) -> None:
    with serving(b"<html>", status=404) as server:
        done = install("ndk", "r27c", "--from", server.url, "--accept-licence")
    assert done.returncode == 1
    assert "the server answers 404" in done.stderr
    assert "--from" in done.stderr


@pytest.mark.parametrize(
    ("header", "said"),
    [
        ({"Location": "http://[::1"}, "it leads to http://[::1: Invalid IPv6 URL"),
        ({"Content-Length": "9" * 18}, "the server announces 999,999,999,999,999,999 bytes"),
    ],
)
def test_a_hostile_server(home: Path, install: Install, header: dict[str, str], said: str) -> None:
    status = 302 if "Location" in header else 200
    with serving(b"x", header=header, status=status) as server:
        done = install("ndk", "r27c", "--from", server.url, "--accept-licence")
    assert done.returncode == 1
    assert said in done.stderr
    assert not (home / "Android").exists()


def test_a_length_of_5000_digits_is_none(
    ndk: tuple[Path, str], home: Path, install: Install
) -> None:
    file, digest = ndk
    with serving(file.read_bytes(), header={"Content-Length": "9" * 5000}) as server:
        done = install(
            *("ndk", "r27c", "--from", server.url), *("--accept-licence", "--sha256", digest)
        )
    assert done.returncode == 0, done.stderr


def test_a_server_that_sends_without_an_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(download_module, "MAX_BYTES", 1000)
    endless = serving(bytes(5000), header={"Content-Length": ""})
    with endless as server:
        for size in (0, 900):
            said = f"more than {size or 1000:,} bytes arrived"
            with pytest.raises(DownloadError, match=said):
                download(server.url, tmp_path / "x.zip", "x", lambda _: None, size)
    assert not (tmp_path / "x.zip").exists()

    with serving(bytes(900)) as server:
        download(server.url, tmp_path / "x.zip", "x", lambda _: None, 900)
        assert server.asked == [""]  # nothing is left of what was too much
    assert (tmp_path / "x.zip").stat().st_size == 900


def test_a_server_that_sends_little_in_each_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(download_module, "WAIT_SECONDS", 0)
    with serving(bytes(1 << 20), cuts=1000) as server:  # half of the rest in each answer
        with pytest.raises(DownloadError):
            download(server.url, tmp_path / "x.zip", "x", lambda _: None)
        assert len(server.asked) == 2 + download_module.TRIES


def test_a_stand_in_is_downloaded_again_after_a_wrong_one(
    ndk: tuple[Path, str], home: Path, install: Install
) -> None:
    file, digest = ndk
    options = ("--accept-licence", "--sha256", digest)
    with serving(b"no archive") as server:
        wrong = install("ndk", "r27c", "--from", server.url, *options)
    assert wrong.returncode == 1
    assert "It was removed. Repeat the command" in wrong.stderr
    with serving(file.read_bytes()) as server:
        again = install("ndk", "r27c", "--from", server.url, *options)
    assert again.returncode == 0, again.stderr
    assert (home / "Android/Sdk/ndk" / REVISION).is_dir()


@pytest.mark.parametrize(
    ("entries", "said"),
    [
        ([("../outside", "")], "not below one directory"),
        ([("/etc/x", "")], "not below one directory"),
        ([("sdk/link", "/etc/passwd")], "leads out of the archive"),
        ([("sdk/link", "../../x")], "leads out of the archive"),
        ([("sdk/link", "a\0b")], "cannot be unpacked"),
        ([("sdk/link", "../x")], "leads out of the archive"),
        ([("sdk/link", "../sdk/good")], "leads out of the archive"),
        ([("sdk/a/up", "../.."), ("sdk/out", "a/up/../x")], "leads out of the archive"),
        ([("sdk/out", "a/up/../x"), ("sdk/a/up", "../..")], "leads out of the archive"),
        (
            [
                ("sdk/a/out", "up/../../.."),
                ("sdk/a/up", "../.."),
                ("sdk/a/out/evil", ".27.2.12479018.new/sdk"),
            ],
            "leads out of the archive",
        ),
    ],
)
def test_a_hostile_archive_writes_nothing(
    home: Path, tmp_path: Path, install: Install, entries: list[tuple[str, str]], said: str
) -> None:
    file = tmp_path / "hostile.zip"
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("sdk/good", b"x")
        for name, link in entries:
            entry = zipfile.ZipInfo(name)
            entry.external_attr = ((stat.S_IFLNK if link else stat.S_IFREG) | 0o777) << 16
            archive.writestr(entry, link or "x")
    digest = hashlib.sha256(file.read_bytes()).hexdigest()
    done = install(
        *("ndk", "r27c", "--from", str(file)),
        *("--accept-licence", "--sha256", digest),
    )
    assert done.returncode == 1
    assert said in done.stderr
    assert [path for path in home.rglob("*") if path.is_file() or path.is_symlink()] == []
    assert not (tmp_path / "outside").exists()


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_other_compression_is_refused(
    home: Path, tmp_path: Path, install: Install, method: int
) -> None:
    file = tmp_path / "x.zip"
    with zipfile.ZipFile(file, "w", method) as archive:
        archive.writestr("sdk/x", "data")
    data = bytearray(file.read_bytes())
    data[39:45] = b"\xff" * 6  # the properties of LZMA, and what follows them
    file.write_bytes(data)
    digest = hashlib.sha256(data).hexdigest()
    done = install(
        *("ndk", "r27c", "--from", str(file)),
        *("--accept-licence", "--sha256", digest),
    )
    assert done.returncode == 1
    assert "not compressed by deflate" in done.stderr
    assert not (home / "Android").exists()


def test_a_file_that_is_no_archive(home: Path, tmp_path: Path, install: Install) -> None:
    file = tmp_path / "x.zip"
    file.write_bytes(b"PK no zip")
    digest = hashlib.sha256(file.read_bytes()).hexdigest()
    done = install(
        *("ndk", "r27c", "--from", str(file)),
        *("--accept-licence", "--sha256", digest),
    )
    assert done.returncode == 1
    assert "cannot be unpacked" in done.stderr
