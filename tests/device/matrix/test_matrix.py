"""Every profile with every kind of component is built and run, or is refused with a reason.

The values of the tables are the expected results: "runs" means that `buildtool run sim` prints 42;
"qemu" that the program is built and prints 42 under qemu-aarch64 with the platform's libraries;
"builds" that it is only built; any other text is part of the error.
"""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from buildtool.sdk.qemu import CROSS_LIBRARIES
from tests.command_line import Buildtool

SOURCES = Path(__file__).parent
NATIVE = "runs" if platform.machine() == "aarch64" else "works on ARM64 machines only"
HOST = {
    ("zig", "c"): "runs",
    ("zig", "cxx"): "runs",
    ("zig", "shared"): "runs",
    ("gcc", "c"): "runs",
    ("gcc", "cxx"): "runs",
    ("gcc", "shared"): "runs",
    ("clang", "c"): "runs",
    ("clang", "cxx"): "runs",
    ("clang", "shared"): "runs",
    ("native", "c"): NATIVE,
    ("native", "cxx"): NATIVE,
    ("native", "shared"): NATIVE,
}
SHORT = {("zig", "shared"), ("native", "cxx")}
"""The cells that are in the short suite, too."""
LLVM = {
    "c": "runs",
    "cxx": "runs",
    "full": 'dsp-toolchain = "sdk"',
    "shared": "runs",
}
C, CXX = (pytest.param(kind, marks=pytest.mark.long) for kind in ("c", "cxx"))
"""The kind `shared` has a C program or skel, too, and `full` a C++ one."""
SDK = {"c": "runs", "cxx": "runs", "full": "builds", "shared": "runs"}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "the matrix"
    shutil.copytree(SOURCES, root)
    return root


def write(root: Path, host: str, skel: str, target: str) -> None:
    """Write the project file for one host component, optionally one skel, and one target."""
    tables = ['[project]\nname = "matrix"', f'[host.{host}]\nsource = "{host}"']
    if skel:
        tables.append(f'[skel.{skel}]\nsource = "{skel}"\nidl = "answer.idl"')
    tables.append(f"[target.sim]\n{target}")
    (root / "buildtool.toml").write_text("\n".join(tables))


@pytest.mark.parametrize(
    ("toolchain", "kind"),
    [pytest.param(*cell, marks=() if cell in SHORT else pytest.mark.long) for cell in HOST],
)
def test_ubuntu(toolchain: str, kind: str, root: Path, buildtool: Buildtool) -> None:
    write(root, kind, "", f'platform = "ubuntu-aarch64"\ntoolchain = "{toolchain}"')

    expect(HOST[toolchain, kind], root, buildtool)


@pytest.mark.usefixtures("earlier_builds")  # of the caller
@pytest.mark.parametrize("kind", [C, CXX, pytest.param("full", marks=pytest.mark.long), "shared"])
def test_hexagon_llvm(kind: str, root: Path, buildtool: Buildtool) -> None:
    write(
        root,
        "caller",
        f"skel_{kind}",
        'platform = "ubuntu-aarch64"\ndsp-toolchain = "llvm"\narchs = ["v68"]',
    )

    expect(LLVM[kind], root, buildtool)


@pytest.mark.usefixtures("earlier_builds")
@pytest.mark.parametrize(
    "kind",
    [
        C,
        CXX,
        pytest.param("full", marks=pytest.mark.long),
        pytest.param("shared", marks=pytest.mark.long),
    ],
)
@pytest.mark.parametrize(
    "version",
    [
        "6.4.0.2",
        pytest.param("5.5.0.1", marks=pytest.mark.long),
        pytest.param("6.6.0.0", marks=pytest.mark.long),
    ],
)
def test_hexagon_sdk_stand_in(
    *,
    kind: str,
    version: str,
    root: Path,
    buildtool: Buildtool,
    stand_in_sdk: Callable[..., Path],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HEXAGON_SDK_ROOT", str(stand_in_sdk(version)))
    write(
        root,
        "caller",
        f"skel_{kind}",
        'platform = "ubuntu-aarch64"\ndsp-toolchain = "sdk"\narchs = ["v68"]',
    )

    expect(SDK[kind], root, buildtool)
    if kind == "full":
        shipped = {file.name for file in (root / ".buildtool/release/sim/dsp/v68").iterdir()}
        assert shipped == {"libanswer_skel.so", "libc++.so.1", "libc++abi.so.1"}


@pytest.mark.parametrize("kind", [C, "cxx", pytest.param("shared", marks=pytest.mark.long)])
@pytest.mark.parametrize(
    "release",
    [
        pytest.param("r27", marks=pytest.mark.long),
        pytest.param("r26", marks=pytest.mark.long),
        pytest.param("r28", marks=pytest.mark.long),
    ],
)
def test_android_ndk_stand_in(
    *,
    kind: str,
    release: str,
    root: Path,
    buildtool: Buildtool,
    stand_in_ndk: Callable[..., Path],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("ANDROID_NDK_ROOT", str(stand_in_ndk(release)))
    write(root, kind, "", 'platform = "android"\napi = 31')

    expect("qemu", root, buildtool)


def expect(cell: str, root: Path, buildtool: Buildtool) -> None:
    if cell == "runs":
        done = buildtool("run", "sim", "--", "bin/answer", cwd=root)
        assert (done.returncode, done.stdout) == (0, "42\n"), done.stderr
        return
    done = buildtool("build", "sim", "--json", cwd=root)
    if cell not in ("builds", "qemu"):
        assert done.returncode != 0
        error = json.loads(done.stdout)["error"]
        assert cell in " ".join(map(str, error.values()))
        return
    assert done.returncode == 0, done.stderr
    if cell == "qemu":
        release = root / ".buildtool/release/sim"
        ran = subprocess.run(
            ["qemu-aarch64", "-L", CROSS_LIBRARIES.parent, release / "bin" / "answer"],
            env={**os.environ, "LD_LIBRARY_PATH": str(release / "lib")},
            capture_output=True,
            text=True,
            check=False,
        )
        assert (ran.returncode, ran.stdout) == (0, "42\n"), ran.stderr
