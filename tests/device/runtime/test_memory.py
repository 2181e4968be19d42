"""Buffers by descriptor, the heap, and cache locking."""

from __future__ import annotations

import pytest

from tests.device.fastrpc.toolbox import Device, Result

STATIC, FD, DELAYED = 0, 2, 3
NO_CLIENT_MAPPING = "80000600"


def run(device: Device, script: str) -> Result:
    result = device.run(f"open memory; {script}; close memory")
    assert result.status == 0, result.err
    return result


def test_delayed_buffer_is_mapped_by_the_skel_and_shared(device: Device) -> None:
    result = run(
        device,
        f"alloc b 70000; map b {DELAYED}; poke b 5; case memory map_and_change @b 70000 0 6;peek b",
    )
    assert result["case memory map_and_change @b 70000 0 6"] == "0 5 0 0 0"
    assert result["peek b"] == "0 6"


def test_mmap_get_wants_the_clients_mapping(device: Device) -> None:
    result = run(
        device,
        f"alloc b 8192; poke b 9; map b {FD}; case memory get_and_put @b;"
        f"alloc c 8192; map c {DELAYED}; case memory get_and_put @c;"
        f"alloc d 8192; map d {STATIC}; case memory get_and_put @d",
    )
    assert result["case memory get_and_put @b"].split()[:2] == ["0", "9"], result.err
    assert result["case memory get_and_put @c"].split()[0] == NO_CLIENT_MAPPING
    assert result["case memory get_and_put @d"].split()[0] == NO_CLIENT_MAPPING


def test_get_fails_after_the_client_unmapped(device: Device) -> None:
    result = run(device, f"alloc b 8192; map b {FD}; unmap b; case memory get_and_put @b")
    assert result["unmap b"] == "0"
    assert result["case memory get_and_put @b"].split()[0] == NO_CLIENT_MAPPING


@pytest.mark.parametrize("flags", [FD, DELAYED])
def test_mappings_are_counted(device: Device, flags: int) -> None:
    result = run(device, f"alloc b 8192; map b {flags}; case memory mappings_count @b 8192")
    assert result["case memory mappings_count @b 8192"].split()[0] == "0", result.err


def test_mapping_at_an_offset(device: Device) -> None:
    result = run(
        device,
        f"alloc b 16384; map b {DELAYED}; case memory map_and_change @b 4096 8192 1",
    )
    assert result["case memory map_and_change @b 4096 8192 1"].split()[0] == "0", result.err


def test_bad_mappings_are_refused_and_explained(device: Device) -> None:
    result = run(device, f"alloc b 8192; map b {DELAYED}; case memory bad_mappings @b 8192")
    assert result["case memory bad_mappings @b 8192"].split()[0] == "0", result.err
    assert "HAP_PROT_EXEC is not supported" in result.err
    assert "the client must map it with fastrpc_mmap" in result.err


def test_mapping_by_request(device: Device) -> None:
    result = run(
        device, f"alloc b 8192; poke b 77; map b {DELAYED}; case memory by_request @b 8192"
    )
    assert result["case memory by_request @b 8192"].split()[:2] == ["0", "77"], result.err
    assert "HAP_mem_request: request 5 is not emulated" in result.err


@pytest.mark.parametrize("name", ["heap", "cache"])
def test_heap_and_cache(device: Device, name: str) -> None:
    result = run(device, f"case memory {name}")
    assert result[f"case memory {name}"].split()[0] == "0", result.err
