"""A build with a cache that was unpacked from an archive uses the C library that zig compiled."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from tests.caches import share
from tests.project import Project

FILES = {
    "buildtool.toml": '[project]\nname = "unpacked"\n[host.app]\nsource = "app"\n'
    '[target.sim]\nplatform = "ubuntu-aarch64"\n',
    "app/CMakeLists.txt": "cmake_minimum_required(VERSION 3.25)\nproject(app C)\n"
    "add_executable(app app.c)\ninstall(TARGETS app)\n",
    "app/app.c": "int main(void) { return 0; }\n",
}


def unpack(library: Path) -> None:
    """Give zig's library, and its sources of glibc, inodes and times as from a zip archive."""
    packed = library.rename(library.with_name("packed"))
    library.mkdir()
    for path in packed.iterdir():
        path.rename(library / path.name)
    for path in [*(library / "libc" / "glibc").rglob("*")]:
        if path.is_file():
            time = int(path.stat().st_mtime)
            fresh = Path(shutil.copy(path, packed / "fresh"))
            os.utime(fresh, (time, time))
            fresh.replace(path)


@pytest.mark.long  # compiles a C library; a fault here would cost time only
def test_zig_compiles_no_library_again(tmp_path: Path) -> None:
    project = Project(tmp_path / "a project", share(tmp_path / "cache", []))
    project.lay_out(FILES)
    assert project.build() == {"host/app": "built"}
    (made,) = project.cache.glob("zig/o/*/crt1.o")
    before = made.stat()
    (library,) = project.cache.glob("toolchains/zig-*/lib")

    unpack(library)
    project.edit("app/app.c", "return 0", "return 1")

    assert project.build() == {"host/app": "built"}
    assert list(project.cache.glob("zig/o/*/crt1.o")) == [made]
    after = made.stat()
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
