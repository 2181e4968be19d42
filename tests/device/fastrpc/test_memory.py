"""Memory that both sides share without a copy."""

from __future__ import annotations

from .toolbox import Device

OPEN = "unsigned_pd 3 1; open h probe; alloc b 8192;"
NOT_FOUND = "80000600 0"  # AEE_ERPC of the DSP side


def test_rpcmem_is_shared_and_the_heap_is_copied(device: Device) -> None:
    """If a method writes to its input, the client sees the change only if the buffer is shared."""
    result = device.run(OPEN + "change h b; change h heap")
    assert result["change h b"] == "0 99"
    assert result["change h heap"] == "0 5"


def test_registered_buffer_is_shared_until_taken_back(device: Device) -> None:
    assert device.run(OPEN + "registered h")["registered h"] == "0 99, then 5"


def test_registered_descriptor_stands_for_its_memory(device: Device) -> None:
    assert device.run(OPEN + "registered_fd h")["registered_fd h"] == "0 22 24"


def test_to_fd_and_failing_allocations(device: Device) -> None:
    result = device.run("alloc b 100; tofd b; alloc c -5; alloc d 0; alloc2 e 70000")
    assert result["tofd b"] == "0"
    assert result["alloc c -5"] == "68"
    assert result["alloc d 0"] == "68"
    assert result["alloc2 e 70000"] == "0"


def test_map_fd_is_found_by_the_dsp(device: Device) -> None:
    result = device.run(OPEN + "fill b 3; byfd h b 1; map b 2; byfd h b 1; unmap b; byfd h b 1")
    assert [line.split(" = ")[1] for line in result.lines if line.startswith("byfd")] == [
        NOT_FOUND,
        "0 48",
        NOT_FOUND,
    ]


def test_map_static_is_not_found_by_the_dsp(device: Device) -> None:
    result = device.run(OPEN + "map b 0; byfd h b 1")
    assert result["map b 0"] == "0"
    assert result["byfd h b 1"] == NOT_FOUND


def test_map_delayed_waits_for_the_dsp_to_map(device: Device) -> None:
    result = device.run(OPEN + "fill b 2; map b 3; byfd h b 1; byfd h b 0; unmap b")
    assert result["byfd h b 1"] == NOT_FOUND
    assert result["byfd h b 0"] == "0 32"


def test_codes_of_mapping(device: Device) -> None:
    result = device.run(OPEN + "unmap b; map b 7; map b 2; map b 2; unmap b; unmap b; map b 2")
    assert [line for line in result.lines if "map b" in line] == [
        "unmap b = 3a",  # AEE_EINVALIDFD
        "map b 7 = e",
        "map b 2 = 0",
        "map b 2 = 1a",  # AEE_EALREADY
        "unmap b = 0",
        "unmap b = 3a",
        "map b 2 = 0",
    ]


def test_dma_handle_is_mapped_by_the_skel(device: Device) -> None:
    result = device.run(OPEN + "fill b 7; dma h b 0; dma h b 4096")
    assert result["dma h b 0"] == f"0 {16 * 7}"
    assert result["dma h b 4096"] == "0 0"


def test_remote_memory_mapping(device: Device) -> None:
    result = device.run(OPEN + "memmap b; old_mmap")
    assert result["memmap b"] == "0 somewhere"
    assert result["old_mmap"] == "0 somewhere"


def test_numbers_of_freed_buffers_are_used_again(device: Device) -> None:
    """A new buffer with the descriptor of a freed one is a new buffer for the DSP too."""
    script = "".join(
        f"alloc x 4096; fill x {value}; map x 2; byfd h x 1; unmap x; release x;"
        for value in (1, 2, 3)
    )
    result = device.run(OPEN + script)
    assert [line for line in result.lines if line.startswith("byfd")] == [
        f"byfd h x 1 = 0 {16 * value}" for value in (1, 2, 3)
    ]
