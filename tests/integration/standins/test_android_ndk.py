"""The stand-in NDK behaves as the tests of the Android profile require."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from buildtool.core.elf.file import EM_AARCH64
from buildtool.core.elf.read import read_elf
from tests.standins.android_ndk import RELEASES
from tests.standins.fixtures import MakeNdk

pytestmark = pytest.mark.long

BIN = "toolchains/llvm/prebuilt/linux-x86_64/bin"
SOURCE = "#include <android/log.h>\nint level(void) { return __ANDROID_API__; }\n"


def clang(ndk: Path, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [ndk / BIN / "clang", *arguments], capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize(("release", "page"), [("r26", 0x1000), ("r27", 0x1000), ("r28", 0x4000)])
def test_clang_of_a_stand_in_ndk_links_with_its_page_size(
    release: str, page: int, stand_in_ndk: MakeNdk, tmp_path: Path
) -> None:
    (tmp_path / "a.c").write_text(SOURCE)
    out = tmp_path / "liba.so"

    done = clang(
        stand_in_ndk(release),
        *("--target=aarch64-none-linux-android31", "-shared", tmp_path / "a.c", "-o", out),
    )

    assert done.returncode == 0, done.stderr
    elf = read_elf(out)
    assert (elf.machine, set(elf.load_alignments)) == (EM_AARCH64, {page})


def test_clang_of_a_stand_in_ndk_refuses_an_api_level_it_lacks(
    stand_in_ndk: MakeNdk, tmp_path: Path
) -> None:
    (tmp_path / "a.c").write_text(SOURCE)

    done = clang(
        stand_in_ndk("r25"),
        *("--target=aarch64-none-linux-android35", "-shared", tmp_path / "a.c"),
    )

    assert done.returncode == 1
    assert "API level 35" in done.stderr


@pytest.mark.parametrize("release", RELEASES)
def test_a_stand_in_ndk_has_a_version(release: str, stand_in_ndk: MakeNdk) -> None:
    ndk = stand_in_ndk(release)

    assert f"clang version {RELEASES[release].clang} " in clang(ndk, "--version").stdout
    text = (ndk / "source.properties").read_text()
    assert f"Pkg.Revision = {RELEASES[release].revision}\n" in text
