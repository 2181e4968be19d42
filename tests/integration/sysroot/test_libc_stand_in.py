"""The C library of a stand-in board, with the linker scripts of Debian's package."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from buildtool.device.sysroot.device_files import PullError
from buildtool.device.sysroot.libc import MAX_DEPTH
from buildtool.device.sysroot.pull import pull
from buildtool.device.sysroot.source import open_directory
from buildtool.sdk.sysroot import Sysroot
from tests.standins.device import CROSS_LIBRARIES, MULTIARCH, make_board

from .conftest import Pull

PROGRAM = (
    "#include <math.h>\n#include <stdio.h>\nint main(int c, char **v) {\n"
    '    (void)v; printf("%g\\n", sqrt(c * 1764.0)); }\n'
)


LAYOUTS = ["one directory for libraries", "two"]


def add_libc(root: Path, layout: str) -> None:
    """Add Debian's ARM64 glibc to a board: scripts contain the device's absolute paths.

    On newer systems /lib is a link.  On older ones the libraries themselves are in /lib, and the
    files that programs are linked with are in /usr/lib, some of them absolute links.
    """
    own, dev = root / "lib/aarch64-linux-gnu", root / MULTIARCH
    if layout == "two":
        (root / "lib").unlink()
        own.mkdir(parents=True)
        (dev / "libc.so.6").unlink()
    for file in CROSS_LIBRARIES.iterdir():
        if file.is_dir() or file.name.startswith(("libstdc", "libgcc", "libasan", "libtsan")):
            continue
        shared = ".so." in file.name
        place = (own if shared else dev) / file.name
        if file.is_symlink():
            place.symlink_to(f"/lib/aarch64-linux-gnu/{file.readlink().name}")
        elif not place.exists():
            shutil.copyfile(file, place)
    script = dev / "libc.so"
    text = script.read_text()
    assert f"{CROSS_LIBRARIES}/libc.so.6" in text
    text = text.replace(f"{CROSS_LIBRARIES}/libc_non", "/usr/lib/aarch64-linux-gnu/libc_non")
    script.write_text(text.replace(f"{CROSS_LIBRARIES}/", "/lib/aarch64-linux-gnu/"))


@pytest.fixture(
    scope="module", params=[pytest.param(LAYOUTS[0], marks=pytest.mark.long), LAYOUTS[1]]
)
def pulled(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Sysroot:
    """A sysroot with all headers of Debian's package, which tests only read."""
    folder = tmp_path_factory.mktemp("pulled")
    root = make_board(folder / "a board")
    add_libc(root, request.param)
    shutil.copytree(CROSS_LIBRARIES.parent / "include", root / "usr/include", symlinks=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BUILDTOOL_CACHE", str(folder / "the cache"))
        return pull(open_directory(root), "board", libc=True, waiting=lambda: None)[0]


@pytest.fixture
def small(board: Path) -> Path:
    """A board that a test changes: its C library has one header."""
    add_libc(board, LAYOUTS[0])
    (board / "usr/include").mkdir()
    (board / "usr/include/stdio.h").write_text("/* a header */\n")
    return board


def test_a_stand_in_s_scripts_name_no_absolute_path(pulled: Sysroot) -> None:
    sysroot = pulled
    script = (sysroot.root / MULTIARCH / "libc.so").read_text()
    group = re.search(r"GROUP \((.*)\)", script)
    assert group
    named = [word for word in group[1].split() if word not in ("(", ")", "AS_NEEDED")]
    assert [Path(name).name for name in named] == [
        "libc.so.6",
        "libc_nonshared.a",
        "ld-linux-aarch64.so.1",
    ]
    for name in named:
        assert not name.startswith("/")
        leads_to = (sysroot.root / MULTIARCH / name).resolve()
        assert leads_to.is_file()
        assert leads_to.is_relative_to(sysroot.root)
    links = [path for path in sysroot.root.rglob("*") if path.is_symlink()]
    assert any(link.name == "libm.so" for link in links)
    for link in links:
        assert not link.readlink().is_absolute()
        assert link.resolve(strict=True).is_relative_to(sysroot.root)


@pytest.mark.parametrize("linker", ["gcc", "clang"])
def test_a_program_links_against_a_stand_in_s_c_library(
    linker: str, pulled: Sysroot, tmp_path: Path
) -> None:
    """GNU ld and lld read no libraries other than the sysroot's and the compiler's."""
    sysroot = pulled
    source = tmp_path / "main.c"
    source.write_text(PROGRAM)
    folder = sysroot.root / MULTIARCH
    command: list[str | Path] = ["aarch64-linux-gnu-gcc", f"--sysroot={sysroot.root}"]
    if linker == "clang":
        command = ["clang", "--target=aarch64-linux-gnu", "-fuse-ld=lld"]
        command += [f"--sysroot={sysroot.root}"]
    command += [f"-B{folder}", f"-L{folder}", "-Wl,--trace", source, "-lm"]
    done = subprocess.run(
        [*command, "-o", tmp_path / "main"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    read = [Path(line) for line in (done.stdout + done.stderr).splitlines() if "libc" in line]
    assert read
    for path in read:
        assert path.resolve().is_relative_to(sysroot.root), path
    ran = subprocess.run(
        ["qemu-aarch64", "-L", CROSS_LIBRARIES.parent, tmp_path / "main"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.stdout == "42\n", ran.stderr


def test_a_stand_in_s_script_that_names_what_is_not_there(small: Path, pull_from: Pull) -> None:
    (small / MULTIARCH / "libc.so").write_text("GROUP ( /lib/nothing.so.6 )")
    with pytest.raises(PullError, match="names /lib/nothing"):
        pull_from(small, libc=True)


def test_a_script_of_a_stand_in_that_names_itself(small: Path, pull_from: Pull) -> None:
    (small / MULTIARCH / "libc.so").write_text(f"INPUT ( /{MULTIARCH}/libc.so )")
    sysroot, _ = pull_from(small, libc=True)
    assert (sysroot.root / MULTIARCH / "libc.so").read_text() == "INPUT ( libc.so )"


def test_scripts_of_a_stand_in_that_name_each_other_without_end(
    small: Path, pull_from: Pull
) -> None:
    """No script that contains an absolute path is kept."""
    for number in range(MAX_DEPTH + 2):
        script = small / MULTIARCH / f"lib{number}.so"
        script.write_text(f"INPUT ( /{MULTIARCH}/lib{number + 1}.so )")
    (small / MULTIARCH / "libc.so").write_text(f"INPUT ( /{MULTIARCH}/lib0.so )")

    with pytest.raises(PullError, match="at the end of too many linker scripts"):
        pull_from(small, libc=True)


def test_a_stand_in_s_c_library_stays_when_it_is_pulled_again(small: Path, pull_from: Pull) -> None:
    first, _ = pull_from(small, libc=True)

    assert pull_from(small) == (first, False)


def test_a_header_counts_for_the_identity_of_a_stand_in(small: Path, pull_from: Pull) -> None:
    plain, _ = pull_from(small)
    with_libc, changed = pull_from(small, libc=True)
    assert changed
    assert with_libc.identity != plain.identity
    (small / "usr/include/stdio.h").write_text("/* another */\n")
    other, changed = pull_from(small, libc=True)
    assert changed
    same = other._replace(identity=with_libc.identity)
    assert same == with_libc
    assert other.identity != with_libc.identity
