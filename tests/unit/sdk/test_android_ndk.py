"""Finding an Android NDK and its faults, on small hand-made directories."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from buildtool.project.model import Tool
from buildtool.sdk import android_ndk, program
from buildtool.sdk.android_ndk import VARIABLES, AndroidNdk, ApiError, find_android_ndk
from buildtool.sdk.tool_search import ToolMissingError, ToolUnfitError

R27 = "27.2.12479018"
LLVM = "toolchains/llvm/prebuilt/linux-x86_64"
PLATFORMS = {"min": 21, "max": 35, "aliases": {"20": 19, "25": 24, "S": 31}}


@pytest.fixture(autouse=True)
def _no_ndk(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for variable in (*VARIABLES, *android_ndk.SDK_VARIABLES):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setattr(android_ndk, "OPT", tmp_path / "opt")
    monkeypatch.setattr(android_ndk, "USR_LIB", tmp_path / "usr-lib")


def write(file: Path, text: str, *, mode: int = 0o644) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    file.chmod(mode)


def make(root: Path, revision: str = R27) -> Path:
    """The files of an NDK that are checked, without a compiler."""
    write(root / "source.properties", f"Pkg.Desc = Android NDK\nPkg.Revision = {revision}\n")
    write(root / "meta/platforms.json", json.dumps(PLATFORMS))
    write(root / "build/cmake/android.toolchain.cmake", "# the NDK's\n")
    write(root / LLVM / "AndroidVersion.txt", "18.0.2\nbased on r522817b\n")
    for name in ("clang", "clang++", "ld.lld", "llvm-ar"):
        write(root / LLVM / "bin" / name, "#!/bin/sh\n", mode=0o755)
    write(root / LLVM / "sysroot/usr/include/stdio.h", "")
    write(root / LLVM / "sysroot/usr/lib/aarch64-linux-android/31/libc.so", "")
    return root


def found_at(root: Path) -> AndroidNdk:
    return find_android_ndk(Tool(path=str(root)))


def texts(ndk: AndroidNdk) -> str:
    return "\n".join(problem.text for problem in ndk.problems)


@pytest.mark.parametrize(
    ("revision", "major"),
    [("25.2.9519653", 25), (R27, 27), ("28.0.12433566-beta1", 28), ("29.0.14206865", 29)],
)
def test_the_version_of_an_ndk(revision: str, major: int, tmp_path: Path) -> None:
    ndk = found_at(make(tmp_path / "ndk", revision))

    assert (ndk.version, ndk.major, ndk.clang) == (revision, major, "18.0.2")
    assert (ndk.lowest, ndk.highest) == (21, 35)
    assert ndk.problems == ()
    assert ndk.programs == tmp_path / "ndk" / LLVM / "bin"


def test_the_variables_decide_in_their_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    configured = make(tmp_path / "configured", "26.1.1")
    assert find_android_ndk(Tool(path=str(configured))).version == "26.1.1"
    for number, variable in enumerate(reversed(VARIABLES), 27):
        monkeypatch.setenv(variable, str(make(tmp_path / variable, f"{number}.0.1")))
        assert find_android_ndk(Tool(path=str(configured))).version == f"{number}.0.1"


@pytest.mark.parametrize("variable", VARIABLES)
def test_a_variable_that_names_no_ndk_is_an_error(
    variable: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make(tmp_path / "home/Android/Sdk/ndk" / R27)
    monkeypatch.setenv(variable, str(tmp_path / "gone"))

    with pytest.raises(ToolMissingError, match=f"{variable} names .*gone"):
        find_android_ndk()


def test_an_sdk_variable_that_names_nothing_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make(tmp_path / "home/Android/Sdk/ndk" / R27)
    monkeypatch.setenv("ANDROID_HOME", str(tmp_path / "gone"))

    with pytest.raises(
        ToolMissingError, match=r"ANDROID_HOME names .*gone, but there is no Android SDK"
    ):
        find_android_ndk()
    monkeypatch.setenv("ANDROID_NDK_ROOT", str(make(tmp_path / "ndk", "26.0.1")))
    assert find_android_ndk().version == "26.0.1"


@pytest.mark.parametrize(
    "place",
    [
        "sdk/ndk/27.2.12479018",
        "sdk/ndk-bundle",
        "home/Android/Sdk/ndk/x",
        "home/android-ndk-r27c",
        "opt/android-ndk-r27c",
        "usr-lib/android-ndk",
        "usr-lib/android-sdk/ndk/27",
    ],
)
def test_the_usual_places(place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "sdk").mkdir()
    monkeypatch.setenv("ANDROID_HOME", str(tmp_path / "sdk"))

    make(tmp_path / place)

    assert find_android_ndk(Tool(version=R27)).where == tmp_path / place


@pytest.mark.parametrize(
    ("wanted", "taken"),
    [("", "28.0.12433566-beta1"), ("27", R27), ("r27", R27), (">=r26", "28.0.12433566-beta1")],
)
def test_of_several_the_newest_fitting_one(wanted: str, taken: str, tmp_path: Path) -> None:
    for version in ("26.1.10909125", R27, "28.0.12433566-beta1", "9.9.9"):
        make(tmp_path / "home/Android/Sdk/ndk" / version, version)

    assert find_android_ndk(Tool(version=wanted)).version == taken


def test_a_version_that_is_not_there(tmp_path: Path) -> None:
    make(tmp_path / "home/Android/Sdk/ndk" / R27)

    with pytest.raises(ToolUnfitError, match=r"'r26'.*not found") as caught:
        find_android_ndk(Tool(version="r26"))
    assert R27 in caught.value.why
    assert "sdkmanager" in caught.value.remedy


def test_where_it_was_looked_for(tmp_path: Path) -> None:
    with pytest.raises(ToolMissingError, match="the Android NDK was not found") as caught:
        find_android_ndk(Tool())
    for place in ("$ANDROID_NDK_ROOT (not set)", "home/Android/Sdk/ndk/*", "home/android-ndk-r*"):
        assert place in caught.value.why
    assert "ANDROID_NDK_ROOT" in caught.value.remedy


def test_an_ndk_older_than_r25_is_a_problem(tmp_path: Path) -> None:
    assert "older than r25" in texts(found_at(make(tmp_path, "23.1.7779620")))


def test_programs_unpacked_without_modes_or_links(tmp_path: Path) -> None:
    (make(tmp_path) / LLVM / "bin/clang").chmod(0o644)
    (tmp_path / LLVM / "bin/ld.lld").unlink()
    write(tmp_path / LLVM / "bin/clang++", "clang", mode=0o755)

    ndk = found_at(tmp_path)

    assert "bin/clang is not executable" in texts(ndk)
    assert "bin/ld.lld is missing" in texts(ndk)
    assert "bin/clang++ is not a program" in texts(ndk)
    assert all("unzip" in problem.remedy for problem in ndk.problems)


@pytest.mark.parametrize(("here", "emulated"), [("x86_64", False), ("aarch64", True)])
def test_programs_for_x86_64_run_there_or_emulated(
    here: str, emulated: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clang = make(tmp_path / "ndk") / LLVM / "bin/clang"
    clang.write_bytes(b"\x7fELF\x02\x01\x01".ljust(18, b"\0") + b"\x3e\0")
    monkeypatch.setattr(program, "BINFMT", tmp_path / "binfmt")
    if emulated:
        write(tmp_path / "binfmt/qemu-x86_64", "enabled\n")
    monkeypatch.setattr("platform.machine", lambda: here)

    assert found_at(tmp_path / "ndk").problems == ()


def test_programs_for_x86_64_on_an_aarch64_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clang = make(tmp_path / "ndk") / LLVM / "bin/clang"
    clang.write_bytes(b"\x7fELF\x02\x01\x01".ljust(18, b"\0") + b"\x3e\0")
    monkeypatch.setattr(program, "BINFMT", tmp_path / "binfmt")
    monkeypatch.setattr("platform.machine", lambda: "aarch64")

    (problem,) = found_at(tmp_path / "ndk").problems

    assert "clang is built for x86_64, but this machine is aarch64" in problem.text
    assert "x86-64 Linux only" in problem.remedy


def test_no_sysroot_and_no_toolchain_file(tmp_path: Path) -> None:
    sysroot = make(tmp_path) / LLVM / "sysroot/usr/lib"
    sysroot.rename(sysroot.with_name("library"))
    (tmp_path / "build/cmake/android.toolchain.cmake").unlink()

    messages = texts(found_at(tmp_path))

    assert "no ARM64 sysroot" in messages
    assert "android.toolchain.cmake is missing" in messages


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"Pkg.Desc = Android NDK\n",
        b"Pkg.Revision = \n",
        b"Pkg.Revision = ../..\n",
        b"\xff\xfe\0\0" * 100,
        b"Pkg.Revision = " + b"1" * 5000,
        b"x" * (4 << 20),
    ],
)
def test_a_revision_that_cannot_be_read(data: bytes, tmp_path: Path) -> None:
    (make(tmp_path) / "source.properties").write_bytes(data)

    ndk = found_at(tmp_path)

    assert (ndk.version, ndk.major) == ("", 0)
    assert "has no Pkg.Revision" in texts(ndk)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"[]",
        b"null",
        b'{"min": 21}',
        b'{"min": "21", "max": 35}',
        b'{"min": true, "max": 35}',
        b'{"min": 21, "max": 1e999}',
        b'{"min": 21, "max": ' + b"9" * 5000 + b"}",
        b'{"min": 21, "max": -1, "aliases": []}',
        b'{"min": 21, "max": 35, "aliases": [1]}',
        b'{"aliases":' * 100_000,
        b"[" * 100_000,
        b"\xff\xfe",
        b" " * (4 << 20) + b"{}",
    ],
)
def test_platforms_that_cannot_be_read(data: bytes, tmp_path: Path) -> None:
    (make(tmp_path) / "meta/platforms.json").write_bytes(data)

    assert "has no API levels" in texts(found_at(tmp_path))


def test_a_pipe_in_place_of_a_file_does_not_hang(tmp_path: Path) -> None:
    make(tmp_path)
    for name in ("source.properties", "meta/platforms.json", f"{LLVM}/bin/clang"):
        (tmp_path / name).unlink()
        os.mkfifo(tmp_path / name)

    assert "bin/clang is missing" in texts(found_at(tmp_path))


def test_an_unreadable_ndk_is_reported_and_does_not_hide_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed = make(tmp_path / "home/android-ndk-r29", "29.0.1")
    is_file = Path.is_file

    def refuse(path: Path) -> bool:
        if path.is_relative_to(closed):
            raise PermissionError(13, "Permission denied", str(path))
        return is_file(path)

    monkeypatch.setattr(Path, "is_file", refuse)

    assert "cannot be read: Permission denied" in texts(found_at(closed))
    make(tmp_path / "home/android-ndk-r27")
    assert find_android_ndk().version == R27


def test_api_levels(tmp_path: Path) -> None:
    ndk = found_at(make(tmp_path))
    assert [ndk.api(level) for level in (21, 24, 25, 31, 35)] == [21, 24, 24, 31, 35]
    for level in (-1, 0, 19, 20, 36, 10**30):
        with pytest.raises(ApiError, match=f"cannot build for Android API {level}") as caught:
            ndk.api(level)
        assert "21 to 35" in caught.value.why


def test_arm64_begins_at_21_regardless_of_other_abis(tmp_path: Path) -> None:
    write(make(tmp_path) / "meta/platforms.json", '{"min": 19, "max": 33}')
    assert found_at(tmp_path).lowest == 21


def test_identity_is_content(tmp_path: Path) -> None:
    first = make(tmp_path / "first")
    identity = found_at(first).identity
    assert found_at(make(tmp_path / "second")).identity == identity
    clang = first / LLVM / "bin/clang"
    os.utime(clang, (1, 1))
    assert found_at(first).identity == identity
    clang.write_text("#!/bin/sh\n#\n")
    assert found_at(first).identity != identity
    clang.write_text("#!/bin/sh\n")
    assert found_at(first).identity == identity
    (first / "build/cmake/flags.cmake").write_text("")
    assert found_at(first).identity != identity
