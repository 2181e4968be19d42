"""A project of prebuilt files alone, on sim and over real ssh: another build made the files.

gcc and zig make them here, once: a C++ library that needs libstdc++.so.6, a program, and a skel for
two archs.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from buildtool.core.elf.read import read_elf
from buildtool.idl.compile import compile_idl
from buildtool.toolchains.cdsprpc import system_cdsprpc, write_stub
from tests.device.devices.emulated_board import emulated_board
from tests.device.fastrpc.toolbox import HEADERS, SKEL_HEADERS, zig
from tests.project import Project

pytestmark = pytest.mark.long

IDL = """\
#include "AEEStdDef.idl"
#include "remote.idl"
interface vend : remote_handle64 { AEEResult twice(in long n, rout long result); };
"""
SKEL = """\
#include "vend.h"
int vend_open(const char *uri, remote_handle64 *handle) { *handle = 1; return 0; }
int vend_close(remote_handle64 handle) { return 0; }
int vend_twice(remote_handle64 handle, int n, int *result) {
    *result = 2 * n;
    return 0;
}
"""
LIBRARY = """\
#include <stdexcept>
#include <string>
extern "C" {
#include "vend.h"
#include "remote.h"
}
extern "C" int vendor_twice(int n)
{
    struct remote_rpc_control_unsigned_module module = {CDSP_DOMAIN_ID, 1};
    remote_handle64 handle;
    int result = 0;
    try {
        if (remote_session_control(DSPRPC_CONTROL_UNSIGNED_MODULE, &module, sizeof module) ||
            vend_open((std::string(vend_URI) + CDSP_DOMAIN).c_str(), &handle))
            throw std::runtime_error("no session");
        if (vend_twice(handle, n, &result))
            throw std::runtime_error("no result");
        vend_close(handle);
    } catch (const std::exception &) {
        return -1;
    }
    return result;
}
"""
PROGRAM = """\
#include <stdio.h>
int vendor_twice(int n);
int main(void) { return printf("twice 21 is %d\\n", vendor_twice(21)) < 0; }
"""
TEXT = """\
[project]
name = "vendor"

[host.vendor]
files = ["prebuilt/lib/*.so*", "prebuilt/bin/*"]

[skel.vendor-dsp]
files = ["prebuilt/htp-{arch}/*.so"]

[target.sim]
platform = "ubuntu-aarch64"
glibc = "2.36"
archs = ["v68", "v73"]

[run.twice]
program = "bin/twice"
"""
DEVICE = """
[device.board]
transport = "ssh"
address = "{host}"
root = "{root}"
"""
STEPS = ("host/vendor", "skel/vendor-dsp/v68", "skel/vendor-dsp/v73")


def gcc(language: str, *arguments: str | Path) -> None:
    subprocess.run([f"aarch64-linux-gnu-{language}", *arguments], check=True)


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """The project, without anything that its files were made of."""
    work = tmp_path_factory.mktemp("elsewhere")
    made = {"vend.idl": IDL, "skel.c": SKEL, "library.cpp": LIBRARY, "program.c": PROGRAM}
    for name, text in made.items():
        (work / name).write_text(text)
    compile_idl(work / "vend.idl", out_dir=work)
    stub = write_stub(system_cdsprpc("ubuntu-aarch64"), work / "cdsprpc") / "lib"

    project = Project(tmp_path_factory.mktemp("prebuilt") / "vendor")
    project.write("buildtool.toml", TEXT)
    files = project.root / "prebuilt"
    for folder in ("lib", "bin", "htp-v68", "htp-v73"):
        (files / folder).mkdir(parents=True)
    includes = [*HEADERS, f"-I{work}"]
    gcc("gcc", "-c", "-fPIC", *includes, work / "vend_stub.c", "-o", work / "stub.o")
    gcc(
        "g++",
        *("-shared", "-fPIC", "-g", "-Wl,-soname,libvendor.so.1", *includes),
        *(work / "library.cpp", work / "stub.o", f"-L{stub}", "-lcdsprpc"),
        *("-o", files / "lib/libvendor.so.1"),
    )
    (files / "lib/libvendor.so").symlink_to("libvendor.so.1")
    links = [f"-L{files}/lib", "-lvendor", "-Wl,--allow-shlib-undefined"]
    gcc("gcc", work / "program.c", *links, "-o", files / "bin/twice")
    for arch in ("v68", "v73"):
        zig(
            *("-target", "hexagon-linux-musl"),
            f"-mcpu=hexagon{arch}+hvx_length128b+hvx{arch}+hvx_qfloat",
            *("-O2", "-fPIC", "-shared", "-nostdlib"),
            *includes,
            *SKEL_HEADERS,
            *(work / "skel.c", work / "vend_skel.c"),
            *("-Wl,-Bsymbolic", "-Wl,--hash-style=sysv", "-Wl,-z,max-page-size=4096"),
            *("-Wl,-soname,libvend_skel.so", "-o", files / f"htp-{arch}/libvend_skel.so"),
        )
    shutil.rmtree(work)
    return project


def test_prebuilt_files_are_built_inspected_packaged_run_and_pushed(
    project: Project, tmp_path: Path
) -> None:
    assert "libstdc++.so.6" in read_elf(project.root / "prebuilt/lib/libvendor.so.1").needed
    assert project.build() == dict.fromkeys(STEPS, "built")
    assert project.build() == dict.fromkeys(STEPS, "up-to-date")
    shipped = {
        *("bin/twice", "lib/libvendor.so", "lib/libvendor.so.1", "run.sh"),
        *("dsp/v68/libvend_skel.so", "dsp/v73/libvend_skel.so"),
    }
    assert set(project.release_files()) == shipped

    inspected = project.succeeds("inspect", str(project.release() / "bin/twice"))
    assert f"libvendor.so.1: {project.release()}/lib/libvendor.so.1, 1 symbol\n" in inspected
    library = project.succeeds("inspect", str(project.release() / "lib/libvendor.so.1"))
    assert "libstdc++.so.6: device, " in library
    assert "libcdsprpc.so.1: device, " in library
    project.succeeds("inspect", str(project.release()))

    archive = tmp_path / "dist"
    project.succeeds("package", "--output", str(archive))
    (made,) = archive.glob("*.tar.zst")
    assert "1 release" in project.succeeds("inspect", str(made))

    assert project.succeeds("run", "sim", "twice") == "twice 21 is 42\n"
    assert project.succeeds("run", "sim", "--soc", "QCS9075", "twice") == "twice 21 is 42\n"

    with emulated_board(tmp_path) as server:
        project.variables = server.client.environment
        root = server.device.home / "root"
        (project.root / "devices.toml").write_text(
            DEVICE.format(host=server.client.host, root=root)
        )
        assert project.succeeds("run", "board", "twice") == "twice 21 is 42\n"
        pushed = json.loads(project.succeeds("deploy", "board", "--json"))
        assert (pushed["files"], pushed["arch"]) == (0, "v68")
