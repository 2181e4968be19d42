"""The functions that programs may use from the device's libcdsprpc."""

from __future__ import annotations

from pathlib import Path

import pytest

from buildtool.core.elf.file import EM_AARCH64
from buildtool.core.elf.read import read_elf
from buildtool.toolchains.cdsprpc import (
    SONAMES,
    Cdsprpc,
    common_exports,
    import_stub,
    is_cdsprpc,
    known_exports,
    missing_symbols_remedy,
    system_cdsprpc,
    write_stub,
)

NEWER = {
    "dspqueue_request",
    "fastrpc_async_get_status",
    "fastrpc_release_async_job",
    "remote_handle64_invoke_async",
    "remote_handle_invoke_async",
    "remote_system_request",
    "rpcmem_alloc2",
}
LINUX = system_cdsprpc("ubuntu-aarch64")
BOARD = Cdsprpc("libcdsprpc.so.1", frozenset({"rpcmem_alloc"}), "board")


def test_the_common_list_leaves_out_what_older_devices_lack() -> None:
    assert common_exports() == known_exports().keys() - NEWER
    assert known_exports().keys() > NEWER
    assert {"remote_handle64_open", "rpcmem_alloc", "dspqueue_write"} < common_exports()


@pytest.mark.parametrize("platform", SONAMES)
@pytest.mark.parametrize("names", [[], ["a"], ["a", "b"], sorted(known_exports())])
def test_an_import_stub_has_the_expected_contents(
    platform: str, names: list[str], tmp_path: Path
) -> None:
    soname = SONAMES[platform]
    file = tmp_path / "stub.so"
    file.write_bytes(import_stub(soname, names))

    stub = read_elf(file)

    assert (stub.soname, stub.machine, stub.bits, stub.kind) == (soname, EM_AARCH64, 64, "DYN")
    assert stub.exports == set(names)
    assert (stub.needed, stub.imports) == ((), frozenset())
    assert import_stub(soname, reversed(names)) == file.read_bytes()


def test_each_device_has_a_separate_stub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BUILDTOOL_CACHE", str(tmp_path))
    places = {write_stub(c) for c in (LINUX, system_cdsprpc("android"), BOARD)}

    assert len(places) == 3
    for place in places:
        (library, *_) = sorted((place / "lib").iterdir())
        assert library.name == "libcdsprpc.so"
    assert (LINUX.directory / "lib/libcdsprpc.so.1").is_file()
    assert write_stub(BOARD, tmp_path / "out") == tmp_path / "out"
    renamed = Cdsprpc(BOARD.soname, BOARD.exports, "the same library elsewhere")
    assert renamed.directory == BOARD.directory


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("libcdsprpc.so", True),
        ("libcdsprpc.so.1.0.0", True),
        ("/sdk/libcdsprpc.so", True),
        ("libcdsprpc_system.so", True),
        ("libcdsprpc.a", True),
        ("libcdsprpc.sox", False),
        ("libcdsprpc_skel.so", False),
        ("mylibcdsprpc.so", False),
        ("libadsprpc.so", False),
    ],
)
def test_names(name: str, expected: bool) -> None:
    assert is_cdsprpc(name) is expected


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        ("ld.lld: error: undefined symbol: rpcmem_alloc2\n>>> referenced by", "rpcmem_alloc2"),
        ("main.c: undefined reference to `rpcmem_alloc2'\ncollect2:", "rpcmem_alloc2"),
        ("main.c: undefined reference to 'rpcmem_alloc2'", "rpcmem_alloc2"),
        ("undefined symbol: foo\nundefined symbol: remote_system_request", "no remote_system"),
        ("undefined symbol: rpcmem_alloc", ""),  # the stub was not linked at all
        ("undefined symbol: rpcmem_pool", ""),  # not of this library
        ("rpcmem_alloc2 is fine", ""),
        ("", ""),
    ],
)
def test_advice_about_a_linker_s_error(output: str, expected: str) -> None:
    remedy = missing_symbols_remedy(output, LINUX)
    assert expected in remedy
    assert bool(remedy) == bool(expected)


def test_advice_names_the_device() -> None:
    remedy = missing_symbols_remedy("undefined symbol: dspqueue_read", BOARD)
    assert remedy.startswith("The libcdsprpc of the device 'board' has no dspqueue_read.")
