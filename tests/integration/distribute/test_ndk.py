"""The NDK's clang on other machines; a stand-in has Debian's clang in the place of the NDK's."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from buildtool.drivers.cmake.compiler_launcher import find_compiler_launcher
from buildtool.toolchains.arm64 import android
from buildtool.toolchains.distribute.launcher_scripts import archive, remote_compiler
from tests.integration.distribute.daemons import FARMS
from tests.standins.android_ndk import make_ndk


@pytest.mark.long
@pytest.mark.parametrize("engine", ["distcc", "icecc"])
def test_hosts_compile_with_a_stand_in_of_the_ndk_to_the_same_object(
    engine: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ndk = make_ndk(tmp_path / "ndk")
    clang = next(ndk.glob("toolchains/llvm/prebuilt/*/bin/clang-*"))
    monkeypatch.setenv("ANDROID_NDK_ROOT", str(ndk))
    profile = android(31)
    clang.unlink()
    shutil.copy("/usr/bin/clang", clang)
    work = tmp_path / "work"
    work.mkdir()
    source = work / "a.c"
    source.write_text("#define TWO(x) ((x) + (x))\nint two(int x) { return TWO(x); }\n")
    words = [*profile.compiler.c, "-O2", "-g", f"-ffile-prefix-map={work}=."]
    words += ["-MD", "-MF", "a.d", "-c", str(source), "-o"]
    subprocess.run([*words, "here.o"], cwd=work, check=True)

    with FARMS[engine](tmp_path / "farm", 1) as farm:
        if engine == "distcc":
            install(ndk, farm.hosts["10.9.0.2"].command("tar", "-C", "/", "-x"))
        farm.serve([archive(remote_compiler(profile), engine)])
        launcher = find_compiler_launcher(engine, tmp_path)
        entries = launcher.cache_entries(profile, tmp_path / "launcher")
        call = [*farm.prefix(), entries["CMAKE_C_COMPILER_LAUNCHER"], *words, "there.o"]
        subprocess.run(call, cwd=work, env={**os.environ, **farm.variables}, check=True)
        assert farm.compiled() == {"10.9.0.2": 1}

    assert (work / "there.o").read_bytes() == (work / "here.o").read_bytes()


def install(directory: Path, unpack: Sequence[str]) -> None:
    """Copy `directory` to a host, at the same path."""
    with subprocess.Popen(["tar", "-C", "/", "-c", directory], stdout=subprocess.PIPE) as packed:
        subprocess.run(unpack, stdin=packed.stdout, check=True)
