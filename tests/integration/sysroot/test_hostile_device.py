"""Malicious stand-in devices: a pull raises only `PullError`, and writes only to the sysroot."""

from __future__ import annotations

import os
import struct
from collections.abc import Callable
from pathlib import Path

import pytest

from buildtool.device.sysroot import device_files, libc, pull
from buildtool.device.sysroot.device_files import PullError
from buildtool.device.sysroot.source import open_directory, read_file
from buildtool.sdk.sysroot import sysroot_names
from tests.standins.device import MULTIARCH, OLDER, arm64_library

from .conftest import Pull

LIBRARY = f"{MULTIARCH}/libcdsprpc.so.1"


def replace(path: Path) -> Path:
    path.unlink()
    return path


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda path: path.symlink_to(path.name), "looked for"),
        (lambda path: path.symlink_to("/../../../etc/passwd"), "looked for"),
        (lambda path: path.symlink_to("/" + "a/" * 3000), "looked for"),
        (lambda path: path.symlink_to("line\nbreak"), "looked for"),
        (os.mkfifo, "is not a regular file"),
        (lambda path: path.mkdir(), "looked for"),
        (lambda path: path.write_text("GROUP ( /lib/x.so )"), "not a valid ELF file"),
        (lambda path: path.touch(), "not a valid ELF file"),
    ],
    ids=["loop", "above the root", "long", "newline", "fifo", "directory", "script", "empty"],
)
def test_something_else_in_place_of_a_stand_in_s_library(
    make: Callable[[Path], object], message: str, board: Path, pull_from: Pull
) -> None:
    make(replace(board / LIBRARY))

    with pytest.raises(PullError, match="no libcdsprpc") as caught:
        pull_from(board)
    assert message in caught.value.why
    assert sysroot_names() == []


def test_a_link_out_of_a_stand_in_is_read_inside_of_it(
    board: Path, tmp_path: Path, pull_from: Pull
) -> None:
    """As on the device, the parent of the device's root is the root itself."""
    outside = tmp_path / "secret.so"
    arm64_library(outside, "libcdsprpc.so.1", ["remote_handle_open", "stolen"])
    replace(board / LIBRARY).symlink_to(outside)
    with pytest.raises(PullError, match="no libcdsprpc"):
        pull_from(board)

    inside = board / str(outside).lstrip("/")
    arm64_library(inside, "libcdsprpc.so.1", ["remote_handle_open", "own"])
    sysroot, _ = pull_from(board)

    assert sysroot.exports == {"remote_handle_open", "own"}
    link = sysroot.root / LIBRARY
    assert not link.readlink().is_absolute()
    assert link.resolve() == sysroot.root / str(outside).lstrip("/")


def test_a_link_that_climbs_above_a_stand_in_s_root_stays_inside(
    board: Path, pull_from: Pull
) -> None:
    (board / "lib").unlink()
    (board / "lib").symlink_to("../../../usr/lib")
    sysroot, _ = pull_from(board)
    assert (sysroot.root / "lib").readlink() == Path("usr/lib")


def test_what_turns_into_something_else_while_it_is_looked_at(tmp_path: Path) -> None:
    """A file that has become a pipe or a link is neither waited for nor followed."""
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "link").symlink_to("/etc/passwd")
    for name in ("fifo", "link", "."):
        with pytest.raises(PullError):
            read_file(tmp_path / name, 1 << 20, name)


def test_a_stand_in_s_huge_file_is_not_read(board: Path, pull_from: Pull) -> None:
    library = board / f"{MULTIARCH}/libcdsprpc.so.1.0.0"
    os.truncate(library, 1 << 40)  # sparse
    with pytest.raises(PullError, match="no libcdsprpc") as caught:
        pull_from(board)
    assert "is larger than 64 MiB" in caught.value.why


@pytest.mark.parametrize(
    ("soname", "exports", "message"),
    [
        ("../../evil", OLDER, "its SONAME is '../../evil'"),
        ("lib\ncdsprpc.so", OLDER, "its SONAME is"),
        ("libcdsprpc.so.1", ["something_else"], "it is not a FastRPC library"),
    ],
)
def test_a_library_of_a_stand_in_that_cannot_be_the_one(
    soname: str, exports: list[str], message: str, board: Path, pull_from: Pull
) -> None:
    arm64_library(board / f"{MULTIARCH}/libcdsprpc.so.1.0.0", soname, exports)
    with pytest.raises(PullError) as caught:
        pull_from(board)
    assert message in caught.value.why


