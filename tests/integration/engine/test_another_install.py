"""Another installation of buildtool continues with the build trees of the first one."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import tempfile
import venv
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from buildtool.core.trees import SHARED_COPIES, shared_copy
from buildtool.sdk.packaged_tools import find_zig, usable_zig
from tests.command_line import REPOSITORY, Buildtool, Edit

LISTS = """\
cmake_minimum_required(VERSION 3.22)
project(app C)
add_executable(app a.c b.c)
install(TARGETS app)
"""
PROJECT = """\
[project]
name = "demo"
[host.app]
source = "app"
[target.sim]
platform = "ubuntu-aarch64"
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "a project"
    (root / "app").mkdir(parents=True)
    (root / "buildtool.toml").write_text(PROJECT)
    (root / "app/CMakeLists.txt").write_text(LISTS)
    (root / "app/a.c").write_text(
        "#include <stdio.h>\nint b(void);\nint main(void) { return b(); }"
    )
    (root / "app/b.c").write_text("#include <stdlib.h>\nint b(void) { return 0; }\n")
    return root


@pytest.fixture
def own_toolchains() -> Path:
    """The toolchain directory of a cache, which does not exist yet."""
    directory = Path(os.environ["BUILDTOOL_CACHE"], SHARED_COPIES)
    if find_zig().where.stat().st_dev != directory.parent.stat().st_dev:
        pytest.skip("no hard links between the file systems of zig and of the cache")
    directory.unlink()
    return directory


@pytest.fixture
def other(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Runs another installation: buildtool as from a wheel, and a copy of the same zig."""
    venv.create(tmp_path / "other", with_pip=False)
    (packages,) = (tmp_path / "other").glob("lib/python*/site-packages")
    spec = importlib.util.find_spec("ziglang")
    assert spec
    assert spec.origin
    zig = Path(spec.origin).parent
    shutil.copytree(zig, packages / "ziglang", symlinks=True)  # new files, new time stamps
    (information,) = zig.parent.glob("ziglang-*.dist-info")
    shutil.copytree(information, packages / information.name)
    shutil.copytree(REPOSITORY / "buildtool", packages / "buildtool")
    for name in ("cmake", "dsp", "host", "recipes"):
        shutil.copytree(REPOSITORY / name, packages / "buildtool/_data" / name)
    (packages / "more.pth").write_text(f"{zig.parent}\n")

    def run(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [tmp_path / "other/bin/python", "-P", "-m", "buildtool", *arguments],
            cwd=cwd,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=900,
            check=False,
        )

    return run


@pytest.mark.long  # compiles a C library; a fault here would cost time only
def test_only_the_edited_file_is_compiled(
    root: Path,
    own_toolchains: Path,
    other: Callable[..., subprocess.CompletedProcess[str]],
    buildtool: Buildtool,
    edit: Edit,
) -> None:
    assert buildtool("build", cwd=root).returncode == 0
    assert len(list(own_toolchains.iterdir())) == 1

    edit(root / "app/b.c", "return 0", "return 1")
    done = other("build", "-v", cwd=root)

    assert done.returncode == 0, done.stderr
    assert "b.c.o" in done.stderr
    assert "a.c.o" not in done.stderr


def test_where_the_cache_is_on_another_file_system_files_are_copied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = Path("/dev/shm")
    if not memory.is_dir() or tmp_path.stat().st_dev == memory.stat().st_dev:
        pytest.skip("there is no second file system here")
    program, library = tmp_path / "zig", tmp_path / "lib"
    program.write_text("program")
    program.chmod(0o755)
    (library / "include").mkdir(parents=True)
    (library / "include/stddef.h").write_text("header")
    with tempfile.TemporaryDirectory(dir=memory) as cache:
        monkeypatch.setenv("BUILDTOOL_CACHE", cache)

        copy = shared_copy("zig-1", {"zig": program, "lib": library})
        assert copy
        first = (copy / "lib/include/stddef.h").stat()
        program.unlink()

        assert shared_copy("zig-1", {"zig": program, "lib": library}) == copy
        assert os.access(copy / "zig", os.X_OK)
        assert (copy / "lib/include/stddef.h").stat() == first

        monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=20))
        assert shared_copy("zig-2", {"zig": library / "include/stddef.h"})
        assert not shared_copy("zig-3", {"zig": library / "include/stddef.h", "lib": library})
        assert {path.name for path in copy.parent.iterdir()} == {"zig-1", "zig-2"}


@pytest.mark.long
def test_a_compiler_that_somebody_damaged_is_linked_again(own_toolchains: Path) -> None:
    zig = usable_zig()
    assert zig.where.is_relative_to(own_toolchains)
    zig.where.unlink()

    assert usable_zig() == zig
    assert zig.where.samefile(find_zig().where)
    assert [path.name for path in own_toolchains.iterdir()] == [zig.where.parent.name]
