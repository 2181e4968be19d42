"""How a wheel's package finds its libraries and skels, with libraries of the build machine.

A stand-in for libcdsprpc knows the arch of the DSP; tests/device has the emulated device.
"""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from buildtool.idl.emit.python import support_package
from buildtool.release.formats.entries import FormatError, Package, PackageEntry
from buildtool.release.formats.wheel import write

CDSPRPC = """
#include <stdint.h>
#include <stdlib.h>
int remote_handle_control(uint32_t request, uint32_t *data, uint32_t size)
{
    const char *arch = getenv("ARCH");
    if (arch == NULL || request != 2 || size != 12 || data[0] != 3 || data[1] != 6)
        return 0x14;
    data[2] = (uint32_t)strtoul(arch, NULL, 16);
    return 0;
}
"""
APP = """
#include <stdlib.h>
int part(void);
static const char *at_load, *override_at_load;
__attribute__((constructor)) static void look(void)
{
    at_load = getenv("ADSP_LIBRARY_PATH");
    override_at_load = getenv("DSP_LIBRARY_PATH");
}
const char *path_at_load(void) { return at_load; }
int overridden(void) { return override_at_load != NULL; }
int twice(void) { return 2 * part(); }
"""
SCRIPT = """
import ctypes, os, sys
from pathlib import Path
from _fastrpc import LibraryError, Loader

loader = Loader(
    Path(sys.argv[1]),
    cdsprpc=str(Path(sys.argv[1], "system/libcdsprpc.so.1")),
    archs=("v68", "v73", "v79"),
    libraries={"libapp.so": ("libpart.so.1",), "libpart.so.1": (), "libbroken.so": ()},
    interfaces={"app": "libapp.so"},
)
try:
    app = loader.load_interface("app")
    app.path_at_load.restype = ctypes.c_char_p
    print(app.twice(), app.overridden(), app.path_at_load().decode())
    print(loader.load_library("libapp.so") is app, loader.dsp_arch())
    loader.load_library(sys.argv[2])
except LibraryError as error:
    print(error)
"""


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A package, with a library that needs another one and has no RUNPATH."""
    root = tmp_path_factory.mktemp("package")
    for name, text in support_package().items():
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text(text)
    for name in ("lib", "system"):
        (root / name).mkdir()
    (root / "part.c").write_text("int part(void) { return 21; }\n")
    (root / "app.c").write_text(APP)
    (root / "cdsprpc.c").write_text(CDSPRPC)
    gcc = ["gcc", "-shared", "-fPIC"]
    part = ["part.c", "-Wl,-soname,libpart.so.1", "-o", "lib/libpart.so.1"]
    for arguments in (
        [*gcc, *part],
        [*gcc, "app.c", "lib/libpart.so.1", "-Wl,-soname,libapp.so", "-o", "lib/libapp.so"],
        [*gcc, "cdsprpc.c", "-o", "system/libcdsprpc.so.1"],
    ):
        subprocess.run(arguments, cwd=root, check=True)
    (root / "lib/libbroken.so").write_text("not a library")
    return root


def run(root: Path, library: str = "libpart.so.1", **variables: str) -> list[str]:
    inherited = {k: v for k, v in os.environ.items() if k != "LD_LIBRARY_PATH"}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, root, library],
        env={**inherited, "PYTHONPATH": str(root), **variables},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.splitlines()


@pytest.mark.parametrize(
    ("device", "arch"), [("8d73", "v73"), ("75", "v73"), ("81", "v79"), ("68", "v68")]
)
def test_the_search_path_is_set_before_the_library_is_opened(
    root: Path, device: str, arch: str
) -> None:
    lines = run(root, ARCH=device, DSP_LIBRARY_PATH="/other")
    assert lines == [f"42 0 {root}/dsp/{arch}", f"True {arch}"]


def test_the_users_directories_come_after_the_packages(root: Path) -> None:
    lines = run(root, BUILDTOOL_DSP_ARCH="v68", ADSP_LIBRARY_PATH="/mine;/theirs")
    assert lines == [f"42 0 {root}/dsp/v68;/mine;/theirs", "True v68"]


@pytest.mark.parametrize(
    ("variables", "error"),
    [
        ({"ARCH": "66"}, "the DSP is v66; this package has skels for v68, v73, v79"),
        (
            {"BUILDTOOL_DSP_ARCH": "v75"},
            "BUILDTOOL_DSP_ARCH is 'v75'; this package has skels for v68, v73, v79",
        ),
        (
            {},
            "the DSP arch of this device is unknown: remote_handle_control returned 0x14; set"
            " BUILDTOOL_DSP_ARCH to one of: v68, v73, v79",
        ),
        (
            {"ARCH": "0"},
            "the DSP arch of this device is unknown: remote_handle_control returned 0x0",
        ),
    ],
)
def test_an_arch_without_skels_is_an_error(
    root: Path, variables: dict[str, str], error: str
) -> None:
    (line,) = run(root, **variables)
    assert line.startswith(error)


def test_a_library_that_cannot_be_loaded_is_named(root: Path) -> None:
    *_, line = run(root, "libbroken.so", ARCH="68")
    assert line.startswith("libbroken.so cannot be loaded: ")
    *_, line = run(root, "libother.so", ARCH="68")
    assert line == (
        "this package has no library libother.so; it has libapp.so, libpart.so.1, libbroken.so"
    )


def test_a_directory_with_a_semicolon_is_an_error(root: Path, tmp_path: Path) -> None:
    moved = tmp_path / "c;d"
    moved.mkdir()
    for name in ("lib", "system", "_fastrpc"):
        (moved / name).symlink_to(root / name)
    (line,) = run(moved, ARCH="68")
    assert line.startswith(f"the DSP finds no skels in {moved}/dsp/v68: ';' separates")


def init_of(root: Path, *libraries: str) -> str:
    """The text of `__init__.py` in a wheel of these libraries."""
    entries = tuple(PackageEntry(f"lib/{name}", 0o644, root / "lib" / name) for name in libraries)
    package = Package("calc", "1.0", "sim", "ubuntu-aarch64", "2.35", 31, 1_700_000_000, entries)
    write(package, root / "wheel.whl")
    return zipfile.ZipFile(root / "wheel.whl").read("calc/__init__.py").decode()


def test_libraries_are_loaded_after_those_that_they_need(root: Path) -> None:
    gcc = ["gcc", "-shared", "-fPIC", "part.c", "-Wl,--no-as-needed"]
    needs = ["lib/libapp.so", "lib/libpart.so.1", "-o", "lib/libtop.so"]
    subprocess.run([*gcc, *needs], cwd=root, check=True)
    text = init_of(root, "libapp.so", "libpart.so.1", "libtop.so")
    assert "'libapp.so': ('libpart.so.1',), 'libpart.so.1': ()," in text
    assert "'libtop.so': ('libpart.so.1', 'libapp.so')}" in text


def test_a_needed_library_without_a_soname_is_refused(root: Path) -> None:
    gcc = ["gcc", "-shared", "-fPIC"]
    subprocess.run([*gcc, "part.c", "-o", "lib/libbare.so"], cwd=root, check=True)
    needing = [*gcc, "app.c", "-Llib", "-lbare", "-o", "lib/libneeding.so"]
    subprocess.run(needing, cwd=root, check=True)
    with pytest.raises(FormatError, match=r"^libneeding.so needs libbare.so, which has no SONAME"):
        init_of(root, "libbare.so", "libneeding.so")
    subprocess.run([*needing, "-Wl,-rpath,$ORIGIN"], cwd=root, check=True)
    assert "'libneeding.so': ('libbare.so',)" in init_of(root, "libbare.so", "libneeding.so")


def test_the_libcdsprpc_is_the_one_that_the_libraries_need(root: Path) -> None:
    assert "cdsprpc='libcdsprpc.so.1'" in init_of(root, "libpart.so.1")
    gcc = ["gcc", "-shared", "-fPIC", "-Wl,-soname,libcdsprpc.so.9"]
    subprocess.run([*gcc, "cdsprpc.c", "-o", "libcdsprpc.so"], cwd=root, check=True)
    linked = ["-Wl,--no-as-needed", "libcdsprpc.so", "-o", "lib/libcaller.so"]
    subprocess.run(["gcc", "-shared", "-fPIC", "part.c", *linked], cwd=root, check=True)
    assert "cdsprpc='libcdsprpc.so.9'" in init_of(root, "libcaller.so")