def test_a_stand_in_s_library_with_too_many_exports(
    board: Path, pull_from: Pull, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pull, "MAX_EXPORTS", 3)
    with pytest.raises(PullError) as caught:
        pull_from(board)
    assert "more than 3 names" in caught.value.why


def test_a_shell_of_a_stand_in_for_another_machine(board: Path, pull_from: Pull) -> None:
    shell = board / "usr/lib/dsp/cdsp/fastrpc_shell_unsigned_3"
    data = bytearray(shell.read_bytes())
    struct.pack_into("<H", data, 18, 40)  # e_machine: Arm
    shell.write_bytes(data)
    with pytest.raises(PullError, match="is not a Hexagon program") as caught:
        pull_from(board)
    assert "ELF machine is 40" in caught.value.why


def test_a_shell_of_a_stand_in_that_is_cut_short(board: Path, pull_from: Pull) -> None:
    shell = board / "usr/lib/dsp/cdsp/fastrpc_shell_unsigned_3"
    shell.write_bytes(shell.read_bytes()[:60])

    with pytest.raises(PullError, match=r"unsigned_3 of .* is not a valid") as caught:
        pull_from(board)

    assert ".new-" not in caught.value.message + caught.value.why, "a path that is gone"
    assert caught.value.remedy


def test_what_was_passed_over_does_not_count(tmp_path: Path) -> None:
    source = device_files.Fetched(open_directory(tmp_path), tmp_path / "root")
    source.root.mkdir()
    source.write("/lib/a.so", b"abc")
    source.clear()
    source.write("/lib/b.so", b"d")

    assert source.total == 1


def test_facts_of_a_stand_in_are_one_printable_line(board: Path, pull_from: Pull) -> None:
    tree = board / "sys/firmware/devicetree/base"
    (tree / "model").write_bytes(b"Board \x1b[31m\xff" + b"x" * 500 + b"\nsecond\0")
    (tree / "compatible").write_bytes(b"qcom,../../etc\0qcom," + b"a" * 4000 + b"\0")

    sysroot, _ = pull_from(board)

    assert sysroot.model.startswith("Board [31m")
    assert sysroot.model.isprintable()
    assert len(sysroot.model) <= 120
    assert sysroot.soc == ""


@pytest.fixture
def include(board: Path) -> Path:
    """The directory of the headers of a C library, which is added to the board."""
    for name in ("crt1.o", "crti.o", "crtn.o", "libc.so"):
        (board / MULTIARCH / name).touch()
    folder = board / "usr/include"
    folder.mkdir()
    (folder / "stdio.h").touch()
    return folder


def test_headers_of_a_stand_in_with_odd_files(include: Path, board: Path, pull_from: Pull) -> None:
    os.mkfifo(include / "fifo.h")
    (include / "dangling.h").symlink_to("/nowhere")
    (include / "loop").symlink_to(".")
    (include / "elsewhere").symlink_to("/sys")
    (include / "other.h").symlink_to("/usr/include/stdio.h")

    sysroot, _ = pull_from(board, libc=True)

    assert sysroot.has_libc
    kept = sorted(path.name for path in (sysroot.root / "usr/include").iterdir())
    assert kept == ["loop", "other.h", "stdio.h"]
    assert (sysroot.root / "usr/include/other.h").readlink() == Path("stdio.h")


def test_headers_of_a_stand_in_with_an_impossible_name(
    include: Path, board: Path, pull_from: Pull
) -> None:
    (include / "a\nb.h").touch()
    with pytest.raises(PullError, match=r"with the name 'a\\nb.h'"):
        pull_from(board, libc=True)


def test_headers_of_a_stand_in_without_end(
    include: Path,
    board: Path,
    pull_from: Pull,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    deep = include
    for _ in range(40):
        deep /= "d"
    deep.mkdir(parents=True)
    with pytest.raises(PullError, match="is too deep"):
        pull_from(board, libc=True)

    monkeypatch.setattr(libc, "MAX_HEADER_DEPTH", 100)
    monkeypatch.setattr(device_files, "MAX_FILES", 8)
    for number in range(10):
        (include / f"{number}.h").touch()
    with pytest.raises(PullError, match="has too much to fetch"):
        pull_from(board, libc=True)


@pytest.mark.parametrize("missing", ["crti.o", "libc.so"])
@pytest.mark.usefixtures("include")
def test_headers_of_a_stand_in_without_start_files(
    missing: str, board: Path, pull_from: Pull
) -> None:
    (board / MULTIARCH / missing).unlink()
    with pytest.raises(PullError, match=f"has no {missing}") as caught:
        pull_from(board, libc=True)
    assert "libc6-dev" in caught.value.remedy
